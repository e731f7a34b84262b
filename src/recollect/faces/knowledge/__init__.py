"""Knowledge: profiles, searchable pieces and an entity graph, brought into an agent's prompt.

The rule: the services, and what stands on them, are loaded when one is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from recollect.faces.knowledge.agents import (
    Agent,
    FeedConflictResolution,
    PromptBasedAgent,
    merge_into_feed,
)
from recollect.faces.knowledge.base import KnowledgeBase
from recollect.faces.knowledge.formatter import KnowledgeFormatter
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
from recollect.faces.knowledge.nexus_stores import (
    NexusEntityGraphStore,
    NexusKnowledgePieceStore,
    NexusMetadataStore,
)
from recollect.faces.knowledge.provider import KnowledgeProvider
from recollect.faces.knowledge.stores import EntityGraphStore, KnowledgePieceStore, MetadataStore
from recollect.faces.knowledge.templates import Template

if TYPE_CHECKING:
    from recollect.faces.knowledge.adapters import (
        GraphServiceEntityGraphStore,
        KeyValueMetadataStore,
        RetrievalKnowledgePieceStore,
    )
    from recollect.faces.knowledge.services import (
        ChromaRetrievalService,
        ElasticsearchRetrievalService,
        FileGraphService,
        FileKeyValueService,
        GraphServiceBase,
        KeyValueServiceBase,
        LanceDBRetrievalService,
        MemoryGraphService,
        MemoryKeyValueService,
        MemoryRetrievalService,
        Neo4jGraphService,
        NetworkxGraphService,
        RedisKeyValueService,
        RetrievalServiceBase,
        SQLiteFTS5RetrievalService,
        SQLiteKeyValueService,
        TextEmbedder,
        WordHashEmbedder,
    )

__all__ = [
    "Agent",
    "ChromaRetrievalService",
    "Document",
    "ElasticsearchRetrievalService",
    "EntityGraphStore",
    "EntityMetadata",
    "FeedConflictResolution",
    "FileGraphService",
    "FileKeyValueService",
    "GraphEdge",
    "GraphNode",
    "GraphServiceBase",
    "GraphServiceEntityGraphStore",
    "KeyValueMetadataStore",
    "KeyValueServiceBase",
    "KnowledgeBase",
    "KnowledgeDataLoader",
    "KnowledgeFormatter",
    "KnowledgeIngestionCLI",
    "KnowledgePiece",
    "KnowledgePieceStore",
    "KnowledgeProvider",
    "KnowledgeType",
    "LanceDBRetrievalService",
    "LoadReport",
    "MemoryGraphService",
    "MemoryKeyValueService",
    "MemoryRetrievalService",
    "MetadataStore",
    "Neo4jGraphService",
    "NetworkxGraphService",
    "NexusEntityGraphStore",
    "NexusKnowledgePieceStore",
    "NexusMetadataStore",
    "PromptBasedAgent",
    "RedisKeyValueService",
    "RetrievalKnowledgePieceStore",
    "RetrievalResult",
    "RetrievalServiceBase",
    "SQLiteFTS5RetrievalService",
    "SQLiteKeyValueService",
    "Skipped",
    "Template",
    "TextEmbedder",
    "WordHashEmbedder",
    "merge_into_feed",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    place = "services" if name.endswith(("Service", "ServiceBase", "Embedder")) else "adapters"
    globals()[name] = found = getattr(import_module(f"{__name__}.{place}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
