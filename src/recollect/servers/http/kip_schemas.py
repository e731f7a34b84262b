"""KIP and the changes feed in the words of OpenAPI, under the names used everywhere else.

The rule: the definition for models says what a function takes; nothing here repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from recollect.errors import CODES
from recollect.faces.kip import tool_definitions
from recollect.node import dataclass
from recollect.servers.http.described import GROUP, MEANINGS, Schema, reference, whole

KIP: Final = "/v1/kip"
CHANGES: Final = "/v1/changes"
GET_CHANGES: Final = "GetChanges"
MOST_CHANGES: Final = 1_000
"""So many transactions a page of the feed may be asked for."""

_ID: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 128}
_TEXT: Final[Schema] = {"type": "string"}
_OBJECT: Final[Schema] = {"type": "object"}
_TEXT_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_READ: Final = 'FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) } LIMIT 10'
_WRITE: Final = 'UPSERT { CONCEPT { {type: "Drug", name: $name} } }'


@dataclass(frozen=True, slots=True)
class KipFunction:
    """One function of KIP as a call: its name for models, its name here, and where it is."""

    function: str
    name: str
    path: str
    summary: str
    example: Mapping[str, object]
    answer: Mapping[str, object]  # to the example


FUNCTIONS: Final = (
    KipFunction(
        "execute_kip",
        "ExecuteKip",
        KIP,
        "Run KIP: one text in one transaction, or several, each in its own",
        {"command": _WRITE, "parameters": {"name": "Aspirin"}, "group_id": "team"},
        {
            "result": {
                "blocks": 1,
                "upsert_concept_nodes": ["01K9Z3"],
                "upsert_proposition_links": [],
                "created": 1,
                "updated": 0,
                "skipped": [],
            }
        },
    ),
    KipFunction(
        "execute_kip_readonly",
        "ExecuteKipReadonly",
        f"{KIP}/readonly",
        "Run KIP that only reads",
        {"command": _READ, "group_id": "team"},
        {"result": {"columns": ["n"], "rows": [["Aspirin"]]}},
    ),
)
"""The functions, in the order of the description."""

KIP_NAMES: Final = frozenset({GET_CHANGES, *(one.name for one in FUNCTIONS)})
"""What they are called in metrics and in the log."""

OWN_MEMBERS: Final = ("group_id", "actor", "request_id")
"""What a body may hold beside the arguments of a function."""

_MEANINGS: Final = {
    **MEANINGS,
    400: "The request, or its text, is not as it should be",
    408: "The text takes longer than it may",
    409: "Something else stands against it",
    413: "The body is too large",
}


def schemas() -> dict[str, Mapping[str, object]]:
    """Return the schemas that the routes refer to, by name."""
    made: dict[str, Mapping[str, object]] = {
        f"{one.name}Request": _request(one) for one in FUNCTIONS
    }
    made["KipResponse"] = {
        "type": "object",
        "properties": {
            "result": {"description": "What the text asks for; of several, one response each"},
            "next_cursor": _TEXT,
            "warnings": {"type": "array", "items": _OBJECT},
        },
        "required": ["result"],
        "additionalProperties": False,
    }
    made["KipErrorResponse"] = whole({"error": reference("KipError")})
    made["KipError"] = {
        "type": "object",
        "properties": {
            **dict.fromkeys(("code", "name", "category", "message", "retry", "hint"), _TEXT),
            **dict.fromkeys(("line", "column"), _COUNT),
            **dict.fromkeys(("span", "first", "fix", "details"), _OBJECT),
            "known": {"type": "array", "items": _TEXT},
        },
        "required": ["code", "name", "category", "message", "retry"],
        "additionalProperties": False,
    }
    made["ChangesResponse"] = whole({"result": _feed()})
    return made


def asked_of(function: KipFunction) -> dict[str, Any]:
    """Return what a route says of the body it takes."""
    content = {"schema": reference(f"{function.name}Request"), "example": dict(function.example)}
    body = {"required": True, "content": {"application/json": content}}
    return {"parameters": [GROUP], "requestBody": body}


def answered_by(name: str, example: Mapping[str, object]) -> dict[int | str, dict[str, Any]]:
    """Return what a route says of its answers; `name` is the schema of the good one."""
    good = {"application/json": {"schema": reference(name), "example": dict(example)}}
    bad = {"application/json": {"schema": reference("KipErrorResponse")}}
    statuses = sorted({code.http for code in CODES.values()})
    return {
        200: {"description": "Done", "content": good},
        **{one: {"description": _MEANINGS[one], "content": bad} for one in statuses},
    }


CHANGES_EXAMPLE: Final[Mapping[str, object]] = {
    "result": {
        "transactions": [
            {
                "transaction": 17,
                "at": "2026-01-31T09:30:00.000Z",
                "actor": "ann",
                "request_id": "5f0c7f2a",
                "changes": [
                    {
                        "id": "01K9Z3",
                        "kind": "concept",
                        "operation": "create",
                        "type": "Drug",
                        "name": "Aspirin",
                    }
                ],
            }
        ],
        "next": 17,
    }
}


def _request(function: KipFunction) -> Schema:
    (of,) = (
        cast("Schema", one["function"])["parameters"]
        for one in tool_definitions()
        if cast("Schema", one["function"])["name"] == function.function
    )
    given: Schema = {**of, "properties": dict(of["properties"])}
    named = {"description": "The group; that of the token, if there is one, when it is left out"}
    given["properties"] |= {
        "group_id": {**_TEXT, **named},
        "actor": {**_TEXT, "description": "Who writes; the name of the token, if it has one"},
        "request_id": _ID,
    }
    return given


def _feed() -> Schema:
    change = {
        "type": "object",
        "properties": {
            "id": _TEXT,
            "kind": {"enum": ["concept", "link"]},
            "operation": _TEXT,
            **dict.fromkeys(("type", "name", "subject", "predicate", "object"), _TEXT),
        },
        "required": ["id", "kind", "operation"],
        "additionalProperties": False,
    }
    transaction = whole(
        {
            "transaction": _COUNT,
            "at": _TEXT,
            "actor": _TEXT_OR_NULL,
            "request_id": _TEXT_OR_NULL,
            "changes": {"type": "array", "items": change},
        }
    )
    return whole({"transactions": {"type": "array", "items": transaction}, "next": _COUNT})
