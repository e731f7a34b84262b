"""The services whose clients are in the environment of `make services` alone."""

from __future__ import annotations

from faces.knowledge.services.backends import GRAPH, KEY_VALUE, Make
from faces.knowledge.services.with_clients.foreign import elasticsearch_service, neo4j_service
from recollect.faces.knowledge.services import ChromaRetrievalService, LanceDBRetrievalService

FOREIGN: dict[str, dict[str, Make]] = {
    "key_value": {"memory": KEY_VALUE["memory"]},
    "retrieval": {
        "chroma": lambda folder: ChromaRetrievalService("knowledge", folder / "chroma"),
        "lancedb": lambda folder: LanceDBRetrievalService(folder / "lance"),
        "elasticsearch": elasticsearch_service,
    },
    "graph": {"memory": GRAPH["memory"], "neo4j": neo4j_service},
}
