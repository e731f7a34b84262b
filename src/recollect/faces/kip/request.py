"""A request with everything checked before anything runs.

Its one rule: what holds a `KipRequest` need not look at its arguments again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, cast, get_args

from recollect.errors import INVALID_SYNTAX
from recollect.faces.kip.arguments import (
    read_as_of,
    refuse_unknown,
    require_boolean,
    require_choice,
    require_list,
    require_object,
    require_text,
)
from recollect.faces.kip.response import Format
from recollect.kernel import Script
from recollect.model import AsOf, Value
from recollect.node import dataclass

OnMissing = Literal["skip", "error"]
"""What UPSERT does with a SET PROPOSITIONS target that is not in the graph."""

_MEMBERS = ("command", "parameters")


@dataclass(frozen=True, slots=True)
class Command:
    """One text to run in a transaction of its own, with the values of its placeholders."""

    text: str
    parameters: Mapping[str, Value]
    script: Script | None = None  # its tree, where the caller has it


@dataclass(frozen=True, slots=True)
class KipRequest:
    """The commands of one request and how to run them."""

    commands: tuple[Command, ...]
    is_batch: bool
    as_of: AsOf | None
    form: Format
    dry_run: bool
    on_missing: OnMissing
    actor: str | None
    request_id: str | None


class ReadingArguments(TypedDict, total=False):
    """The arguments of a call that only reads, by name, beside its one text."""

    commands: Sequence[str | Mapping[str, object]] | None
    parameters: Mapping[str, Value] | None
    as_of: AsOf | Mapping[str, object] | None
    format: Format
    actor: str | None
    request_id: str | None


class RunningArguments(ReadingArguments, total=False):
    """The arguments of a call that may write, by name, beside its one text."""

    dry_run: bool
    on_missing: OnMissing


@dataclass(frozen=True, slots=True)
class KipArguments:
    """The arguments of a call as they come: of whatever types."""

    command: object
    commands: object = None
    parameters: object = None
    as_of: object = None
    format: object = "rows"
    dry_run: object = False
    on_missing: object = "skip"
    actor: object = None
    request_id: object = None


def read_request(given: KipArguments) -> KipRequest:
    """Return the request these arguments make; a wrong one raises KIP_1001 or KIP_2003."""
    shared = _parameters(given.parameters)
    missing = require_choice("on_missing", given.on_missing, get_args(OnMissing))
    actor, request_id = given.actor, given.request_id
    return KipRequest(
        commands=_commands(given.command, given.commands, shared),
        is_batch=given.commands is not None,
        as_of=read_as_of(given.as_of),
        form=cast(Format, require_choice("format", given.format, get_args(Format))),
        dry_run=require_boolean("dry_run", given.dry_run),
        on_missing=cast(OnMissing, missing),
        actor=None if actor is None else require_text("actor", actor),
        request_id=None if request_id is None else require_text("request_id", request_id),
    )


def _commands(
    command: object, commands: object, shared: Mapping[str, Value]
) -> tuple[Command, ...]:
    if command is not None and commands is not None:
        raise INVALID_SYNTAX.error(
            "command and commands are both given",
            "pass one text as command, or several as commands",
        )
    if commands is not None:
        items = require_list("commands", commands)
        if not items:
            raise INVALID_SYNTAX.error("commands is empty", 'pass commands ["DESCRIBE PRIMER"]')
        return tuple(_item(f"commands[{at}]", one, shared) for at, one in enumerate(items))
    if command is None:
        raise INVALID_SYNTAX.error(
            "neither command nor commands is given", "pass the KIP text as command"
        )
    if isinstance(command, Script):
        return (Command(command.source, shared, command),)
    return (Command(require_text("command", command), shared),)


def _item(name: str, value: object, shared: Mapping[str, Value]) -> Command:
    if isinstance(value, str):
        return Command(value, shared)
    members = require_object(name, value)
    refuse_unknown(name, members, _MEMBERS)
    text = require_text(f"{name}.command", members.get("command"))
    own = _parameters(members.get("parameters"), f"{name}.parameters")
    return Command(text, {**shared, **own})


def _parameters(value: object, name: str = "parameters") -> Mapping[str, Value]:
    if value is None:
        return {}
    return cast(Mapping[str, Value], require_object(name, value))
