"""Claims over HTTP: `/v1/claims`, `/v1/attention` and `GET /api/search`. Specification 002.

The rule: which group is asked is settled before anything of it is looked up, and the answer is the
envelope of the operations, except that a search answers with its results alone.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from fastapi import APIRouter, Request, Response
from pydantic import TypeAdapter
from pydantic_core import from_json

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.operations import Caller, Envelope, Observation
from recollect.faces.operations.envelope import checked, code_of, failure, success
from recollect.servers.http.answers import as_json
from recollect.servers.http.claim_calls import CALLS, CLAIMS, SEARCH, Call, signed
from recollect.servers.http.claim_inputs import Search
from recollect.servers.http.claim_schemas import (
    GROUP,
    answered_by,
    asked_of,
    parameters,
    schemas,
)
from recollect.servers.http.claim_search import FOUND, search
from recollect.servers.http.face import Face, Shared, caller_of, request_id_of
from recollect.servers.http.operations import told
from recollect.servers.http.watching import observer

Handler = Callable[[Request], Awaitable[Response]]
Members = Mapping[str, object]

_GROUP = "group_id"
_LISTS = frozenset({"status"})
"""What a query may name more than once."""


def claims_face(shared: Shared) -> Face:
    """Return the face: a route for each call."""
    router = APIRouter(tags=["claims"])
    for call in CALLS:
        _add(router, shared, call)
    return Face(CLAIMS, router, schemas())


def search_face(shared: Shared) -> Face:
    """Return the face: one search over all that a group holds."""
    router = APIRouter(tags=["search"])
    adapter: TypeAdapter[object] = TypeAdapter(Search)

    async def answer(request: Request) -> Response:
        caller = caller_of(request)

        def run(group: str, given: Members) -> Members:
            return search(shared.service, caller, group, cast("Search", given))

        envelope = await _done(shared, request, SEARCH, adapter, run)
        if "error" in envelope:
            return told(envelope)
        return as_json(envelope["output"], envelope["request_id"])

    router.add_api_route(
        "/api/search",
        answer,
        methods=["GET"],
        operation_id=SEARCH,
        summary="Search among claims, facts or concepts",
        response_class=Response,
        responses=answered_by("Found"),
        openapi_extra={
            "parameters": [GROUP, *parameters(adapter, {"q": "saga", "type": "knowledge"})]
        },
    )
    return Face("/api/search", router, {"Found": FOUND})


def group_of(request: Request, shared: Shared, field: str | None = None) -> str:
    """Return the group a request is about: the one it names, else the only one of its bearer.

    It is named in the query, or by the field of a body.

    PERMISSION_DENIED for a group that is not the caller's, whether it is there or not;
    INVALID_ARGUMENT where none is named and the caller has several.
    """
    caller = caller_of(request)
    named = request.query_params.getlist(_GROUP) + ([] if field is None else [field])
    if len(named) > 1:
        raise RecollectError(INVALID_ARGUMENT, "group_id is named twice", hint="name one group")
    group = named[0] if named else _own_group(caller, shared.service.nexus.group_name)
    caller.check([group])
    return group


def _own_group(caller: Caller, standing: str) -> str:
    if caller.groups is None:
        return standing
    if len(caller.groups) == 1:
        (group,) = caller.groups
        return group
    raise RecollectError(
        INVALID_ARGUMENT,
        "the token is valid for several groups, and none is named",
        hint=f"add ?{_GROUP}={min(caller.groups)}",
    )


def _add(router: APIRouter, shared: Shared, call: Call) -> None:
    async def answer(request: Request) -> Response:
        caller = caller_of(request)

        def run(group: str, given: Members) -> Members:
            return call.run(shared.service.nexus.group(group), signed(given, caller))

        return told(await _done(shared, request, call.name, call.given, run))

    router.add_api_route(
        call.path,
        answer,
        methods=[call.method],
        operation_id=call.name,
        summary=call.summary,
        response_class=Response,
        responses=answered_by(f"{call.name}Response"),
        openapi_extra=asked_of(call),
    )


async def _done(
    shared: Shared,
    request: Request,
    name: str,
    adapter: TypeAdapter[object],
    run: Callable[[str, Members], Members],
) -> Envelope:
    """Return the envelope of a call, after it was counted and logged."""
    request_id, started = request_id_of(request), time.monotonic()
    groups: tuple[str, ...] = ()
    error_code = cause = None
    try:
        group = group_of(request, shared)
        groups = (group,)
        body = b"" if request.method == "GET" else await request.body()

        def work() -> Members:
            members = query_members(request) if request.method == "GET" else body_members(body)
            return run(group, cast("Members", checked(adapter, members)))

        envelope = success(request_id, "OK", await shared.threads.run(work))
    except RecollectError as error:
        envelope = failure(request_id, error)
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


def query_members(request: Request) -> Members:
    """Return the fields in a query; a list that is named without a value is empty."""
    given = request.query_params
    found: dict[str, object] = {}
    for name in given:
        values = given.getlist(name)
        if name in _LISTS:
            found[name] = [one for one in values if one]
        elif name != _GROUP and len(values) > 1:
            raise RecollectError(
                INVALID_ARGUMENT, f"{name[:60]} is named twice", hint="name it once"
            )
        elif name != _GROUP:
            found[name] = values[0]
    return found


def body_members(body: bytes) -> Members:
    """Return the fields in a body; INVALID_ARGUMENT if it is not an object."""
    try:
        members: Any = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise RecollectError(
            INVALID_ARGUMENT, f"the body is not JSON: {error}", hint="send an object"
        ) from error
    if not isinstance(members, dict):
        raise RecollectError(INVALID_ARGUMENT, "the body is not an object", hint="send an object")
    return cast("Members", members)
