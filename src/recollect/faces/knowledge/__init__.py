"""Knowledge: profiles, searchable pieces and an entity graph, brought into an agent's prompt."""

from recollect.faces.knowledge.model import (
    Document,
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgeType,
    RetrievalResult,
)
from recollect.faces.knowledge.stores import (
    EntityGraphStore,
    KnowledgePieceStore,
    MetadataStore,
)

__all__ = [
    "Document",
    "EntityGraphStore",
    "EntityMetadata",
    "GraphEdge",
    "GraphNode",
    "KnowledgePiece",
    "KnowledgePieceStore",
    "KnowledgeType",
    "MetadataStore",
    "RetrievalResult",
]
