"""The faces that are nothing but calls: which class, where, and on what.

The rule: each call is made on the group of its request. Who writes is who the token says; where it
says nobody, who the call says. What asks a model asks the one that the server's settings name, and
is refused where they name none; a server runs no function unless it was started with some, and
prompts are run by nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from recollect.faces.claims import ACTOR_TYPES, KINDS, SCOPE_TYPES, STATUSES, Actor, Scope
from recollect.faces.claims.calls import AttentionCalls, ClaimCalls
from recollect.faces.knowledge import KnowledgeBase
from recollect.faces.knowledge.calls import KnowledgeCalls
from recollect.faces.markup import Markup
from recollect.faces.markup.calls import MarkupCalls
from recollect.faces.memory import Memory
from recollect.faces.memory.calls import MemoryCalls
from recollect.faces.operations import Caller
from recollect.kernel import Nexus, read_as_of
from recollect.servers.http.calls import call_face
from recollect.servers.http.described import value_schemas
from recollect.servers.http.face import Face, SharedParts
from recollect.servers.learning import make_structuring
from recollect.servers.settings import Settings

MEMORY = "/v1/memory"
KNOWLEDGE: Final = "/v1/knowledge"
MARKUP: Final = "/v1/markup"


def knowledge_face(shared: SharedParts) -> Face:
    """Return the knowledge base."""

    def make(nexus: Nexus, _: Caller) -> object:
        return KnowledgeCalls(
            KnowledgeBase(nexus=nexus), lambda: make_structuring(Settings().learning()), read_as_of
        )

    return call_face(shared, KNOWLEDGE, KnowledgeCalls, make, is_strict=True)


def markup_face(shared: SharedParts) -> Face:
    """Return Knowing Markup."""

    def make(nexus: Nexus, caller: Caller) -> object:
        return MarkupCalls(Markup(nexus, functions=shared.service.functions, actor=caller.name))

    return call_face(shared, MARKUP, MarkupCalls, make)


def memory_face(shared: SharedParts) -> Face:
    """Return the face: a route for each call."""

    def make(nexus: Nexus, caller: Caller) -> object:
        operations = shared.service.operations.on_behalf_of(caller)
        return MemoryCalls(Memory(nexus, actor=caller.name, operations=operations))

    return call_face(shared, MEMORY, MemoryCalls, make)


CLAIMS: Final = "/v1/claims"
ATTENTION: Final = "/v1/attention"

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "kind": KINDS,
    "claim_status": STATUSES,
    "actor_type": ACTOR_TYPES,
    "scope_type": SCOPE_TYPES,
}
"""The words that a text may be, by the name of its field."""


def claims_face(shared: SharedParts) -> Face:
    """Return the face: a route for each call of claims."""

    def make(nexus: Nexus, caller: Caller) -> object:
        return ClaimCalls(nexus, caller.acting_as, read_as_of)

    face = call_face(shared, CLAIMS, ClaimCalls, make, is_strict=True)
    return _with_words(face, value_schemas(Scope, Actor))


def attention_face(shared: SharedParts) -> Face:
    """Return the face: a route for each call of the attention queue."""

    def make(nexus: Nexus, caller: Caller) -> object:
        return AttentionCalls(nexus, caller.acting_as, read_as_of)

    face = call_face(shared, ATTENTION, AttentionCalls, make, tag="claims", is_strict=True)
    return _with_words(face, {})


def _with_words(face: Face, more: Mapping[str, Mapping[str, object]]) -> Face:
    """Return a face whose schemas name the words a text may be."""
    schemas = {**face.schemas, **more}
    for name, one in schemas.items():
        properties: Any = one.get("properties", {})
        for field in () if name.endswith("Request") else _WORDS.keys() & properties.keys():
            for kind in properties[field].get("anyOf", [properties[field]]):
                if kind.get("type") == "string":
                    kind["enum"] = list(_WORDS[field])
    return replace(face, schemas=schemas)
