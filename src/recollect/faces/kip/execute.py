"""Runs KIP texts on a nexus and answers in KIP's response object.

The rule: whatever the text or the arguments, the answer is a response, not an exception. A request
has everything checked before anything runs: what holds a `KipRequest` need not look at its
arguments again.

With it the functions that a host gives its model, and the request object of a model's call, run:
the packaged files are the only source of the definitions, and the call is checked against them. It
comes from a model, so every part of it may be wrong and is answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Literal, Never, TypedDict, Unpack, cast, get_args

from recollect.errors import INVALID_SYNTAX, Notice, RecollectError, refused
from recollect.faces.kip.response import Format, Response, failure, success, with_warnings
from recollect.kernel import Nexus, Script, parse_text, read_as_of
from recollect.model import Answer, AsOf, Progress, Value, silent
from recollect.model.arguments import (
    json_kind,
    refuse_unknown,
    require_boolean,
    require_choice,
    require_list,
    require_object,
    require_text,
)
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


def require_nexus(value: object) -> None:
    """Refuse anything but an open memory."""
    if not isinstance(value, Nexus):
        raise refused(f"the nexus is {json_kind(value)}", 'pass recollect.open("memory.db")')


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


Run = Callable[[Nexus, KipRequest, Command], Answer]


def execute_kip(
    nexus: Nexus,
    command: str | Script | None = None,
    *,
    progress: Progress = silent,
    **given: Unpack[RunningArguments],
) -> Response:
    """Run a KIP text, or several, and return `{"result": ...}` or `{"error": ...}`.

    `command` is one text, or its tree from `parse`: however many statements it holds, all of it
    happens or none.
    `commands` are several, strings or `{"command", "parameters"}`: a transaction each, answered
    in order, stopping after a failed write. `parameters` give `$name` its value. `dry_run`
    reports what a write would do and keeps nothing. `as_of` (`{"valid", "known"}`) reads
    another time. `on_missing="error"` fails an UPSERT that names an absent target instead of
    skipping the link. `actor` and `request_id` are recorded with what is written. `progress` is
    told how far a large write is.
    KIP 1.0-draft3, "Request & Response".
    """
    return _answer(nexus, partial(_run, progress=progress), KipArguments(command, **given))


def answer_kip(
    nexus: Nexus,
    command: str | Script,
    *,
    progress: Progress = silent,
    **given: Unpack[RunningArguments],
) -> Answer:
    """Run a KIP text as `execute_kip` does, and return its answer as values.

    What `execute_kip` answers with an error is raised, with the text its place points into.
    """
    request = read_request(KipArguments(command, **given))
    asked = request.commands[0]
    try:
        return _run(nexus, request, asked, progress)
    except RecollectError as error:
        raise error.at(asked.text) from None


def execute_kip_readonly(
    nexus: Nexus, command: str | Script | None = None, **given: Unpack[ReadingArguments]
) -> Response:
    """Run a KIP text that only reads; one that writes is answered KIP_1001.

    The arguments and the response are those of `execute_kip`.
    """
    return _answer(nexus, _read, KipArguments(command, **given))


def _answer(nexus: Nexus, run: Run, given: KipArguments) -> Response:
    try:
        require_nexus(nexus)
        request = read_request(given)
    except RecollectError as error:
        return failure(error)
    if request.is_batch:
        return _answer_batch(nexus, run, request)
    return _answer_one(nexus, run, request, request.commands[0])


def _answer_batch(nexus: Nexus, run: Run, request: KipRequest) -> Response:
    responses: list[Response] = []
    for command in request.commands:
        responses.append(_answer_one(nexus, run, request, command))
        if "error" in responses[-1] and _stops(nexus, request, command):
            break
    left = len(request.commands) - len(responses)
    result = responses if request.form == "columns" else {"commands": responses}
    return with_warnings({"result": result}, _not_run(left))


def _answer_one(nexus: Nexus, run: Run, request: KipRequest, command: Command) -> Response:
    try:
        answer = run(nexus, request, command)
    except RecollectError as error:
        return failure(error.at(command.text))
    return success(answer, request.form)


def _run(
    nexus: Nexus, request: KipRequest, command: Command, progress: Progress = silent
) -> Answer:
    script = parse_text(command.text, nexus.limits) if command.script is None else command.script
    if script.is_read_only:
        return nexus.read(script, command.parameters, as_of=request.as_of)
    if request.as_of is not None:
        raise INVALID_SYNTAX.error(
            "as_of is given for a text that writes",
            "leave as_of out, or put the reads in a command of their own",
        )
    return nexus.write(
        script,
        command.parameters,
        dry_run=request.dry_run,
        on_missing=request.on_missing,
        actor=request.actor,
        request_id=request.request_id,
        progress=progress,
    )


def _read(nexus: Nexus, request: KipRequest, command: Command) -> Answer:
    text = command.text if command.script is None else command.script
    return nexus.read(text, command.parameters, as_of=request.as_of)


def _stops(nexus: Nexus, request: KipRequest, command: Command) -> bool:
    """Whether what comes after a command that failed may have relied on it.

    A text that cannot be parsed may have been meant to write; KIP 1.0-RC11 goes on after it.
    """
    try:
        return not parse_text(command.text, nexus.limits).is_read_only
    except RecollectError:
        return request.form != "columns"


def _not_run(left: int) -> tuple[Notice, ...]:
    if left == 0:
        return ()
    counted = "1 command was" if left == 1 else f"{left} commands were"
    notice = Notice(
        "not_run",
        f"{counted} not run after the failed write",
        hint="mend it and send the rest again",
    )
    return (notice,)


_NAMES = ("execute_kip", "execute_kip_readonly")


def tool_definitions() -> list[dict[str, object]]:
    """Return the function-calling definitions of `execute_kip` and `execute_kip_readonly`.

    Each is `{"type": "function", "function": {"name", "description", "parameters"}}`, with the
    parameters as JSON Schema. The caller may change what it gets.

    >>> [one["function"]["name"] for one in tool_definitions()]
    ['execute_kip', 'execute_kip_readonly']
    """
    return [cast(dict[str, object], json.loads(_definition(name))) for name in _NAMES]


@cache
def _definition(name: str) -> str:
    folder = files("recollect.faces.kip").joinpath("definitions")
    return folder.joinpath(f"{name}.json").read_text("utf-8")


_FUNCTIONS: Mapping[str, Callable[..., Response]] = {
    "execute_kip": execute_kip,
    "execute_kip_readonly": execute_kip_readonly,
}


def handle_tool_call(
    nexus: Nexus, call: Mapping[str, object], *, actor: str | None = None
) -> Response:
    """Run `{"id", "type": "function", "function": {"name", "arguments"}}` and answer it.

    `arguments` is an object or its JSON text; null in it means left out, and a member that the
    function's definition does not have is refused. The call's id is recorded as the request's,
    and `actor` is the host's word for who asks: a model cannot set either. KIP 1.0-draft3,
    "Request & Response".
    """
    try:
        request_id, name, arguments = _read_call(call)
    except RecollectError as error:
        return failure(error)
    return _FUNCTIONS[name](nexus, **arguments, actor=actor, request_id=request_id)


def _read_call(call: object) -> tuple[str | None, str, Mapping[str, object]]:
    members = require_object("the call", call)
    require_choice("type", members.get("type", "function"), ("function",))
    function = require_object("function", members.get("function"))
    name = require_choice("function.name", function.get("name"), tuple(_FUNCTIONS))
    arguments = _read_arguments(function.get("arguments"))
    refuse_unknown(name, arguments, _argument_names()[name])
    given = {key: value for key, value in arguments.items() if value is not None}
    request_id = members.get("id")
    return (None if request_id is None else require_text("id", request_id)), name, given


def _read_arguments(value: object) -> Mapping[str, object]:
    name = "function.arguments"
    if not isinstance(value, str):
        return require_object(name, value)
    try:
        decoded = json.loads(value, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise INVALID_SYNTAX.error(
            f"{name} is not JSON: {why}",
            'pass a JSON object such as {"command": "DESCRIBE PRIMER"}',
        ) from None
    return require_object(name, decoded)


def _refuse_constant(word: str) -> Never:
    raise ValueError(f"{word} is not a JSON value")


@cache
def _argument_names() -> Mapping[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for definition in tool_definitions():
        function = require_object("function", definition["function"])
        schema = require_object("parameters", function["parameters"])
        properties = require_object("properties", schema["properties"])
        names[require_text("name", function["name"])] = tuple(properties)
    return names
