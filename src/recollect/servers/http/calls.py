"""The calls of the faces over HTTP: the one router, and a route for each call of a class.

The rule: nothing of a call is written here. A GET reads its fields in the query, another method in
the body, and what stands in the path comes from there; the answer is the operations'
envelope. Which group is asked is settled before anything of it is looked up.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from functools import cache, partial, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, NotRequired, Protocol, Union, cast, get_args, get_origin

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, TypeAdapter, with_config
from pydantic_core import from_json
from typing_extensions import TypedDict, is_typeddict

from recollect.errors import RecollectError, in_words, refused
from recollect.faces.calls import Call, calls_of
from recollect.faces.operations import Caller, Envelope, Observation
from recollect.faces.operations.envelope import checked, code_of, failure, success
from recollect.kernel import Nexus
from recollect.servers.http.answers import enveloped_answer, own_hint
from recollect.servers.http.described import (
    GROUP,
    Schema,
    answered_by,
    enveloped,
    input_schema,
    parameters,
    reference,
    value_schemas,
)
from recollect.servers.http.face import Face, SharedParts, caller_of, request_id_of
from recollect.servers.http.metrics import observer

Make = Callable[[Nexus, Caller], object]
"""Makes the object whose methods are the calls, for one group and whoever asks."""

Answer = Callable[[SharedParts, Request], Awaitable[Envelope]]
"""Does what a request asks."""

Members = Mapping[str, object]

IN_QUERY = ConfigDict(extra="forbid")  # there a number is written as text
IN_BODY = ConfigDict(extra="forbid", strict=True)

_GROUP = "group_id"
_QUERIED = ("GET", "DELETE")
"""The methods whose inputs stand in the query."""


def call_face(
    shared: SharedParts,
    prefix: str,
    face: type,
    make: Make,
    *,
    tag: str | None = None,
    is_strict: bool = False,
) -> Face:
    """Return a face: a route below the prefix for each call of its class.

    With `is_strict` a value in a body must be of its type already.
    """
    routes = [(one, partial(one.answer, make)) for one in _routes(face, is_strict)]
    return routed(shared, prefix, tag or prefix.rpartition("/")[2], routes)


class ServedRoute(Protocol):
    """A call over HTTP: where it is, and what OpenAPI tells of it."""

    name: str
    method: str
    path: str
    summary: str

    asked: Schema
    """What OpenAPI tells of the fields of the call."""

    answers: dict[int | str, Schema]
    """What it tells of the answers."""

    schemas: Mapping[str, Mapping[str, object]]
    """The schemas that these words refer to, by name."""


Routes = Iterable[tuple[ServedRoute, Answer]]
"""Each with what answers its requests."""


def routed(shared: SharedParts, prefix: str, tag: str, routes: Routes) -> Face:
    """Return a face with these routes below a prefix."""
    router = APIRouter(tags=[tag])
    schemas: dict[str, Mapping[str, object]] = {}
    for route, answer in routes:
        schemas |= route.schemas
        router.add_api_route(
            "/".join(part for part in (prefix, _pattern(route.path)) if part),
            answering(shared, answer),
            methods=[route.method],
            operation_id=route.name,
            summary=route.summary,
            response_class=Response,
            responses=route.answers,
            openapi_extra=route.asked,
        )
    return Face(prefix, router, schemas)


def answering(shared: SharedParts, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """Return what a router calls for a request that is answered with an envelope."""

    async def answered_request(request: Request) -> Response:
        return enveloped_answer(await answer(shared, request))

    return answered_request


@cache
def _routes(face: type, is_strict: bool) -> tuple[_CallRoute, ...]:
    """Return the calls of a class, once for all applications: their schemas take a while."""
    return tuple(_CallRoute(one, is_strict=is_strict) for one in calls_of(face))


class _CallRoute:
    """A call, and what checks the fields it is given."""

    def __init__(self, call: Call, *, is_strict: bool) -> None:
        self.call = call
        self.name, self.path = call.name, call.path
        self.method: str = call.method
        self.summary = call.description.rstrip(".")
        self.in_query = call.method in _QUERIED
        kinds = {
            name: _never_null(kind) if self.in_query else kind for name, kind in call.inputs.items()
        }
        members = {
            name: kind if name in call.required else NotRequired[kind]
            for name, kind in kinds.items()
        }
        config = IN_BODY if is_strict and not self.in_query else IN_QUERY
        made = cast("Any", TypedDict)(call.name, members)
        made.__doc__ = call.description
        self.adapter: TypeAdapter[object] = TypeAdapter(with_config(config)(made))
        self.lists = frozenset(name for name, kind in kinds.items() if get_origin(kind) in _LISTS)
        self.asked, self.schemas = self._asked(), self._schemas()
        self.answers = answered_by(f"{self.name}Response")

    def _asked(self) -> Schema:
        """Return the fields in the query and the path, or in the path and the body."""
        call = self.call
        fields = parameters(self.adapter, call.example, call.placed)
        if self.in_query:
            return {"parameters": [GROUP, *fields]}
        example = {name: value for name, value in call.example.items() if name not in call.placed}
        content = {"schema": reference(f"{call.name}Request"), "example": example}
        body = {"required": True, "content": {"application/json": content}}
        in_path = [one for one in fields if one["in"] == "path"]
        return {"parameters": [GROUP, *in_path], "requestBody": body}

    def _schemas(self) -> Mapping[str, Mapping[str, object]]:
        """Return the schemas that OpenAPI's words for the call refer to, by name."""
        call, made = self.call, dict[str, Mapping[str, object]]()
        output: Schema = {"type": "object"}
        if is_typeddict(call.output) or is_dataclass(call.output):
            made |= value_schemas(call.output)
            output = reference(call.output.__name__)
        made[f"{call.name}Response"] = enveloped(output)
        if not self.in_query:
            body = input_schema(self.adapter)
            for name in call.placed:
                del body["properties"][name]
            required = [one for one in body.get("required", ()) if one not in call.placed]
            made[f"{call.name}Request"] = {**body, "required": required}
        return made

    async def answer(self, make: Make, shared: SharedParts, request: Request) -> Envelope:
        """Make the call on the group of the request."""
        caller, request_id = caller_of(request), request_id_of(request)

        def work(group: str, body: bytes) -> Members:
            given = cast("Mapping[str, Any]", checked(self.adapter, self.members(request, body)))
            nexus = shared.service.nexus.group(group, request_id=request_id)
            done = getattr(make(nexus, caller), self.call.function)(**given)
            return cast("Members", _wired(done))

        return await answered(shared, request, self.name, work)

    def members(self, request: Request, body: bytes) -> Members:
        """Return the fields a call is given, wherever they stand."""
        given = dict(
            query_members(request, self.lists) if self.in_query else body_members(body or b"{}")
        )
        for name in self.call.placed:
            if name in given:
                problem = f"{name} stands in the path and among the fields"
                raise refused(problem, "give it in the path alone")
            given[name] = request.path_params[name]
        return given


async def answered(
    shared: SharedParts, request: Request, name: str, work: Callable[[str, bytes], Members]
) -> Envelope:
    """Return the envelope of work on a group and a body, after it was counted and logged."""
    request_id, started = request_id_of(request), time.monotonic()
    groups: tuple[str, ...] = ()
    error_code = cause = None
    try:
        group = group_of(request, shared)
        groups = (group,)
        body = b"" if request.method in _QUERIED else await request.body()
        output = await shared.threads.run(lambda: work(group, body))
        envelope = success(request_id, "OK", output)
    except RecollectError as error:
        envelope = failure(request_id, in_words(error, own_hint))
        error_code, cause = code_of(error).code, error.code.code
    observer(shared.metrics)(
        Observation(
            operation=name,
            request_id=request_id,
            groups=groups,
            status=envelope["status"],
            error_code=error_code,
            seconds=time.monotonic() - started,
            cause=None if cause == error_code else cause,
        )
    )
    return envelope


def group_of(request: Request, shared: SharedParts, field: str | None = None) -> str:
    """Return the group a request is about: the one it names, else the only one of its bearer.

    It is named in the query, or by the field of a body.

    PERMISSION_DENIED for a group that is not the caller's, whether it is there or not;
    INVALID_ARGUMENT where none is named and the caller has several.
    """
    caller = caller_of(request)
    named = request.query_params.getlist(_GROUP) + ([] if field is None else [field])
    if len(named) > 1:
        raise refused("group_id is named twice", "name one group")
    group = named[0] if named else _own_group(caller, shared.service.nexus.group_name)
    caller.check([group])
    return group


def _own_group(caller: Caller, standing: str) -> str:
    if caller.groups is None:
        return standing
    if len(caller.groups) == 1:
        (group,) = caller.groups
        return group
    raise refused(
        "the token is valid for several groups, and none is named",
        f"add ?{_GROUP}={min(caller.groups)}",
    )


def query_members(request: Request, lists: frozenset[str] = frozenset()) -> Members:
    """Return the fields in a query; a list that is named without a value is empty."""
    given = request.query_params
    found: dict[str, object] = {}
    for name in given:
        values = given.getlist(name)
        if name in lists:
            found[name] = [one for one in values if one]
        elif name != _GROUP and len(values) > 1:
            raise refused(f"{name[:60]} is named twice", "name it once")
        elif name != _GROUP:
            found[name] = values[0]
    return found


def body_members(body: bytes) -> Members:
    """Return the fields in a body; INVALID_ARGUMENT if it is not an object."""
    try:
        members: Any = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise refused(f"the body is not JSON: {error}", "send an object") from error
    if not isinstance(members, dict):
        raise refused("the body is not an object", "send an object")
    return cast("Members", members)


def _pattern(path: str) -> str:
    """Return a path as the router has it: what ends it may hold any character."""
    return f"{path[:-1]}:path}}" if path.endswith("}") else path


def _wired(value: object) -> object:
    """Return an output as JSON has it: a value by the names of its fields."""
    match value:
        case Mapping():
            return {name: _wired(one) for name, one in value.items()}
        case list() | tuple():
            return [_wired(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _never_null(kind: Any) -> Any:  # noqa: ANN401 - a type
    """Return a type without null, which nobody can write in a query."""
    if get_origin(kind) in (Union, UnionType):
        return reduce(or_, (one for one in get_args(kind) if one is not NoneType))
    return kind


_LISTS = (list, tuple, Sequence)
