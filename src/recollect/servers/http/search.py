"""One search box over a group, `GET /api/search`: all kinds of memory, or one of them.

The rule: what is searched is what the face of that type searches; here it gets one form, and the
answer is its results alone. Specification 002, search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NotRequired, assert_never, cast

from fastapi import APIRouter, Request, Response
from pydantic import Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from recollect.errors import CODES, RecollectError, refused
from recollect.faces.calls import DIGITS
from recollect.faces.claims import Claim, derive_claim_severity, one_claim
from recollect.faces.claims.calls import filters_of
from recollect.faces.claims.records import recalled
from recollect.faces.knowledge.nexus_stores import PIECE
from recollect.faces.memory import Memory
from recollect.faces.memory.model import MemoryRecord
from recollect.faces.operations import Caller
from recollect.faces.operations.envelope import checked
from recollect.kernel import Nexus, called
from recollect.model import Concept, Hits
from recollect.servers.http.answers import as_json, enveloped_answer
from recollect.servers.http.calls import IN_QUERY, answered, query_members
from recollect.servers.http.described import (
    GROUP,
    Schema,
    answered_by,
    parameters,
    reference,
    whole,
)
from recollect.servers.http.face import Face, SharedParts, caller_of
from recollect.servers.service import ServedMemory

SEARCH: Final = "Search"
PATH: Final = "/api/search"

_LIMIT: Final = 10
_LISTS: Final = frozenset({"status"})
"""What a query may name more than once."""

_OF_CLAIMS: Final = frozenset({"status", "scope_type", "scope_id", "project"})
_OF_PIECES: Final = ("knowledge_type", "entity_id")

_EXAMPLE: Final = {"q": "saga", "type": "knowledge"}


@with_config(IN_QUERY)
class Searched(TypedDict):
    """A text to search for among things of one type."""

    q: str
    type: NotRequired[Literal["all", "knowledge", "facts", "concepts", "pieces"]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=100), DIGITS]]
    status: NotRequired[list[str]]
    scope_type: NotRequired[str]
    scope_id: NotRequired[str]
    project: NotRequired[str]


FOUND: Final[Schema] = whole(
    {
        "query": {"type": "string"},
        "type": {"enum": ["all", "knowledge", "facts", "concepts", "pieces"]},
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "id": {"type": "string"},
                    "text": {"type": "string"},
                    "score": {"type": "number"},
                    "claim_status": {"type": "string"},
                    "confidence": {"type": "number"},
                    "evidence_count": {"type": "integer"},
                    "scope": {"anyOf": [reference("Scope"), {"type": "null"}]},
                },
                "required": ["type", "id", "text", "score"],
            },
        },
    }
)
"""The schema of an answer; what a claim has besides is in each result of type knowledge."""


def search_face(shared: SharedParts) -> Face:
    """Return the face: one search over all that a group holds."""
    router = APIRouter(tags=["search"])
    adapter: TypeAdapter[object] = TypeAdapter(Searched)

    async def answer(request: Request) -> Response:
        caller = caller_of(request)

        def work(group: str, _: bytes) -> Mapping[str, object]:
            given = cast("Searched", checked(adapter, query_members(request, _LISTS)))
            return search(shared.service, caller, group, given)

        envelope = await answered(shared, request, SEARCH, work)
        if "error" in envelope:
            return enveloped_answer(envelope)
        return as_json(envelope["output"], envelope["request_id"])

    router.add_api_route(
        PATH,
        answer,
        methods=["GET"],
        operation_id=SEARCH,
        summary="Search among all kinds of memory, or one",
        response_class=Response,
        responses=answered_by("Found"),
        openapi_extra={"parameters": [GROUP, *parameters(adapter, _EXAMPLE)]},
    )
    return Face(PATH, router, {"Found": FOUND})


def search(
    service: ServedMemory, caller: Caller, group: str, given: Searched
) -> Mapping[str, object]:
    """Return what a text is about among things of one type, of all where none is named.

    Only claims have a status, a scope or a project, so whoever names one means claims.
    """
    implied: Literal["all", "knowledge"] = "knowledge" if given.keys() & _OF_CLAIMS else "all"
    kind, limit = given.get("type", implied), given.get("limit", _LIMIT)
    if implied != "all" and kind != implied:
        raise refused(
            f"{', '.join(sorted(given.keys() & _OF_CLAIMS))} are of claims, not of {kind}",
            "search with type=knowledge, or without them",
        )
    match kind:
        case "all":
            results = _all(service.nexus.group(group), given["q"], limit)
        case "knowledge":
            results = _claims(service.nexus.group(group), given, limit)
        case "facts":
            results = _facts(service, caller, group, given["q"], limit)
        case "concepts":
            results = _concepts(service.nexus.group(group), given["q"], limit)
        case "pieces":
            results = _pieces(service.nexus.group(group), given["q"], limit)
        case _:
            assert_never(kind)
    return {"query": given["q"], "type": kind, "results": results}


def _all(nexus: Nexus, query: str, limit: int) -> list[dict[str, object]]:
    if not query.strip():
        return []
    found = Memory(nexus).recall(query, limit=limit).memories
    return [_memory(nexus, one.memory, one.score) for one in found]


def _memory(nexus: Nexus, memory: MemoryRecord, score: float) -> dict[str, object]:
    """Return a memory of any kind as a search for its own type does."""
    claim = one_claim(nexus, memory.id) if memory.kind == "claim" else None
    if claim is not None:
        return _claim(claim, score)
    told = {"type": f"{memory.kind}s", "id": memory.id, "text": memory.text, "score": score}
    if memory.kind == "piece":
        owned = {one: memory.attributes.get(one) or None for one in _OF_PIECES}
        return {**told, "id": memory.name, **owned}
    return told | ({"concept_type": memory.type} if memory.kind == "concept" else {})


def _claims(nexus: Nexus, given: Searched, limit: int) -> list[dict[str, object]]:
    found = recalled(nexus, given["q"], filters_of(given), limit)
    return [_claim(claim, score) for claim, score in found]


def _claim(claim: Claim, score: float) -> dict[str, object]:
    severity, tone = derive_claim_severity(claim)
    scope = {"scope_type": claim.scope_type, "scope_id": claim.scope_id}
    return {
        "type": "knowledge",
        "id": claim.id,
        "text": claim.text,
        "score": score,
        "claim_status": claim.claim_status,
        "confidence": claim.confidence,
        "evidence_count": len(claim.evidence),
        "scope": None if claim.scope_type is None else scope,
        "project": claim.project,
        "created_at": claim.created_at,
        "severity": severity,
        "tone": tone,
    }


def _facts(
    service: ServedMemory, caller: Caller, group: str, query: str, limit: int
) -> list[dict[str, object]]:
    envelope = service.operations.on_behalf_of(caller).call(
        "SearchFacts", {"group_ids": [group], "query": query, "max_facts": limit}
    )
    if "error" in envelope:
        error = envelope["error"]
        raise RecollectError(CODES[error["error_code"]], error["message"])
    facts = cast("list[dict[str, Any]]", envelope["output"]["facts"])
    return [
        {"type": "facts", "id": one["uuid"], "text": one["fact"], "score": one["score"]}
        for one in facts
    ]


def _pieces(nexus: Nexus, query: str, limit: int) -> list[dict[str, object]]:
    return [
        {
            "type": "pieces",
            "id": element.name,
            "text": str(element.attributes["content"]),
            "score": score,
            **{one: element.attributes[one] or None for one in _OF_PIECES},
        }
        for element, score in _hits(nexus, query, limit, PIECE)
    ]


def _concepts(nexus: Nexus, query: str, limit: int) -> list[dict[str, object]]:
    return [
        {
            "type": "concepts",
            "id": element.id,
            "text": called(element.name, element.attributes, element.metadata),
            "score": score,
            "concept_type": element.type,
        }
        for element, score in _hits(nexus, query, limit)
    ]


def _hits(
    nexus: Nexus, query: str, limit: int, type: str | None = None
) -> list[tuple[Concept, float]]:
    if not query.strip():
        return []
    hits = nexus.search(query, "concept", type, limit).only(Hits)
    return [(one.element, one.score) for one in hits.hits if isinstance(one.element, Concept)]
