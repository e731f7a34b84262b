"""What every command is told besides its own words, and the options that say it, each once.

The rule: a command names the shared options it takes, and gets one `Invocation` for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Concatenate, Final, Literal, ParamSpec, cast

import typer

ParamT = ParamSpec("ParamT")

Shared = Literal["place", "actor", "request_id", "db", "group", "json"]

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
Actor = Annotated[
    str | None,
    typer.Option("--actor", metavar="NAME", help="Who asks for it; kept in the log."),
]
RequestId = Annotated[
    str | None,
    typer.Option("--request-id", metavar="ID", help="What it is part of; kept in the log."),
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
FunctionsPlace = Annotated[
    str | None,
    typer.Option("--functions", metavar="MODULE:NAME", help="What models may call, in Python."),
]
Cursor = Annotated[
    str | None,
    typer.Option("--cursor", metavar="TOKEN", help="The next_cursor of the page before."),
]
TokensFile = Annotated[
    Path | None,
    typer.Option("--tokens", metavar="FILE", help="The file of the tokens' hashes."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
]

_OPTIONS: Final[Mapping[Shared, tuple[object, object]]] = {
    "place": (Place, None),
    "actor": (Actor, None),
    "request_id": (RequestId, None),
    "db": (Database, None),
    "group": (GroupName, None),
    "json": (Json, False),
}


@dataclass(frozen=True, slots=True)
class Invocation:
    """Which memory a command is about, who asks, and whether a program reads the answer."""

    database: str | None = None
    group: str | None = None
    actor: str | None = None
    request_id: str | None = None
    as_json: bool = False


def takes(
    *names: Shared,
) -> Callable[[Callable[Concatenate[Invocation, ParamT], None]], Callable[..., None]]:
    """Give a command the shared options, and its function one value for them, before its own.

    >>> @takes("db", "json")
    ... def count(on: Invocation, *, limit: int = 3) -> None:
    ...     print(on.database, on.as_json, limit)
    >>> count(db="m.db", json=True, limit=2)
    m.db True 2
    >>> list(signature(count).parameters)
    ['limit', 'db', 'json']
    """

    def made(function: Callable[Concatenate[Invocation, ParamT], None]) -> Callable[..., None]:
        _, *own = signature(function, eval_str=True).parameters.values()
        shared = [_parameter(name, *_OPTIONS[name]) for name in names]
        parameters = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in own] + shared

        def command(**given: object) -> None:
            on = _invocation({name: given.pop(name, None) for name in names})
            run(on, **given)

        run, told = cast("Callable[..., None]", function), cast("Any", command)
        told.__signature__ = signature(function).replace(
            parameters=parameters, return_annotation=None
        )
        told.__annotations__ = {one.name: one.annotation for one in parameters}
        told.__name__, told.__doc__ = function.__name__, function.__doc__
        return command

    return made


def moment(
    valid: str | None, known: str | None, transaction: int | None
) -> dict[str, str | int | None]:
    """Return the point of both clocks that the options name."""
    if known is not None and transaction is not None:
        raise typer.BadParameter("give --known or --transaction, not both")
    return {"valid": valid, "known": known if transaction is None else transaction}


def _parameter(name: str, annotation: object, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _invocation(given: Mapping[Shared, object]) -> Invocation:
    texts = cast("Mapping[Shared, str | None]", given)
    place, db = texts.get("place"), texts.get("db")
    if place is not None and db is not None:
        raise typer.BadParameter("name the memory once: DATABASE or --db")
    return Invocation(
        db if place is None else place,
        texts.get("group"),
        texts.get("actor"),
        texts.get("request_id"),
        bool(given.get("json")),
    )
