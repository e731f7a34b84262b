"""The commands that keep a memory fresh, which a scheduler runs."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

import typer

from recollect.servers.cli.options import Actor, Database, GroupName, Json, RequestId

Types = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Concepts of this type. Repeat it for more."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would change, and keep it.")]
Kip = Annotated[
    bool,
    typer.Option("--kip", help="Print the KIP text that does it; change nothing."),
]
Most = Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Change at most this many.")]

_DURATION = re.compile(r"(\d+(?:\.\d+)?)([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def _duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f'"{text}" is not a length of time: write it like 12h, 30d or 2w')
    try:
        return float(found[1]) * _UNITS[found[2]]
    except OverflowError:
        raise typer.BadParameter(f'"{text}" is longer than any memory') from None


def expire_elements(
    type: Types = None,
    archive: Annotated[
        bool, typer.Option("--archive", help="Mark as archived instead of closing.")
    ] = False,
    limit: Most = 2_000,
    dry_run: DryRun = False,
    kip: Kip = False,
    actor: Actor = None,
    request_id: RequestId = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Close what its expires_at says has expired: links, and episodic concepts."""
    from recollect.servers.cli.maintenance import Asked, show_expiry

    asked = Asked(db, group, actor, request_id, dry_run=dry_run, kip=kip, as_json=json)
    show_expiry(asked, type or [], archive=archive, limit=limit)


def fade_elements(
    half_life: Annotated[
        timedelta,
        typer.Option("--half-life", metavar="TIME", parser=_duration, help="As 12h, 30d or 2w."),
    ] = "90d",  # type: ignore[assignment]  # the parser reads it
    floor: Annotated[
        float, typer.Option("--floor", metavar="VALUE", help="Nothing falls below it.")
    ] = 0.1,
    cycle: Annotated[
        timedelta,
        typer.Option("--cycle", metavar="TIME", parser=_duration, help="Not twice in this time."),
    ] = "1d",  # type: ignore[assignment]  # the parser reads it
    spare: Annotated[
        list[str] | None,
        typer.Option("--spare", metavar="NAME", help="A type or predicate that does not fade."),
    ] = None,
    limit: Most = 2_000,
    dry_run: DryRun = False,
    kip: Kip = False,
    actor: Actor = None,
    request_id: RequestId = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Let memory_strength, or else confidence, fall where nothing was observed for long."""
    from recollect.servers.cli.maintenance import Asked, show_decay

    asked = Asked(db, group, actor, request_id, dry_run=dry_run, kip=kip, as_json=json)
    show_decay(asked, half_life, cycle, floor=floor, spare=spare or [], limit=limit)


def find_twins(
    type: Types = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", metavar="SCORE", help="0.65, or 0.95 to merge, if not given."),
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Merge them, all or nothing.")] = False,
    dry_run: DryRun = False,
    kip: Kip = False,
    actor: Actor = None,
    request_id: RequestId = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Find concepts that are likely one thing, and propose the MERGE of each."""
    from recollect.servers.cli.maintenance import Asked, show_duplicates

    asked = Asked(db, group, actor, request_id, dry_run=dry_run, kip=kip, as_json=json)
    show_duplicates(asked, type or [], threshold, apply=apply)


def list_orphans(db: Database = None, group: GroupName = None, json: Json = False) -> None:
    """List concepts without links or domain, and declarations that nothing uses."""
    from recollect.servers.cli.maintenance import Asked, show_orphans

    show_orphans(Asked(db, group, None, None, dry_run=True, kip=False, as_json=json))
