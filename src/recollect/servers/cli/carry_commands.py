"""The commands that carry knowledge between memories, and between them and other programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from recollect.servers.cli.options import (
    Actor,
    AfterTransaction,
    Database,
    GroupName,
    Json,
    Known,
    Parameters,
    RequestId,
    Valid,
    moment,
)


class ExportFormat(StrEnum):
    """What `export` writes."""

    KIP = "kip"
    JSONL = "jsonl"
    GRAPHML = "graphml"
    TURTLE = "turtle"
    NTRIPLES = "ntriples"


class ImportFormat(StrEnum):
    """What `import` reads."""

    AUTO = "auto"
    KIP = "kip"
    MCP_MEMORY = "mcp-memory"
    MEM0 = "mem0"
    GRAPHITI = "graphiti"
    CSV = "csv"
    JSONL = "jsonl"
    TURTLE = "turtle"
    NTRIPLES = "ntriples"


def export_memory(
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A new file; - is standard output.")
    ] = "-",
    format: Annotated[
        ExportFormat, typer.Option("--format", help="What to write.")
    ] = ExportFormat.KIP,
    query: Annotated[
        str | None,
        typer.Option("--query", metavar="TEXT", help="Only what this FIND finds, and its ends."),
    ] = None,
    param: Parameters = None,
    valid: Valid = None,
    known: Known = None,
    transaction: AfterTransaction = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Write what a group holds now, for another memory or another program."""
    from recollect.servers.cli.carry import export as write
    from recollect.servers.cli.given import parameters_of_query

    as_of = moment(valid, known, transaction)
    given = parameters_of_query(param, query)
    write(path, format.value, query, given, as_of, db, group, as_json=json)


def import_files(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files; - is standard input.")
    ],
    format: Annotated[
        ImportFormat, typer.Option("--format", help="What they are.")
    ] = ImportFormat.AUTO,
    type: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="Of things that a file gives no type.")
    ] = "Entity",
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="NAME", help="What it comes from; else the file's name."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would come in; keep nothing.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines that cannot be read.")
    ] = False,
    actor: Actor = None,
    request_id: RequestId = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Take in files of KIP or of other programs, each all or nothing, and nothing twice."""
    from recollect.servers.cli.take_in import Wanted, take_in_files

    wanted = Wanted(format.value, type, source, skip_bad, dry_run, actor, request_id)
    take_in_files(files, wanted, db, group, as_json=json)
