"""The operations in the words of OpenAPI, made from the types that check them.

The rule: nothing about an operation is written here that the catalogue has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from recollect.faces.operations import OPERATIONS, ServiceOperation, limits
from recollect.faces.operations.envelope import OWN_CODES
from recollect.faces.operations.outputs import Error
from recollect.servers.http.described import MEANINGS, PLACE, reference, whole

_ID = {"type": "string", "minLength": 1, "maxLength": limits.UUID}
_OPTIONAL_ID = {"anyOf": [_ID, {"type": "null"}]}
_EXAMPLE_ID = "5f0c7f2a"


def _adapter(type: type) -> TypeAdapter[object]:
    return TypeAdapter(type)


_INPUTS = [(one.name, "validation", one.adapter) for one in OPERATIONS.values()]
_OUTPUTS = [(one.name, "serialization", _adapter(one.output)) for one in OPERATIONS.values()]
_ERRORS = [("Error", "serialization", _adapter(Error))]
_NAMED, _DEFINED = TypeAdapter.json_schemas(
    [*_INPUTS, *_OUTPUTS, *_ERRORS],  # type: ignore[list-item]
    ref_template=PLACE,
)


def schemas() -> dict[str, Mapping[str, object]]:
    """Return the schemas that the operations refer to, by name."""
    made: dict[str, Mapping[str, object]] = dict(_DEFINED["$defs"])
    for operation in OPERATIONS.values():
        made[f"{operation.name}Request"] = _request(operation)
        made[f"{operation.name}Response"] = _response(operation)
    made["ErrorResponse"] = whole(
        {"request_id": _ID, "status": {"const": "ERROR"}, "error": _NAMED["Error", "serialization"]}
    )
    return made


def request_of(operation: ServiceOperation) -> dict[str, Any]:
    """Return what a route says of the body it takes."""
    example = {"request_id": _EXAMPLE_ID, "input": dict(operation.example)}
    content = {"schema": reference(f"{operation.name}Request"), "example": example}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


def responses_of(operation: ServiceOperation) -> dict[int | str, dict[str, Any]]:
    """Return what a route says of its answers."""
    answers = {200: "Done", 202: "Accepted, or on its way"}
    only = {"AddMessages": [202], "AddEpisodes": [202], "GetReceipt": [200, 202]}
    good: dict[int | str, dict[str, Any]] = {
        status: _answer(answers[status], f"{operation.name}Response")
        for status in only.get(operation.name, [200])
    }
    statuses = sorted({code.http for code in OWN_CODES})
    return {**good, **{one: _answer(MEANINGS[one], "ErrorResponse") for one in statuses}}


def _request(operation: ServiceOperation) -> dict[str, object]:
    members = {
        "request_id": _OPTIONAL_ID,
        "idempotency_key": _OPTIONAL_ID,
        "input": _NAMED[operation.name, "validation"],
    }
    return {**whole(members), "required": ["input"]}


def _response(operation: ServiceOperation) -> dict[str, object]:
    return whole(
        {
            "request_id": _ID,
            "status": {"enum": ["OK", "ACCEPTED", "PARKED"]},
            "output": _NAMED[operation.name, "serialization"],
        }
    )


def _answer(meaning: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": reference(schema)}}
    return {"description": meaning, "content": content}
