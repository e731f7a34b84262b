"""The operations over HTTP: `POST /v1/operations/{OperationName}`. Specification 004, section 3.

The rule: the body is the envelope of section 3.1 and the answer that of section 3.2, whatever
was sent; what an operation does is the face's alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response
from pydantic_core import from_json

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.operations import OPERATIONS, Envelope, ServiceOperation
from recollect.faces.operations.envelope import named_request
from recollect.node import dataclass
from recollect.servers.http.answers import as_json, status_of
from recollect.servers.http.face import Face, SharedParts, caller_of, request_id_of
from recollect.servers.http.schemas import request_of, responses_of, schemas

PREFIX = "/v1/operations"

_STATUS = {"OK": 200, "ACCEPTED": 202, "PARKED": 200}
_MEMBERS = ("request_id", "idempotency_key", "input")

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class AskedOperation:
    """A request of section 3.1, as far as it can be read without its operation."""

    input: object
    request_id: object
    idempotency_key: object


def operations_face(shared: SharedParts) -> Face:
    """Return the face: a route for each operation, and one for unknown names."""
    router = APIRouter(prefix=PREFIX, tags=["operations"])
    for operation in OPERATIONS.values():
        _add(router, shared, operation)
    router.add_api_route(
        "/{name:path}", _handler(shared, None), methods=["POST"], include_in_schema=False
    )
    return Face(PREFIX, router, schemas())


def _add(router: APIRouter, shared: SharedParts, operation: ServiceOperation) -> None:
    router.add_api_route(
        f"/{operation.name}",
        _handler(shared, operation.name),
        methods=["POST"],
        operation_id=operation.name,
        summary=operation.summary,
        response_class=Response,
        responses=responses_of(operation),
        openapi_extra=request_of(operation),
    )


def _handler(shared: SharedParts, name: str | None) -> Handler:
    async def answer(request: Request) -> Response:
        body = await request.body()
        operations = shared.service.operations.on_behalf_of(caller_of(request))
        called = request.path_params["name"] if name is None else name

        def work() -> Envelope:
            asked = read_asked(request, body)
            return operations.call(
                called,
                asked.input,
                request_id=asked.request_id,
                idempotency_key=asked.idempotency_key,
            )

        return told(await shared.threads.run(work))

    return answer


def read_asked(request: Request, body: bytes) -> AskedOperation:
    """Return the request in a body; INVALID_ARGUMENT if it is not a request of section 3.1.

    From here on the request is known by the id in its body, if it has one.
    """
    try:
        members = from_json(body, allow_inf_nan=False)  # a large number stays what it is
    except ValueError as error:
        raise RecollectError(
            INVALID_ARGUMENT, f"the body is not JSON: {error}", hint='send {"input": {...}}'
        ) from error
    if not isinstance(members, dict):
        raise RecollectError(
            INVALID_ARGUMENT, "the body is not an object", hint='send {"input": {...}}'
        )
    named = members.get("request_id")
    if named is not None:
        request.state.request_id = named_request(named)
    unknown = [one for one in members if one not in _MEMBERS]
    if unknown:
        fields = [{"field": one[:128], "problem": "is not a field of a request"} for one in unknown]
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{fields[0]['field']} is not a field of a request",
            hint="put the fields of the operation into input",
            details={"fields": fields[:10]},
        )
    if "input" not in members:
        raise RecollectError(INVALID_ARGUMENT, "input is missing", hint='send {"input": {...}}')
    return AskedOperation(members["input"], request_id_of(request), members.get("idempotency_key"))


def told(envelope: Envelope) -> Response:
    """Return the answer that carries an envelope."""
    if "error" in envelope:
        status = status_of(envelope["error"]["error_code"])
    else:
        status = _STATUS[envelope["status"]]
    return as_json(dict(envelope), envelope["request_id"], status)
