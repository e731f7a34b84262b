"""What the commands of maintenance do: work or rehearse, and show what changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

import typer

from recollect.faces.kip.maintenance import (
    CarriedOut,
    Carrying,
    Duplicates,
    Expired,
    Faded,
    Target,
    decay,
    expire,
    find_duplicates,
    find_orphans,
    merge_duplicates,
)
from recollect.faces.kip.maintenance.duplicates import LIKELY, SURE
from recollect.kernel import Nexus
from recollect.model import Key, Progress, Triple, instant_text
from recollect.servers.cli.cells import counted, open_table
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation, told
from recollect.servers.cli.output import Output, output, progress_bars
from recollect.servers.cli.safe_text import escaped, one_line, shown
from recollect.servers.cli.wanted import Fading, UpkeepRun
from recollect.servers.settings import Settings

SHOWN = 50
"""So many lines of a list are shown to people; `--json` has them all."""


@contextmanager
def _on(on: Invocation, upkeep: UpkeepRun) -> Iterator[tuple[Output, Nexus, Progress, Carrying]]:
    """Give the work its output, the memory, bars, and how it is carried out in whose name."""
    is_rehearsal = upkeep.dry_run or upkeep.kip
    with output(on) as out, opened(on) as nexus, progress_bars(out) as progress:
        actor = Settings().actor(on.actor)
        how = Carrying(dry_run=is_rehearsal, actor=actor, request_id=on.request_id)
        yield out, nexus, progress, how


def show_expiry(
    on: Invocation, upkeep: UpkeepRun, types: Sequence[str], *, archive: bool, limit: int
) -> None:
    """Close or archive what has expired."""
    with _on(on, upkeep) as (out, nexus, progress, how):
        found = expire(nexus, types, archive=archive, limit=limit, progress=progress, **how)
        if out.as_json:
            lists = {
                "expired": _expired(found.expired),
                "suspect": _expired(found.suspect),
                "unreadable": _expired(found.unreadable),
            }
            out.json({"result": {**lists, "left": found.left, **_effect(found.done)}})
        elif upkeep.kip:
            _print(found.done.kip or "// nothing is due\n")
        else:
            lines = [(str(one.target), str(one.expires_at)) for one in found.expired]
            _table(out, ("expired", "expires_at"), lines)
            _warn_left(out, found.suspect, "expired, of no type that is forgotten; --type takes it")
            _warn_left(out, found.unreadable, "expires_at is not an ISO 8601 time")
            _verdict(out, found.done, "archived" if archive else "closed", len(lines), found.left)


def show_decay(on: Invocation, upkeep: UpkeepRun, fading: Fading) -> None:
    """Let values fall."""
    with _on(on, upkeep) as (out, nexus, progress, how):
        found = decay(nexus, progress=progress, **told(fading), **how)
        if out.as_json:
            faded = [_faded(one) for one in found.faded]
            out.json({"result": {"faded": faded, "left": found.left, **_effect(found.done)}})
        elif upkeep.kip:
            _print(found.done.kip or "// nothing is due\n")
        else:
            lines = [
                (
                    str(one.target),
                    one.key,
                    f"{one.before:.3f}",
                    f"{one.after:.3f}",
                    instant_text(one.since)[:10],
                )
                for one in found.faded
            ]
            _table(out, ("faded", "key", "before", "after", "since"), lines)
            _verdict(out, found.done, "faded", len(lines), found.left)


def show_duplicates(
    on: Invocation, upkeep: UpkeepRun, types: Sequence[str], threshold: float | None, *, apply: bool
) -> None:
    """Propose merges, or carry them out."""
    with _on(on, upkeep) as (out, nexus, progress, how):
        if apply:
            least = SURE if threshold is None else threshold
            found = merge_duplicates(nexus, types, threshold=least, progress=progress, **how)
        else:
            least = LIKELY if threshold is None else threshold
            found = find_duplicates(nexus, types, threshold=least, progress=progress)
        if out.as_json:
            proposed = [{**asdict(one), "kip": one.kip} for one in found.found]
            effect = {} if found.done is None else _effect(found.done)
            out.json({"result": {"duplicates": proposed, **effect}})
        elif upkeep.kip:
            texts = (f"// {one.score:.2f} {one.reason}\n{one.kip}\n" for one in found.found)
            _print("".join(texts) or "// no duplicates\n")
        else:
            _show_duplicates(out, found)


def show_orphans(on: Invocation) -> None:
    """List what hangs on nothing."""
    with _on(on, UpkeepRun(dry_run=True)) as (out, nexus, progress, _):
        found = find_orphans(nexus, progress=progress)
        if out.give_json(asdict(found)):
            return
        _table(out, ("without links", ""), [(one.type, one.name) for one in found.unlinked])
        _table(out, ("without a domain", ""), [(one.type, one.name) for one in found.homeless])
        _table(out, ("types that nothing has",), [(one,) for one in found.unused_types])
        _table(out, ("predicates that nothing has",), [(one,) for one in found.unused_predicates])
        if not (found.unlinked or found.homeless or found.unused_types or found.unused_predicates):
            out.say("nothing hangs loose", "dim")


def _show_duplicates(out: Output, found: Duplicates) -> None:
    lines = [
        (
            f"{one.score:.2f}",
            one.duplicate.type,
            one.duplicate.name,
            one.canonical.name,
            " : ".join(map(str, one.links)),
            one.reason,
        )
        for one in found.found
    ]
    _table(out, ("score", "type", "duplicate", "of", "links", "because"), lines)
    if found.done is not None:
        _verdict(out, found.done, "merged", len(lines), 0)
        return
    likely = f"{counted(len(lines), 'duplicate')} likely; nothing is changed"
    out.say(likely if lines else "no duplicates", "bold" if lines else "dim")
    if lines:
        out.say("look at the texts with --kip; merge with --apply", "dim")


def _table(out: Output, columns: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Show lines under headings; none for no lines, and of many the first."""
    if not lines:
        return
    table = open_table()
    for column in columns:
        table.add_column(shown(column), overflow="fold")
    for line in lines[:SHOWN]:
        table.add_row(*(shown(one_line(cell)) for cell in line))
    out.show(table)
    if len(lines) > SHOWN:
        out.say(f"and {len(lines) - SHOWN:,} more; all with --json", "dim")


def _warn_left(out: Output, doubtful: Sequence[Expired], reason: str) -> None:
    """Warn of what is left as it is."""
    for one in doubtful[:SHOWN]:
        out.warn(f"{one.target} ({one.expires_at}): {reason}")
    if len(doubtful) > SHOWN:
        out.warn(f"{len(doubtful) - SHOWN:,} more: {reason}")


def _verdict(out: Output, done: CarriedOut, verb: str, count: int, left: int) -> None:
    """Say what the transaction did, with what hung on its targets."""
    if not count:
        out.say(f"nothing to be {verb}", "dim")
        return
    number = "" if done.transaction is None else f" (transaction {done.transaction})"
    would = "would be " if done.is_dry_run else ""
    touched = counted(len(done.changes), "change")
    out.say(f"{count:,} {would}{verb}: {touched} in the log{number}", "bold")
    if left:
        out.say(f"{left:,} more are left for the next run", "yellow")


def _print(text: str) -> None:
    """Print a KIP text whole, as another command reads it."""
    typer.echo(escaped(text), nl=False)


def _expired(found: Iterable[Expired]) -> list[dict[str, object]]:
    return [{**_target(one.target), "expires_at": one.expires_at} for one in found]


def _faded(one: Faded) -> dict[str, object]:
    values = {"key": one.key, "before": one.before, "after": one.after, "factor": one.factor}
    return {**_target(one.target), **values, "since": instant_text(one.since)}


def _target(target: Target) -> dict[str, object]:
    return {"id": target.id, "what": asdict(target.what)}


def _effect(done: CarriedOut) -> dict[str, object]:
    """Return what the log says, or would say, of the work."""
    changes = [
        {
            "id": one.id,
            "operation": one.operation,
            "what": asdict(one.what) if isinstance(one.what, Key | Triple) else None,
        }
        for one in done.changes
    ]
    return {
        "changes": changes,
        "transaction": done.transaction,
        "dry_run": done.is_dry_run,
        "kip": done.kip,
    }
