"""The options and arguments that several commands take, each written once."""

from __future__ import annotations

from typing import Annotated

import typer

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
KeyType = Annotated[
    str | None, typer.Option("--type", metavar="TYPE", help="The type of a concept; with --name.")
]
KeyName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="The name of that concept.")
]
Valid = Annotated[
    str | None, typer.Option("--valid", metavar="INSTANT", help="Only what was true then.")
]
Known = Annotated[
    str | None, typer.Option("--known", metavar="INSTANT", help="As the memory stood then.")
]
AfterTransaction = Annotated[
    int | None,
    typer.Option("--transaction", metavar="N", min=0, help="As after the Nth transaction."),
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
Actor = Annotated[
    str | None,
    typer.Option("--actor", metavar="NAME", help="Who asks for it; stands in the log."),
]
RequestId = Annotated[
    str | None,
    typer.Option("--request-id", metavar="ID", help="What it is part of; stands in the log."),
]
FunctionsPlace = Annotated[
    str | None,
    typer.Option("--functions", metavar="MODULE:NAME", help="What models may call, in Python."),
]
Cursor = Annotated[
    str | None,
    typer.Option("--cursor", metavar="TOKEN", help="The next_cursor of the page before."),
]


def moment(
    valid: str | None, known: str | None, transaction: int | None
) -> dict[str, str | int | None]:
    """Return the point of both clocks that the options name."""
    if known is not None and transaction is not None:
        raise typer.BadParameter("give --known or --transaction, not both")
    return {"valid": valid, "known": known if transaction is None else transaction}
