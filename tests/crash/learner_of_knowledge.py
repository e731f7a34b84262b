"""Loads documents of knowledge one after another, and says which are in the memory."""

from __future__ import annotations

import sys
from pathlib import Path

import recollect
from recollect.faces.knowledge import KnowledgeBase, KnowledgeDataLoader

PIECES = 20


def document(number: int) -> dict:
    """The whole of one load: an entity, its pieces, and an edge to each."""
    entity = f"entity:{number}"
    pieces = [f"{number}-{at}" for at in range(PIECES)]
    nodes = [{"node_id": one, "node_type": "node"} for one in (entity, *pieces)]
    edges = [
        {
            "source_id": entity,
            "target_id": one,
            "edge_type": "HAS",
            "properties": {"piece_id": one},
        }
        for one in pieces
    ]
    return {
        "metadata": {entity: {"entity_type": "entity", "properties": {"n": number}}},
        "pieces": [
            {"piece_id": one, "content": f"words {one}", "entity_id": entity} for one in pieces
        ],
        "graph": {"nodes": nodes, "edges": edges},
    }


def main() -> None:
    path, first = Path(sys.argv[1]), int(sys.argv[2])
    with recollect.open(path) as nexus, KnowledgeBase(nexus=nexus) as kb:
        for number in range(first, 10**6):
            KnowledgeDataLoader().load(kb, document(number))
            print(number, flush=True)  # noqa: T201 - what is acknowledged


if __name__ == "__main__":
    main()
