"""The tools of the knowledge base: what a prompt should hold, and one more piece of it.

The rule: what is provided is the same that an agent in this process would get.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BeforeValidator, Field, with_config
from typing_extensions import TypedDict

from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece, KnowledgeProvider
from recollect.kernel import Nexus
from recollect.servers.mcp.fence import NOTE
from recollect.servers.mcp.inputs import STRICT

Entity = Annotated[str, Field(description="whom it is about, such as user:alice")]


@with_config(STRICT)
class ProvideKnowledge(TypedDict):
    """What is asked."""

    query: Annotated[str, Field(max_length=10_000, description="what the user wants, in words")]
    entity_id: NotRequired[Entity]
    top_k: NotRequired[Annotated[int, Field(ge=1, le=1_000, description="pieces; 5")]]


@with_config(STRICT)
class AddKnowledge(TypedDict):
    """A piece."""

    content: Annotated[str, Field(min_length=1, description="one statement that stands alone")]
    knowledge_type: NotRequired[
        Annotated[
            Literal["fact", "instruction", "preference", "procedure", "note", "episodic"],
            BeforeValidator(lambda given: given.lower() if isinstance(given, str) else given),
        ]
    ]
    info_type: NotRequired[
        Annotated[str, Field(description="user_profile, instructions, context or skills")]
    ]
    tags: NotRequired[list[str]]
    entity_id: NotRequired[Entity]


class ProvidedKnowledge(TypedDict):
    """Sections of a prompt."""

    note: str
    sections: Annotated[dict[str, str], Field(description="texts by info type")]


class AddedKnowledge(TypedDict):
    """What was kept."""

    piece_id: str


def provide_knowledge(nexus: Nexus, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Return what is known for a question, by info type."""
    with KnowledgeBase(nexus=nexus) as kb:
        provider = KnowledgeProvider(kb, entity_id=given.get("entity_id"), top_k=given.get("top_k"))
        return {"note": NOTE, "sections": provider(given["query"])}


def add_knowledge(nexus: Nexus, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Keep a piece."""
    with KnowledgeBase(nexus=nexus) as kb:
        return {"piece_id": kb.add_piece(KnowledgePiece.from_dict(given))}
