"""The commands and their options, one function each; the work is done in the modules beside.

A command imports what it needs inside its body, so that every command starts fast and help
and completion never load the kernel.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="recollect",
    help="A memory that learns, answers and corrects itself, in one file.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Database = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH", help="The memory to use; see: recollect where."),
]
Place = Annotated[
    str | None,
    typer.Argument(metavar="DATABASE", help="The memory to use; the same as --db."),
]
GroupName = Annotated[
    str | None, typer.Option("--group", metavar="NAME", help="The group of the memory to use.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print the response as JSON on standard output.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        "-p",
        metavar="NAME=VALUE",
        help="The value of $NAME: JSON, or else text. Repeat it for more.",
    ),
]


class Format(StrEnum):
    """How `--json` lays out the answer of FIND."""

    ROWS = "rows"
    COLUMNS = "columns"
    OBJECTS = "objects"


class What(StrEnum):
    """What `describe` describes."""

    PRIMER = "primer"
    DOMAINS = "domains"
    TYPES = "types"
    TYPE = "type"
    PREDICATES = "predicates"
    PREDICATE = "predicate"


class Kind(StrEnum):
    """What `search` looks for."""

    CONCEPT = "concept"
    PROPOSITION = "proposition"


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"recollect {version('recollect')}")
        except PackageNotFoundError:
            typer.echo("recollect, run from its sources")
        raise typer.Exit


@app.callback()
def _recollect(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """A memory that learns, answers and corrects itself, in one file."""


@app.command()
def init(
    database: Place = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Create a memory, or check that it is there."""
    from recollect.servers.cli.manage import init as start

    start(_one(database, db), group, as_json=json)


@app.command()
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A KIP text; - is standard input.")],
    db: Database = None,
    group: GroupName = None,
    param: Parameters = None,
    each: Annotated[
        bool, typer.Option("--each", help="Run each statement as a transaction of its own.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and keep nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Run a KIP text, such as a capsule: all of it or nothing."""
    from recollect.servers.cli.given import parameters_of
    from recollect.servers.cli.run import run_file

    run_file(file, parameters_of(param), db, group, each=each, dry_run=dry_run, as_json=json)


@app.command()
def query(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="A KIP text that reads; - is standard input.")
    ],
    db: Database = None,
    group: GroupName = None,
    param: Parameters = None,
    valid: Annotated[
        str | None, typer.Option("--valid", metavar="INSTANT", help="Only what was true then.")
    ] = None,
    known: Annotated[
        str | None, typer.Option("--known", metavar="INSTANT", help="As the memory stood then.")
    ] = None,
    transaction: Annotated[
        int | None,
        typer.Option("--transaction", metavar="N", min=0, help="As after the Nth transaction."),
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", help="The layout of rows with --json.")
    ] = Format.ROWS,
    json: Json = False,
) -> None:
    """Ask one question in KIP; it can change nothing."""
    from recollect.servers.cli.ask import query as answer
    from recollect.servers.cli.given import parameters_of

    if known is not None and transaction is not None:
        raise typer.BadParameter("give --known or --transaction, not both")
    moment = known if transaction is None else transaction
    as_of = {"valid": valid, "known": moment}
    answer(text, parameters_of(param), db, group, as_of, layout=format.value, as_json=json)


@app.command()
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The words to look for.")],
    db: Database = None,
    group: GroupName = None,
    type: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Only concepts of this type.")
    ] = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="Only concepts, or only propositions.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="At most so many.")] = 10,
    json: Json = False,
) -> None:
    """Find concepts and propositions by their words."""
    from recollect.servers.cli.ask import search as look_for

    look_for(text, kind.value if kind else None, type, limit, db, group, as_json=json)


@app.command()
def describe(
    what: Annotated[
        What,
        typer.Argument(
            metavar="WHAT", help="primer, domains, types, type, predicates or predicate."
        ),
    ] = What.PRIMER,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The type or the predicate.")
    ] = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show what the memory is about."""
    from recollect.servers.cli.ask import describe as tell

    if (what in (What.TYPE, What.PREDICATE)) != (name is not None):
        problem = "takes no name" if name else "needs a name"
        raise typer.BadParameter(f"describe {what.value} {problem}")
    tell(what.value, name, db, group, as_json=json)


@app.command()
def shell(
    database: Place = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Talk to a memory: history, colours, completion, many lines."""
    from recollect.servers.cli.shell.loop import talk

    talk(_one(database, db), group, as_json=json)


@app.command()
def stats(
    database: Place = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Count what the memory holds."""
    from recollect.servers.cli.manage import stats as count

    count(_one(database, db), group, as_json=json)


@app.command()
def where(
    database: Place = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Tell which memory would be used, and why."""
    from recollect.servers.cli.where import where as locate

    locate(_one(database, db), group, as_json=json)


@app.command()
def demo(
    db: Annotated[
        Path | None,
        typer.Option("--db", metavar="PATH", help="A new file to keep; else a temporary one."),
    ] = None,
    json: Json = False,
) -> None:
    """Build a memory of the world's countries and places, and put questions to it."""
    from recollect.servers.cli.demo.show import demonstrate

    demonstrate(db, as_json=json)


def _one(database: str | None, db: str | None) -> str | None:
    """Return the one way the database was named."""
    if database and db:
        raise typer.BadParameter("name the memory once: DATABASE or --db")
    return database or db


def main() -> None:
    """Run the command line."""
    app()
