"""The commands about KIP texts themselves, and the server of who edits them."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Database, GroupName, Invocation, argument, option
from recollect.servers.cli.usage import verbs

app = verbs()


@app.verb("check", "param", "json")
def check_texts(
    on: Invocation,
    files: Annotated[list[str], argument("FILE...", "KIP texts; - is standard input.")],
) -> None:
    """Examine KIP texts without running them: all that is wrong, at once."""
    from recollect.servers.cli.given import parameters_of
    from recollect.servers.cli.texts import check_files

    check_files(files, parameters_of(on.param) if on.param else None, as_json=on.as_json)


@app.verb("fmt", "json")
def format_texts(
    on: Invocation,
    files: Annotated[
        list[str] | None, argument("[FILE...]", "KIP texts; - is standard input.")
    ] = None,
    check: Annotated[bool, option("--check", "Write nothing; fail if one would change.")] = False,
    diff: Annotated[bool, option("--diff", "Write nothing; show what would change.")] = False,
) -> None:
    """Lay out KIP texts in their files; standard input, or none, to standard output."""
    from recollect.servers.cli.texts import format_files

    format_files(files or ["-"], check=check, diff=diff, as_json=on.as_json)


@app.command("lsp")
def serve_editor(db: Database = None, group: GroupName = None) -> None:
    """Serve an editor over standard input and output as a language server."""
    from recollect.servers.cli.texts import serve_editor

    serve_editor(Invocation(db, group))
