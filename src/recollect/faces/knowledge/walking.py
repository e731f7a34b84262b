"""From an entity along its outgoing edges. Specification 003, stage 3, "Graph traversal".

The rule: breadth first, so the nearest edges come first where there are too many. Every edge of a
node is told once, at the depth of its node plus one; an edge into the start is not.
"""

from __future__ import annotations

from typing import Any, Final

from recollect.faces.knowledge.stores import EntityGraphStore, KnowledgePieceStore

MOST_EDGES: Final = 10_000
"""Entries of one traversal."""


def walked(
    graph: EntityGraphStore, pieces: KnowledgePieceStore, start: str, depth: int
) -> list[dict[str, Any]]:
    """Return an entry for each edge, by (depth, source, type, target), at most `MOST_EDGES`."""
    entries: list[dict[str, Any]] = []
    for distance, hop in enumerate(graph.walk(start, depth, MOST_EDGES), 1):
        score = 1.0 / distance
        hop.sort()
        entries += [
            {
                "relation_type": kind,
                "source_node_id": source,
                "target_node_id": target,
                "target_label": label,
                "target_type": node_type,
                "depth": distance,
                "score": score,
                "piece": piece,
            }
            for source, kind, target, label, node_type, piece in hop[: MOST_EDGES - len(entries)]
        ]
    held = pieces.get_all({one["piece"] for one in entries} - {""})
    for entry in entries:
        entry["piece"] = held.get(entry["piece"])
    return entries
