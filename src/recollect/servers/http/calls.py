"""The calls of a face over HTTP: a route for each, made from the class that has them.

The rule: nothing of a call is written here. A GET reads its fields in the query, another method in
the body, and what stands in the path comes from there; the answer is the operations'
envelope.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.calls import Call, calls_of
from recollect.faces.operations import Caller, Observation
from recollect.faces.operations.envelope import checked, code_of, failure, success
from recollect.kernel import Nexus
from recollect.servers.http.claim_schemas import GROUP, answered_by
from recollect.servers.http.claims import body_members, group_of, query_members
from recollect.servers.http.face import Face, Shared, caller_of, request_id_of
from recollect.servers.http.operations import told
from recollect.servers.http.schemas import PLACE
from recollect.servers.http.watching import observer

Make = Callable[[Nexus, Caller], object]
"""Makes the object whose methods are the calls, for one group and whoever asks."""

_IN_QUERY = ("GET", "DELETE")
"""The methods whose inputs stand in the query."""

_OUTPUT = {
    "type": "object",
    "properties": {
        "request_id": {"type": "string"},
        "status": {"const": "OK"},
        "output": {"type": "object"},
    },
    "required": ["request_id", "status", "output"],
    "additionalProperties": False,
}


def call_face(shared: Shared, prefix: str, face: type, make: Make) -> Face:
    """Return a face: a route below the prefix for each call of its class."""
    tag = prefix.rpartition("/")[2]
    router = APIRouter(tags=[tag])
    schemas: dict[str, Mapping[str, object]] = {}
    for call in calls_of(face):
        schemas |= _add(router, shared, prefix, call, make)
    return Face(prefix, router, schemas)


def _add(
    router: APIRouter, shared: Shared, prefix: str, call: Call, make: Make
) -> Mapping[str, Mapping[str, object]]:
    model = _input(call)
    adapter = cast("TypeAdapter[object]", TypeAdapter(model))

    async def answer(request: Request) -> Response:
        return await _answered(shared, request, call, adapter, make)

    answered = f"{call.name}Response"
    router.add_api_route(
        f"{prefix}/{_pattern(call.path)}",
        answer,
        methods=[call.method],
        operation_id=call.name,
        summary=call.description.rstrip("."),
        response_class=Response,
        responses=answered_by(answered),
        openapi_extra=_asked(call, model),
    )
    return {answered: _OUTPUT}


def _input(call: Call) -> type[BaseModel]:
    """Return the class that checks what a call is given."""
    members: dict[str, Any] = {
        name: (kind, ...) if name in call.required else (kind, None)
        for name, kind in call.inputs.items()
    }
    return create_model(call.name, __config__=ConfigDict(extra="forbid"), **members)


def _pattern(path: str) -> str:
    """Return a path as the router has it: what ends it may hold any character."""
    return f"{path[:-1]}:path}}" if path.endswith("}") else path


def _asked(call: Call, model: type[BaseModel]) -> dict[str, Any]:
    """Return what OpenAPI tells of the fields of a call."""
    schema = model.model_json_schema(ref_template=PLACE)
    properties = cast("dict[str, Any]", schema.get("properties", {}))
    parameters: list[Mapping[str, object]] = [GROUP]
    in_path = {name: properties.pop(name) for name in call.placed}
    parameters += (_parameter(call, "path", name, one) for name, one in in_path.items())
    if call.method in _IN_QUERY:
        parameters += (_parameter(call, "query", name, one) for name, one in properties.items())
        return {"parameters": parameters}
    required = [one for one in schema.get("required", []) if one not in call.placed]
    body = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    example = {name: value for name, value in call.example.items() if name not in call.placed}
    content = {"application/json": {"schema": body, "example": example}}
    return {"parameters": parameters, "requestBody": {"required": True, "content": content}}


def _parameter(call: Call, place: str, name: str, schema: object) -> Mapping[str, object]:
    example = {"example": call.example[name]} if name in call.example else {}
    return {
        "name": name,
        "in": place,
        "required": name in call.required,
        "schema": schema,
        **example,
    }


async def _answered(
    shared: Shared, request: Request, call: Call, adapter: TypeAdapter[object], make: Make
) -> Response:
    """Answer one call, after it was counted and logged."""
    request_id, started = request_id_of(request), time.monotonic()
    groups: tuple[str, ...] = ()
    error_code = cause = None
    try:
        caller, group = caller_of(request), group_of(request, shared)
        groups = (group,)
        body = b"" if call.method in _IN_QUERY else await request.body()

        def run() -> Mapping[str, object]:
            given = cast("BaseModel", checked(adapter, _members(request, call, body)))
            named = {name: getattr(given, name) for name in given.model_fields_set}
            face = make(shared.service.nexus.group(group), caller)
            output: Mapping[str, object] = getattr(face, call.function)(**named)
            return output

        envelope = success(request_id, "OK", await shared.threads.run(run))
    except RecollectError as error:
        envelope = failure(request_id, error)
        error_code, cause = code_of(error).code, error.code.code
    observer(shared.metrics)(
        Observation(
            operation=call.name,
            request_id=request_id,
            groups=groups,
            status=envelope["status"],
            error_code=error_code,
            seconds=time.monotonic() - started,
            cause=None if cause == error_code else cause,
        )
    )
    return told(envelope)


def _members(request: Request, call: Call, body: bytes) -> Mapping[str, object]:
    """Return the fields a call is given, wherever they stand."""
    in_query = call.method in _IN_QUERY
    given = dict(query_members(request) if in_query else body_members(body or b"{}"))
    for name in call.placed:
        if name in given:
            told = f"{name} stands in the path and among the fields"
            raise RecollectError(INVALID_ARGUMENT, told, hint="give it in the path alone")
        given[name] = request.path_params[name]
    return given
