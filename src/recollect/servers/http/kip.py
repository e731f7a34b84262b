"""KIP over HTTP: `POST /v1/kip`, `POST /v1/kip/readonly` and `GET /v1/changes`.

The rule: a body is the arguments of the function, an answer its response, and the status that of
the error's code; who writes is who the token says, and a body cannot say otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any, NotRequired, cast

from fastapi import APIRouter, Request, Response as Answer
from pydantic import Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from recollect.errors import CODES, RecollectError, refused
from recollect.faces.calls import DIGITS
from recollect.faces.kip import Response, handle_tool_call, read_changes
from recollect.faces.kip.changes import DEFAULT_LIMIT
from recollect.faces.kip.response import failure
from recollect.faces.operations import Observation
from recollect.faces.operations.envelope import checked, named_request, own_code
from recollect.kernel import Nexus
from recollect.model import LIVING
from recollect.node import dataclass
from recollect.servers.http.answers import as_json, status_of
from recollect.servers.http.calls import IN_QUERY, body_members, group_of, query_members
from recollect.servers.http.described import GROUP, parameters
from recollect.servers.http.face import Face, SharedParts, caller_of, request_id_of
from recollect.servers.http.kip_schemas import (
    CHANGES,
    CHANGES_EXAMPLE,
    FUNCTIONS,
    GET_CHANGES,
    KIP,
    MOST_CHANGES,
    OWN_MEMBERS,
    KipFunction,
    answered_by,
    asked_of,
    schemas,
)
from recollect.servers.http.metrics import observer

Handler = Callable[[Request], Awaitable[Answer]]


@with_config(IN_QUERY)
class GetChanges(TypedDict):
    """Which page of the changes feed is asked for."""

    since: NotRequired[Annotated[int, Field(ge=0, le=LIVING - 1), DIGITS]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=MOST_CHANGES), DIGITS]]


@dataclass(frozen=True, slots=True)
class AskedFunction:
    """A body: the arguments of a function, and whom they are about and from."""

    group: str | None
    actor: str | None
    arguments: Mapping[str, object]


def kip_face(shared: SharedParts) -> Face:
    """Return the face: a route for each function."""
    router = APIRouter(tags=["kip"])
    for function in FUNCTIONS:
        router.add_api_route(
            function.path,
            _handler(shared, function),
            methods=["POST"],
            operation_id=function.name,
            summary=function.summary,
            response_class=Answer,
            responses=answered_by("KipResponse", function.answer),
            openapi_extra=asked_of(function),
        )
    return Face(KIP, router, schemas(), tell=_failed)


def changes_face(shared: SharedParts) -> Face:
    """Return the face: the change log of a group, a page at a time."""
    router = APIRouter(tags=["kip"])
    adapter: TypeAdapter[object] = TypeAdapter(GetChanges)

    async def changes(request: Request) -> Answer:
        given = cast("GetChanges", checked(adapter, query_members(request)))
        since, limit = given.get("since", 0), given.get("limit", DEFAULT_LIMIT)
        group = group_of(request, shared)

        def done() -> tuple[str, Response]:
            return group, _done(shared, group, lambda nexus: read_changes(nexus, since, limit))

        return await _answered(shared, request, GET_CHANGES, done)

    router.add_api_route(
        CHANGES,
        changes,
        methods=["GET"],
        operation_id=GET_CHANGES,
        summary="What transactions did to a group, oldest first",
        response_class=Answer,
        responses=answered_by("ChangesResponse", CHANGES_EXAMPLE),
        openapi_extra={"parameters": [GROUP, *parameters(adapter, {"since": 16, "limit": 100})]},
    )
    return Face(CHANGES, router, tell=_failed)


def _handler(shared: SharedParts, function: KipFunction) -> Handler:
    async def answer(request: Request) -> Answer:
        body = await request.body()

        def done() -> tuple[str, Response]:
            asked = _read(request, body)
            group = group_of(request, shared, asked.group)
            actor = caller_of(request).acting_as(asked.actor)
            call = {
                "id": request_id_of(request),
                "function": {"name": function.function, "arguments": asked.arguments},
            }
            work = partial(handle_tool_call, call=call, actor=actor)
            return group, _done(shared, group, work)

        return await _answered(shared, request, function.name, done)

    return answer


def _read(request: Request, body: bytes) -> AskedFunction:
    """Return what a body asks for; from here on the request is known by the id in it."""
    members = dict(body_members(body))
    group, actor, named = (members.pop(name, None) for name in OWN_MEMBERS)
    if named is not None:
        request.state.request_id = named_request(named)
    return AskedFunction(_text("group_id", group), _text("actor", actor), members)


def _text(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise refused(f"{name} is not a string", f"leave out {name}")


def _done(shared: SharedParts, group: str, work: Callable[[Nexus], Response]) -> Response:
    """Return what some work on a group answers."""
    try:
        nexus = shared.service.nexus.group(group)
    except RecollectError as error:
        return failure(error)
    return work(nexus)


async def _answered(
    shared: SharedParts, request: Request, name: str, done: Callable[[], tuple[str, Response]]
) -> Answer:
    """Return the answer of what is done in a thread for a group, counted and logged."""
    started = time.monotonic()
    group, response = await shared.threads.run(done)
    request_id = request_id_of(request)
    error = cast("Mapping[str, Any] | None", response.get("error"))
    code = None if error is None else CODES[error["code"]]
    own = None if code is None else own_code(code)
    observer(shared.metrics)(
        Observation(
            operation=name,
            request_id=request_id,
            groups=(group,),
            status="OK" if code is None else "ERROR",
            error_code=None if own is None else own.code,
            seconds=time.monotonic() - started,
            cause=None if code is None or code is own else code.code,
        )
    )
    return as_json(response, request_id, 200 if code is None else status_of(code.code))


def _failed(_: str, error: RecollectError) -> Response:
    return failure(error)
