"""The functions that a host gives its model, and the request object of a model's call, run.

Its one rule: the packaged files are the only source of the definitions, and the call is checked
against them. It comes from a model, so every part of it may be wrong and is answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Never, cast

from recollect.errors import INVALID_SYNTAX, RecollectError
from recollect.faces.kip.arguments import (
    refuse_unknown,
    require_choice,
    require_object,
    require_text,
)
from recollect.faces.kip.execute import execute_kip, execute_kip_readonly
from recollect.faces.kip.response import Response, failure
from recollect.kernel import Nexus

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
        raise RecollectError(
            INVALID_SYNTAX,
            f"{name} is not JSON: {why}",
            hint='pass a JSON object such as {"command": "DESCRIBE PRIMER"}',
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
