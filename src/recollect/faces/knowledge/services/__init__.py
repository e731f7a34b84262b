"""The services that a knowledge base may stand on instead of the graph, a file a client.

The rule: a client of others is imported when a service of it is made, and not before; each has an
extra of its name. Nothing is downloaded.
"""

from recollect.faces.knowledge.services.base import (
    GraphServiceBase,
    KeyValueServiceBase,
    RetrievalServiceBase,
)
from recollect.faces.knowledge.services.chroma import ChromaRetrievalService
from recollect.faces.knowledge.services.elasticsearch import ElasticsearchRetrievalService
from recollect.faces.knowledge.services.files import FileGraphService, FileKeyValueService
from recollect.faces.knowledge.services.lancedb import LanceDBRetrievalService
from recollect.faces.knowledge.services.memory import (
    MemoryGraphService,
    MemoryKeyValueService,
    MemoryRetrievalService,
)
from recollect.faces.knowledge.services.neo4j import Neo4jGraphService
from recollect.faces.knowledge.services.networkx import NetworkxGraphService
from recollect.faces.knowledge.services.redis import RedisKeyValueService
from recollect.faces.knowledge.services.sqlite import SQLiteKeyValueService
from recollect.faces.knowledge.services.sqlite_fts5 import SQLiteFTS5RetrievalService
from recollect.faces.knowledge.services.vectors import TextEmbedder, WordHashEmbedder

__all__ = [
    "ChromaRetrievalService",
    "ElasticsearchRetrievalService",
    "FileGraphService",
    "FileKeyValueService",
    "GraphServiceBase",
    "KeyValueServiceBase",
    "LanceDBRetrievalService",
    "MemoryGraphService",
    "MemoryKeyValueService",
    "MemoryRetrievalService",
    "Neo4jGraphService",
    "NetworkxGraphService",
    "RedisKeyValueService",
    "RetrievalServiceBase",
    "SQLiteFTS5RetrievalService",
    "SQLiteKeyValueService",
    "TextEmbedder",
    "WordHashEmbedder",
]
