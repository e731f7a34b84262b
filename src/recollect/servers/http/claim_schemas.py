"""The calls of claims in the words of OpenAPI, made from the classes that check them.

The rule: what a claim's class already says is not repeated here, except the words it knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter

from recollect.faces.claims import (
    ACTOR_TYPES,
    KINDS,
    SCOPE_TYPES,
    STATUSES,
    Actor,
    AttentionItem,
    Claim,
    ClaimEvent,
    FeedEvent,
    Scope,
)
from recollect.faces.operations.envelope import OWN_CODES
from recollect.servers.http import claim_inputs
from recollect.servers.http.claim_calls import CALLS, Call
from recollect.servers.http.schemas import MEANINGS, PLACE

Schema = dict[str, Any]

_ID: Final = {"type": "string", "minLength": 1, "maxLength": 128}
_WORDS: Final = {
    "kind": KINDS,
    "claim_status": STATUSES,
    "actor_type": ACTOR_TYPES,
    "scope_type": SCOPE_TYPES,
}
_TEXT: Final = {"type": "string"}
_TEXT_OR_NULL: Final = {"anyOf": [_TEXT, {"type": "null"}]}
GROUP: Final[Schema] = {
    "name": "group_id",
    "in": "query",
    "required": False,
    "description": "The group; that of the token, if there is one, when it is left out",
    "schema": _TEXT,
    "example": "team",
}


def reference(name: str) -> Schema:
    """Return the reference to a schema."""
    return {"$ref": PLACE.format(model=name)}


def whole(members: Mapping[str, object]) -> Schema:
    """Return the schema of an object with exactly these members."""
    return {
        "type": "object",
        "properties": dict(members),
        "required": list(members),
        "additionalProperties": False,
    }


def schemas() -> dict[str, Mapping[str, object]]:
    """Return the schemas that the calls refer to, by name."""
    made: dict[str, Schema] = {}
    for kind in (Claim, ClaimEvent, FeedEvent, AttentionItem, Scope, Actor):
        one: Schema = TypeAdapter(kind).json_schema(ref_template=PLACE)
        made |= one.pop("$defs", {})
        made[kind.__name__] = one
    for one in made.values():
        one["additionalProperties"] = False
        for name, words in _WORDS.items():
            _tell_words(one["properties"].get(name), words)
    made |= _outputs()
    for call in CALLS:
        made[f"{call.name}Response"] = whole(
            {"request_id": _ID, "status": {"const": "OK"}, "output": reference(call.answers)}
        )
        if call.method == "POST":
            made[f"{call.name}Request"] = _input(call.given)
    return dict(made)


def asked_of(call: Call) -> Schema:
    """Return the description of a route's input."""
    if call.method == "GET":
        return {"parameters": [GROUP, *parameters(call.given, call.example)]}
    content = {"schema": reference(f"{call.name}Request"), "example": dict(call.example)}
    body = {"required": True, "content": {"application/json": content}}
    return {"parameters": [GROUP], "requestBody": body}


def answered_by(name: str) -> dict[int | str, Schema]:
    """Return what a route says of its answers; `name` is the schema of the good one."""
    answers: dict[int | str, Schema] = {200: {"description": "Done", "content": _json(name)}}
    for status in sorted({code.http for code in OWN_CODES}):
        answers[status] = {"description": MEANINGS[status], "content": _json("ErrorResponse")}
    return answers


def parameters(adapter: TypeAdapter[object], example: Mapping[str, object]) -> list[Schema]:
    """Return the fields of an input as parameters of a query."""
    given = _input(adapter)
    found: list[Schema] = []
    for name, schema in given["properties"].items():
        one: Schema = {
            "name": name,
            "in": "query",
            "required": name in given.get("required", ()),
            "schema": schema,
        }
        if name in example:
            one["example"] = example[name]
        found.append(one)
    return found


def _input(adapter: TypeAdapter[object]) -> Schema:
    """Return the schema of an input, in one piece."""
    made = adapter.json_schema()
    defined = made.pop("$defs", {})

    def resolved(node: Any) -> Any:  # noqa: ANN401
        match node:
            case {claim_inputs.NAMED: str() as name}:
                return reference(name)
            case {"$ref": str() as place}:
                return resolved(defined[place.rpartition("/")[2]])
            case dict():
                return {key: resolved(value) for key, value in node.items()}
            case list():
                return [resolved(one) for one in node]
        return node

    one: Schema = resolved(made)
    return one


def _outputs() -> dict[str, Schema]:
    claim, event, item = map(reference, ("Claim", "ClaimEvent", "AttentionItem"))
    claims, events = _list(claim), _list(event)
    scored = _list(whole({"score": {"type": "number"}, "claim": claim}))
    status = {"enum": list(STATUSES)}
    outputs: dict[str, Mapping[str, object]] = {
        "Ids": {"ids": _list(_TEXT)},
        "ClaimPage": {"claims": claims, "after": _TEXT_OR_NULL},
        "Count": {"count": {"type": "integer"}},
        "ScoredClaims": {"claims": scored},
        "ClaimView": {
            "claim": claim,
            "line": _TEXT,
            "severity": _TEXT,
            "tone": _TEXT,
            "superseded_by": _TEXT_OR_NULL,
        },
        "ClaimEvents": {"events": events},
        "FeedEvents": {"events": _list(reference("FeedEvent"))},
        "Moved": {"id": _TEXT, "claim_status": status},
        "Superseded": {"id": _TEXT, "claim_status": status, "superseded_by": _TEXT},
        "AttentionItems": {"items": _list(item)},
        "AttentionView": {
            "item": item,
            "claim": {"anyOf": [claim, {"type": "null"}]},
            "events": events,
        },
        "Fingerprint": {"fingerprint": _TEXT},
    }
    made = {name: whole(members) for name, members in outputs.items()}
    made["ScoredClaims"]["properties"]["warnings"] = _list({"type": "object"})
    return made


def _tell_words(schema: Schema | None, words: tuple[str, ...]) -> None:
    """Let the schema of a text name the words it may be."""
    if schema is None:
        return
    for one in schema.get("anyOf", [schema]):
        if one.get("type") == "string":
            one["enum"] = list(words)


def _list(items: Mapping[str, object]) -> Schema:
    return {"type": "array", "items": dict(items)}


def _json(name: str) -> Schema:
    return {"application/json": {"schema": reference(name)}}
