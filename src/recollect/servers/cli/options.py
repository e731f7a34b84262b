"""What every command is told besides its own words, and the options that say it, each once.

The rule: a command names the shared options it takes, and gets one `Invocation` for all of them.
Its own options are its parameters, or the fields of a dataclass that is one of its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Concatenate, Final, Literal, ParamSpec, cast, get_type_hints

import typer

from recollect.node import dataclass, field

ParamT = ParamSpec("ParamT")


def option(*words: str, **limits: Any) -> Any:  # noqa: ANN401 - as typer has it
    """Return an option: its names, what it takes unless it is a switch, and what it is for."""
    names = [one for one in words if one.startswith("-")]
    *taken, purpose = words[len(names) :]
    return typer.Option(*names, metavar=taken[0] if taken else None, help=purpose, **limits)


def argument(taken: str, purpose: str, **limits: Any) -> Any:  # noqa: ANN401 - as typer has it
    """Return an argument: what it takes, and what it is for."""
    return typer.Argument(metavar=taken, help=purpose, **limits)


AsOfGiven = Mapping[str, str | int | None]
Shared = Literal["param", "as_of", "place", "actor", "request_id", "db", "group", "json"]

Database = Annotated[str | None, option("--db", "PATH", "The memory to use; see: recollect where.")]
Place = Annotated[str | None, argument("DATABASE", "The memory to use; the same as --db.")]
GroupName = Annotated[str | None, option("--group", "NAME", "The group of the memory to use.")]
Json = Annotated[bool, option("--json", "Print the response as JSON on standard output.")]
Actor = Annotated[str | None, option("--actor", "NAME", "Who asks for it; kept in the log.")]
RequestId = Annotated[
    str | None, option("--request-id", "ID", "What it is part of; kept in the log.")
]
KeyType = Annotated[str | None, option("--type", "TYPE", "The type of a concept; with --name.")]
KeyName = Annotated[str | None, option("--name", "NAME", "The name of that concept.")]
Valid = Annotated[str | None, option("--valid", "INSTANT", "Only what was true then.")]
Known = Annotated[str | None, option("--known", "INSTANT", "As the memory stood then.")]
AfterTransaction = Annotated[
    int | None, option("--transaction", "N", "As after the Nth transaction.", min=0)
]
Parameters = Annotated[
    list[str] | None,
    option(
        "--param", "-p", "NAME=VALUE", "The value of $NAME: JSON, or else text. Repeat it for more."
    ),
]
FunctionsPlace = Annotated[
    str | None, option("--functions", "MODULE:NAME", "What models may call, in Python.")
]
Cursor = Annotated[str | None, option("--cursor", "TOKEN", "The next_cursor of the page before.")]
TokensFile = Annotated[Path | None, option("--tokens", "FILE", "The file of the tokens' hashes.")]
DryRun = Annotated[bool, option("--dry-run", "Show what would change, and change nothing.")]


def _option(name: str, annotation: object, default: object = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


_OPTIONS: Final[Mapping[Shared, tuple[Parameter, ...]]] = {
    "param": (_option("param", Parameters),),
    "as_of": (
        _option("valid", Valid),
        _option("known", Known),
        _option("transaction", AfterTransaction),
    ),
    "place": (_option("place", Place),),
    "actor": (_option("actor", Actor),),
    "request_id": (_option("request_id", RequestId),),
    "db": (_option("db", Database),),
    "group": (_option("group", GroupName),),
    "json": (_option("json", Json, False),),
}


@dataclass(frozen=True, slots=True)
class Invocation:
    """Which memory a command is about, who asks, and whether a program reads the answer."""

    database: str | None = None
    group: str | None = None
    actor: str | None = None
    request_id: str | None = None
    as_json: bool = False
    param: tuple[str, ...] = ()  # the values of the parameters of a text, as they are typed
    as_of: AsOfGiven = field(default_factory=dict)  # the point of both clocks that is read


def takes(
    *names: Shared,
) -> Callable[[Callable[Concatenate[Invocation, ParamT], None]], Callable[..., None]]:
    """Give a command the shared options, and its function one value for them, before its own.

    A parameter that is a dataclass is an option for each of its fields; what is not typed has the
    field's default.

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
        shared = [one for name in names for one in _OPTIONS[name]]
        parameters = [option for one in own for option in _options_of(one)] + shared
        values: dict[str, Any] = {
            one.name: one.annotation for one in own if is_dataclass(one.annotation)
        }

        def command(**given: object) -> None:
            on = _invocation({one.name: given.pop(one.name, None) for one in shared})
            for name, kind in values.items():
                typed = {one.name: given.pop(one.name, None) for one in fields(kind)}
                given[name] = kind(**{key: one for key, one in typed.items() if one is not None})
            run(on, **given)

        run, shown = cast("Callable[..., None]", function), cast("Any", command)
        shown.__signature__ = signature(function).replace(
            parameters=parameters, return_annotation=None
        )
        shown.__annotations__ = {one.name: one.annotation for one in parameters}
        shown.__name__, shown.__doc__ = function.__name__, function.__doc__
        return command

    return made


def _options_of(one: Parameter) -> Iterator[Parameter]:
    """Yield the options that a parameter stands for: itself, or the fields of its dataclass."""
    if not is_dataclass(one.annotation):
        yield one.replace(kind=Parameter.KEYWORD_ONLY)
        return
    types = get_type_hints(one.annotation, include_extras=True)
    for each in fields(one.annotation):
        default = Parameter.empty if each.default is MISSING else each.default
        yield _option(each.name, types[each.name], default)


def told(options: Any) -> dict[str, Any]:  # noqa: ANN401 - of any dataclass
    """Return the options of a dataclass that have a value, by name."""
    return {name: one for name, one in asdict(options).items() if one is not None}


def _invocation(given: Mapping[str, object]) -> Invocation:
    texts = cast("Mapping[str, str | None]", given)
    place, db = texts.get("place"), texts.get("db")
    if place is not None and db is not None:
        raise typer.BadParameter("name the memory once: DATABASE or --db")
    return Invocation(
        db if place is None else place,
        texts.get("group"),
        texts.get("actor"),
        texts.get("request_id"),
        bool(given.get("json")),
        tuple(cast("list[str] | None", given.get("param")) or ()),
        _moment(texts.get("valid"), texts.get("known"), given.get("transaction")),
    )


def _moment(valid: str | None, known: str | None, transaction: object) -> AsOfGiven:
    """Return the point of both clocks that the options name."""
    if known is not None and transaction is not None:
        raise typer.BadParameter("give --known or --transaction, not both")
    number = cast("int | None", transaction)
    return {"valid": valid, "known": known if number is None else number}
