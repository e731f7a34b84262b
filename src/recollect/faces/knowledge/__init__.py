"""Knowledge: profiles, searchable pieces and an entity graph, brought into an agent's prompt."""

from recollect.faces.knowledge.agents import (
    Agent,
    FeedConflictResolution,
    PromptBasedAgent,
    merge_into_feed,
)
from recollect.faces.knowledge.base import KnowledgeBase
from recollect.faces.knowledge.formatter import KnowledgeFormatter
from recollect.faces.knowledge.graph import (
    NexusEntityGraphStore,
    NexusKnowledgePieceStore,
    NexusMetadataStore,
)
from recollect.faces.knowledge.ingestion import KnowledgeIngestionCLI
from recollect.faces.knowledge.loading import KnowledgeDataLoader, LoadReport, Skipped
from recollect.faces.knowledge.model import (
    Document,
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgeType,
    RetrievalResult,
)
from recollect.faces.knowledge.provider import KnowledgeProvider
from recollect.faces.knowledge.stores import (
    EntityGraphStore,
    KnowledgePieceStore,
    MetadataStore,
)
from recollect.faces.knowledge.templates import Template

__all__ = [
    "Agent",
    "Document",
    "EntityGraphStore",
    "EntityMetadata",
    "FeedConflictResolution",
    "GraphEdge",
    "GraphNode",
    "KnowledgeBase",
    "KnowledgeDataLoader",
    "KnowledgeFormatter",
    "KnowledgeIngestionCLI",
    "KnowledgePiece",
    "KnowledgePieceStore",
    "KnowledgeProvider",
    "KnowledgeType",
    "LoadReport",
    "MetadataStore",
    "NexusEntityGraphStore",
    "NexusKnowledgePieceStore",
    "NexusMetadataStore",
    "PromptBasedAgent",
    "RetrievalResult",
    "Skipped",
    "Template",
    "merge_into_feed",
]
