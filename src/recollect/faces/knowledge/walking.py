"""From an entity along its outgoing edges. Specification 003, stage 3, "Graph traversal".

The rule: breadth first, so the nearest edges come first where there are too many. Every edge of a
node is told once, at the depth of its node plus one; an edge into the start is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from recollect.faces.knowledge.stores import EntityGraphStore, KnowledgePieceStore, Step

MOST_EDGES: Final = 10_000
"""Entries of one traversal."""


def walked(
    graph: EntityGraphStore, pieces: KnowledgePieceStore, start: str, depth: int
) -> list[dict[str, Any]]:
    """Return an entry for each edge, by (depth, source, type, target), at most `MOST_EDGES`."""
    entries: list[dict[str, Any]] = []
    seen, level = {start}, [start]
    for distance in range(1, depth + 1):
        beyond: dict[str, None] = {}
        for step in graph.steps(level):
            if step.target == start:
                continue
            entries.append(_entry(step, distance))
            if step.target not in seen:
                beyond[step.target] = None
        seen |= beyond.keys()
        level = sorted(beyond)
        if not level or len(entries) >= MOST_EDGES:
            break
    entries.sort(key=_order)
    kept = entries[:MOST_EDGES]
    held = pieces.get_all({one["piece"] for one in kept if one["piece"] is not None})
    for entry in kept:
        entry["piece"] = None if entry["piece"] is None else held.get(entry["piece"])
    return kept


def _entry(step: Step, distance: int) -> dict[str, Any]:
    return {
        "relation_type": step.edge_type,
        "source_node_id": step.source,
        "target_node_id": step.target,
        "target_label": step.label,
        "target_type": step.node_type,
        "depth": distance,
        "score": 1.0 / distance,
        "piece": step.piece_id,  # until all of them are looked up together
    }


def _order(entry: Mapping[str, Any]) -> tuple[int, str, str, str, str]:
    return (
        entry["depth"],
        entry["source_node_id"],
        entry["relation_type"],
        entry["target_node_id"],
        entry["piece"] or "",
    )
