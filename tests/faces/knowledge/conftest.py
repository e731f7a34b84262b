"""A memory with a neighbour's group in it, and a knowledge base on its graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import recollect
from recollect.faces.knowledge import KnowledgeBase, KnowledgeDataLoader, KnowledgePiece
from recollect.kernel import Nexus

TRACE: dict[str, Any] = {
    "metadata": {
        "user:alice": {
            "entity_type": "user",
            "properties": {"specialization": "turbomachinery", "team": "aero"},
        }
    },
    "pieces": [
        {
            "piece_id": "les-rans-init",
            "content": "Initialize transient LES from converged RANS -- cuts spin-up by ~40%",
            "knowledge_type": "procedure",
            "info_type": "instructions",
            "tags": ["les", "initialization", "rans"],
            "entity_id": "user:alice",
            "embedding_text": "LES RANS initialization spin-up transient",
        }
    ],
    "graph": {
        "nodes": [
            {"node_id": "user:alice", "node_type": "user", "label": "Alice"},
            {"node_id": "technique:les", "node_type": "technique", "label": "LES"},
        ],
        "edges": [
            {
                "source_id": "user:alice",
                "target_id": "technique:les",
                "edge_type": "SPECIALIZES_IN",
                "properties": {"piece_id": "les-rans-init"},
            }
        ],
    },
}
"""The document of the specification."""

DECOY = {
    **TRACE,
    "pieces": [{**TRACE["pieces"][0], "content": "LES of another tenant", "tags": ["les"]}],
}
QUESTION = "Set up an LES simulation for jet noise"


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        with KnowledgeBase(nexus=nexus.group("decoy")) as other:
            KnowledgeDataLoader().load(other, DECOY)
        yield nexus


@pytest.fixture
def kb(nexus: Nexus) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(nexus=nexus, active_entity_id="user:alice") as kb:
        yield kb


def piece(
    content: str = "LES starts from RANS.", piece_id: str = "p1", **more: Any
) -> KnowledgePiece:
    return KnowledgePiece(content, piece_id, **more)
