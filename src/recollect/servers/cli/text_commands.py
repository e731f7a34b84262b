"""The commands about texts themselves, which need no memory."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.servers.cli.options import Database, GroupName, Json, Parameters


def check_texts(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="KIP texts; - is standard input.")
    ],
    param: Parameters = None,
    json: Json = False,
) -> None:
    """Examine KIP texts without running them: all that is wrong with them, at once."""
    from recollect.servers.cli.check import check_files
    from recollect.servers.cli.given import parameters_of

    check_files(files, parameters_of(param) if param else None, as_json=json)


def format_texts(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="KIP texts; - is standard input."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if one would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; show what would change.")
    ] = False,
    json: Json = False,
) -> None:
    """Lay out KIP texts in their files; standard input, or none, to standard output."""
    from recollect.servers.cli.format import format_files

    format_files(files or ["-"], check=check, diff=diff, as_json=json)


def serve_editor(db: Database = None, group: GroupName = None) -> None:
    """Serve an editor over standard input and output, as the language server of KIP."""
    from recollect.servers.cli.editor import serve

    serve(db, group)
