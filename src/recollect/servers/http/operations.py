"""The operations over HTTP: `POST /v1/operations/{OperationName}`. Specification 004, section 3.

The rule: the body is the envelope of section 3.1 and the answer that of section 3.2, whatever
was sent; what an operation does is the face's alone, and nothing about it is written here that the
catalogue has.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from fastapi import Request
from pydantic import TypeAdapter
from pydantic_core import from_json

from recollect.errors import refused
from recollect.faces.operations import OPERATIONS, Envelope, ServiceOperation, limits
from recollect.faces.operations.envelope import OWN_CODES, named_request
from recollect.faces.operations.outputs import Error
from recollect.node import dataclass, replace
from recollect.servers.http.calls import answering, routed
from recollect.servers.http.described import MEANINGS, PLACE, Schema, reference, whole
from recollect.servers.http.face import Face, SharedParts, caller_of, request_id_of

PREFIX = "/v1/operations"

_MEMBERS = ("request_id", "idempotency_key", "input")
_ID = {"type": "string", "minLength": 1, "maxLength": limits.UUID}
_OPTIONAL_ID = {"anyOf": [_ID, {"type": "null"}]}
_EXAMPLE_ID = "5f0c7f2a"


def _adapter(type: type) -> TypeAdapter[object]:
    return TypeAdapter(type)


_INPUTS = [(one.name, "validation", one.adapter) for one in OPERATIONS.values()]
_OUTPUTS = [(one.name, "serialization", _adapter(one.output)) for one in OPERATIONS.values()]
_NAMED, _DEFINED = TypeAdapter.json_schemas(
    [*_INPUTS, *_OUTPUTS, ("Error", "serialization", _adapter(Error))],  # type: ignore[list-item]
    ref_template=PLACE,
)


@dataclass(frozen=True, slots=True)
class AskedOperation:
    """A request of section 3.1, as far as it can be read without its operation."""

    input: object
    request_id: object
    idempotency_key: object


def operations_face(shared: SharedParts) -> Face:
    """Return the face: a route for each operation, and one for unknown names."""
    found = map(OperationRoute, OPERATIONS.values())
    routes = [(one, partial(answer_operation, one.name)) for one in found]
    face = routed(shared, PREFIX, "operations", routes)
    unknown = answering(shared, partial(answer_operation, None))
    face.router.add_api_route(
        f"{PREFIX}/{{name:path}}", unknown, methods=["POST"], include_in_schema=False
    )
    return replace(face, schemas={**face.schemas, **shared_schemas()})


def shared_schemas() -> Mapping[str, Mapping[str, object]]:
    """Return the schemas that several operations refer to, by name."""
    error = {"status": {"const": "ERROR"}, "error": _NAMED["Error", "serialization"]}
    return {**_DEFINED["$defs"], "ErrorResponse": whole({"request_id": _ID, **error})}


class OperationRoute:
    """One operation, whose input stands in the envelope that is sent."""

    method = "POST"

    def __init__(self, operation: ServiceOperation) -> None:
        self.name = self.path = operation.name
        self.summary = operation.summary
        self.example = operation.example
        self.asked, self.answers, self.schemas = self._asked(), self._answers(), self._schemas()

    def _asked(self) -> Schema:
        """Return what a route says of the body it takes."""
        example = {"request_id": _EXAMPLE_ID, "input": dict(self.example)}
        content = {"schema": reference(f"{self.name}Request"), "example": example}
        return {"requestBody": {"required": True, "content": {"application/json": content}}}

    def _answers(self) -> dict[int | str, Schema]:
        """Return what a route says of its answers."""
        answers = {200: "Done", 202: "Accepted, or on its way"}
        only = {"AddMessages": [202], "AddEpisodes": [202], "GetReceipt": [200, 202]}
        good: dict[int | str, Schema] = {
            status: _answer(answers[status], f"{self.name}Response")
            for status in only.get(self.name, [200])
        }
        statuses = sorted({code.http for code in OWN_CODES})
        return {**good, **{one: _answer(MEANINGS[one], "ErrorResponse") for one in statuses}}

    def _schemas(self) -> Mapping[str, Mapping[str, object]]:
        """Return the schemas of both envelopes."""
        given = {"request_id": _OPTIONAL_ID, "idempotency_key": _OPTIONAL_ID}
        asked = whole({**given, "input": _NAMED[self.name, "validation"]})
        output = _NAMED[self.name, "serialization"]
        status = {"enum": ["OK", "ACCEPTED", "PARKED"]}
        told = whole({"request_id": _ID, "status": status, "output": output})
        return {
            f"{self.name}Request": {**asked, "required": ["input"]},
            f"{self.name}Response": told,
        }


async def answer_operation(name: str | None, shared: SharedParts, request: Request) -> Envelope:
    """Run an operation, which the path names if nothing else does, for whoever asks."""
    body = await request.body()
    operations = shared.service.operations.on_behalf_of(caller_of(request))
    called = request.path_params["name"] if name is None else name

    def work() -> Envelope:
        asked = read_asked(request, body)
        return operations.call(
            called, asked.input, request_id=asked.request_id, idempotency_key=asked.idempotency_key
        )

    return await shared.threads.run(work)


def read_asked(request: Request, body: bytes) -> AskedOperation:
    """Return the request in a body; INVALID_ARGUMENT if it is not a request of section 3.1.

    From here on the request is known by the id in its body, if it has one.
    """
    try:
        members = from_json(body, allow_inf_nan=False)  # a large number stays what it is
    except ValueError as error:
        raise refused(f"the body is not JSON: {error}", 'send {"input": {...}}') from error
    if not isinstance(members, dict):
        raise refused("the body is not an object", 'send {"input": {...}}')
    named = members.get("request_id")
    if named is not None:
        request.state.request_id = named_request(named)
    unknown = [one for one in members if one not in _MEMBERS]
    if unknown:
        fields = [{"field": one[:128], "problem": "is not a field of a request"} for one in unknown]
        raise refused(
            f"{fields[0]['field']} is not a field of a request",
            "put the fields of the operation into input",
            details={"fields": fields[:10]},
        )
    if "input" not in members:
        raise refused("input is missing", 'send {"input": {...}}')
    return AskedOperation(members["input"], request_id_of(request), members.get("idempotency_key"))


def _answer(meaning: str, schema: str) -> Schema:
    content = {"application/json": {"schema": reference(schema)}}
    return {"description": meaning, "content": content}
