"""The commands that look at a memory as a whole, keep it safe, and keep it fresh."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli.options import DryRun, Invocation, argument, option
from recollect.servers.cli.usage import verbs
from recollect.servers.cli.wanted import Erased, Fading, Most, UpkeepRun

app = verbs()

Types = Annotated[
    list[str] | None, option("--type", "TYPE", "Concepts of this type. Repeat it for more.")
]


@app.verb("stats", "place", "db", "group", "json")
def show_stats(on: Invocation) -> None:
    """Count what the memory holds."""
    from recollect.servers.cli.manage import count_contents

    count_contents(on)


@app.verb("groups", "place", "db", "json")
def list_groups(on: Invocation) -> None:
    """List the groups of a memory."""
    from recollect.servers.cli.manage import list_groups

    list_groups(on)


@app.verb("where", "place", "db", "group", "json")
def show_place(on: Invocation) -> None:
    """Tell which memory would be used, and why."""
    from recollect.kernel import compared_by
    from recollect.servers.cli.cells import facts
    from recollect.servers.cli.output import output
    from recollect.servers.settings import Settings

    settings = Settings()
    located = settings.database(on.database)  # no memory is opened
    told: dict[str, object] = {"path": located.shown, "reason": located.reason}
    with output(on) as out:
        told["exists"] = located.exists
        told["group"] = settings.group(on.group)
        embedding = settings.embedding()
        model = None if embedding is None else embedding.model or embedding.embedder
        told["recall"] = compared_by(model)
        if not out.give_json(told):
            out.show(facts(told))


@app.command("demo")
def show_demo(
    db: Annotated[
        Path | None, option("--db", "PATH", "A new file to keep; else the demo's own, made anew.")
    ] = None,
    json: Annotated[
        bool, option("--json", "Print the response as JSON on standard output.")
    ] = False,
) -> None:
    """Build a memory of the world's countries and places, and question it."""
    from recollect.servers.cli.demo.show import demonstrate

    demonstrate(db, as_json=json)


@app.verb("backup", "db", "json")
def copy_memory(
    on: Invocation, path: Annotated[str, argument("PATH", "A file that is not there yet.")]
) -> None:
    """Copy a memory, all its groups, to a new file, while others use it."""
    from recollect.servers.cli.care import copy_memory

    copy_memory(on, path)


@app.verb("dump", "db", "group", "json")
def dump_group(
    on: Invocation,
    path: Annotated[str, argument("PATH", "A new file; - is standard output.")] = "-",
    all_groups: Annotated[bool, option("--all", "Every group of the memory.")] = False,
) -> None:
    """Write a group as lines of JSON, with its past and its log: nothing is lost."""
    from recollect.servers.cli.care import write_dump

    write_dump(on, path, all_groups=all_groups)


@app.verb("restore", "db", "json")
def restore_dump(
    on: Invocation, path: Annotated[str, argument("PATH", "What dump wrote; - is standard input.")]
) -> None:
    """Read a dump back into groups that are empty: all of it or nothing."""
    from recollect.servers.cli.care import restore_dump

    restore_dump(on, path)


@app.verb("doctor", "place", "db", "json")
def examine_memory(
    on: Invocation,
    fix: Annotated[bool, option("--fix", "Rebuild counts and indexes, and optimise.")] = False,
) -> None:
    """Examine a memory: its place, links, counts, log and text index."""
    from recollect.servers.cli.care import examine_memory

    examine_memory(on, fix=fix)


@app.verb("reindex", "place", "db", "group", "json")
def make_vectors(on: Invocation) -> None:
    """Make the vectors that elements lack; all of them after another model was configured."""
    from recollect.servers.cli.care import make_vectors

    make_vectors(on)


@app.verb("purge", "param", "actor", "request_id", "db", "group", "json")
def erase_elements(
    on: Invocation,
    what: Erased,
    dry_run: DryRun = False,
    yes: Annotated[bool, option("--yes", "Do not ask.")] = False,
    rewrite: Annotated[
        bool, option("--rewrite", "Make a server's tables anew; nothing else is erased.")
    ] = False,
) -> None:
    """Erase elements and all links at them, for all times; it cannot be undone."""
    from recollect.servers.cli import erase as erasure

    named = [one for one in (what.id, what.name, what.query, what.drop_group) if one is not None]
    if (what.type is None) != (what.name is None) or len(named) + rewrite != 1:
        raise typer.BadParameter("give ID, --type and --name, --query, --drop-group or --rewrite")
    if rewrite:
        erasure.rewrite(on)
        return
    if what.drop_group is not None and (on.actor is not None or on.request_id is not None):
        raise typer.BadParameter(
            "a group goes with its log, which would hold --actor and --request-id"
        )
    erasure.erase(on, what, dry_run=dry_run, is_sure=yes)


@app.verb("expire", "actor", "request_id", "db", "group", "json")
def expire_elements(
    on: Invocation,
    type: Types = None,
    archive: Annotated[bool, option("--archive", "Mark as archived instead of closing.")] = False,
    limit: Most = 2_000,
    *,
    upkeep: UpkeepRun,
) -> None:
    """Close what its expires_at says has expired: links, and episodic concepts."""
    from recollect.servers.cli.maintenance import show_expiry

    show_expiry(on, upkeep, type or [], archive=archive, limit=limit)


@app.verb("decay", "actor", "request_id", "db", "group", "json")
def fade_elements(on: Invocation, fading: Fading, upkeep: UpkeepRun) -> None:
    """Let memory_strength, or else confidence, fall where nothing was observed for long."""
    from recollect.servers.cli.maintenance import show_decay

    show_decay(on, upkeep, fading)


@app.verb("duplicates", "actor", "request_id", "db", "group", "json")
def find_twins(
    on: Invocation,
    type: Types = None,
    threshold: Annotated[
        float | None, option("--threshold", "SCORE", "0.65, or 0.95 to merge, if not given.")
    ] = None,
    apply: Annotated[bool, option("--apply", "Merge them, all or nothing.")] = False,
    *,
    upkeep: UpkeepRun,
) -> None:
    """Find concepts that are likely one thing, and propose the MERGE of each."""
    from recollect.servers.cli.maintenance import show_duplicates

    show_duplicates(on, upkeep, type or [], threshold, apply=apply)


@app.verb("orphans", "db", "group", "json")
def list_orphans(on: Invocation) -> None:
    """List concepts without links or domain, and declarations that nothing uses."""
    from recollect.servers.cli.maintenance import show_orphans

    show_orphans(on)
