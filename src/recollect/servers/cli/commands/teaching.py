"""The commands that begin a memory and bring knowledge into it and out of it."""

from __future__ import annotations

from typing import Annotated, Literal

from recollect.servers.cli.options import DryRun, Invocation, argument, option
from recollect.servers.cli.usage import verbs
from recollect.servers.cli.wanted import ImportOptions

app = verbs()


ExportFormat = Literal["kip", "jsonl", "graphml", "turtle", "ntriples"]
"""What `export` writes."""


@app.verb("init", "place", "db", "group", "json")
def begin_memory(
    on: Invocation,
    with_: Annotated[
        str | None, option("--with", "NAMES", "Capsules to load, such as core,memory.")
    ] = None,
) -> None:
    """Create a memory, or check that it is there."""
    from recollect.servers.cli.manage import create_memory

    create_memory(on, [] if with_ is None else [one.strip() for one in with_.split(",")])


@app.verb("run", "param", "actor", "request_id", "db", "group", "json")
def run_text(
    on: Invocation,
    file: Annotated[str, argument("FILE", "A KIP text; - is standard input.")],
    each: Annotated[
        bool, option("--each", "Run each statement as a transaction of its own.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Run a KIP text, such as a capsule: all of it or nothing."""
    from recollect.servers.cli.given import parameters_of
    from recollect.servers.cli.run import run_file

    run_file(on, file, parameters_of(on.param), each=each, dry_run=dry_run)


@app.verb("export", "param", "as_of", "db", "group", "json")
def export_memory(
    on: Invocation,
    path: Annotated[str, argument("PATH", "A new file; - is standard output.")] = "-",
    format: Annotated[ExportFormat, option("--format", "What to write.")] = "kip",
    query: Annotated[
        str | None, option("--query", "TEXT", "Only what this FIND finds, and its ends.")
    ] = None,
) -> None:
    """Write what a group holds now, for another memory or another program."""
    from recollect.servers.cli.carry import Carried, write_out
    from recollect.servers.cli.given import parameters_of_query

    write_out(on, path, Carried(format, query, parameters_of_query(on.param, query)))


@app.verb("import", "actor", "request_id", "db", "group", "json")
def import_files(
    on: Invocation,
    files: Annotated[list[str], argument("FILE...", "Files; - is standard input.")],
    wanted: ImportOptions,
) -> None:
    """Take in files of KIP or of other programs, each all or nothing, and once."""
    from recollect.servers.cli.take_in import take_in_files

    take_in_files(on, files, wanted)


@app.verb("self", "actor", "request_id", "db", "group", "json")
def set_self(
    on: Invocation,
    role: Annotated[str | None, option("--role", "TEXT", "What the agent is.")] = None,
    objective: Annotated[
        list[str] | None, option("--objective", "TEXT", "What it wants. Repeat it for more.")
    ] = None,
    capability: Annotated[
        list[str] | None, option("--capability", "TEXT", "What it can do. Repeat it for more.")
    ] = None,
) -> None:
    """Show who the agent is, or tell it: DESCRIBE PRIMER begins with it."""
    from recollect.servers.cli.declare import tell_identity

    tell_identity(on, role, objective or None, capability or None)
