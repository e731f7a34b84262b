"""The tools of the knowledge base; a prompt is provided with what an agent here would get."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import BeforeValidator, Field, with_config
from typing_extensions import TypedDict

from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece, KnowledgeProvider
from recollect.servers.mcp.fence import NOTE
from recollect.servers.mcp.memory_tools import STRICT, Output
from recollect.servers.mcp.tool import Memory, tool

Entity = Annotated[str, Field(description="whom it is about, such as user:alice")]


@with_config(STRICT)
class ProvideKnowledge(TypedDict):
    """What is asked."""

    query: Annotated[str, Field(max_length=10_000, description="what the user wants, in words")]
    entity_id: NotRequired[Entity]
    top_k: NotRequired[Annotated[int, Field(ge=1, le=1_000, description="pieces; 5")]]


@tool("Provide knowledge", example='{"query": "Set up an LES simulation"}', offered="knowledge")
def provide_knowledge(memory: Memory, given: ProvideKnowledge) -> Output:
    """Get what experts know for a task, as texts for the sections of a prompt.

    The user's profile, instructions, context, skills.
    """
    with KnowledgeBase(nexus=memory.nexus) as kb:
        provider = KnowledgeProvider(kb, entity_id=given.get("entity_id"), top_k=given.get("top_k"))
        return {"note": NOTE, "sections": provider(given["query"])}


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


@tool(
    "Add knowledge",
    "writes",
    example='{"content": "Check the mesh first.", "info_type": "instructions"}',
    offered="knowledge",
)
def add_knowledge(memory: Memory, given: AddKnowledge) -> Output:
    """Keep expertise that is to be in later prompts.

    One statement, where in a prompt it goes, and whom it is about. For what happened or holds of
    people use remember.
    """
    with KnowledgeBase(nexus=memory.nexus) as kb:
        return {"piece_id": kb.add_piece(KnowledgePiece.from_dict(cast("Any", given)))}
