"""What was found, as one text for a prompt. Specification 003, "Formatting and Determinism".

The rule: the same result gives the same characters, in whatever order its parts stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from recollect.faces.knowledge.model import (
    EntityMetadata,
    KnowledgePiece,
    RetrievalResult,
    checked_as,
)
from recollect.node import dataclass

Scored = Sequence[tuple[KnowledgePiece, float]]
Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KnowledgeFormatter:
    """Writes results in the layout of the specification.

    >>> piece = KnowledgePiece("Check the mesh.", "p1", tags=["mesh"])
    >>> found = RetrievalResult(pieces=[(piece, 0.854)])
    >>> print(KnowledgeFormatter(include_scores=True).format(found))
    [Knowledge]
    [fact] Check the mesh. (score: 0.85)
      Tags: mesh
    """

    section_delimiter: str = "\n\n"
    item_delimiter: str = "\n---\n"
    include_tags: bool = True
    include_scores: bool = False

    def __post_init__(self) -> None:
        checked_as(str, self.section_delimiter)
        checked_as(str, self.item_delimiter)

    def format(self, result: RetrievalResult) -> str:
        """Return the sections that say something."""
        checked_as(RetrievalResult, result)
        pieces = by_score(result.pieces)
        told = {piece.piece_id for piece, _ in pieces}
        edges = sorted(result.graph_context, key=_order)
        sections = {
            "Metadata": "\n".join(property_lines(result.metadata)),
            "Global Metadata": "\n".join(property_lines(result.global_metadata)),
            "Knowledge": self.item_delimiter.join(self._piece(*one) for one in pieces),
            "Relationships": "\n".join(self._relation(one, told) for one in edges),
        }
        return self.section_delimiter.join(
            f"[{name}]\n{text}" for name, text in sections.items() if text
        )

    def _piece(self, piece: KnowledgePiece, score: float) -> str:
        line = piece_line(piece)
        if self.include_scores:
            line += f" (score: {score:.2f})"
        if self.include_tags and piece.tags:
            line += f"\n  Tags: {', '.join(piece.tags)}"
        return line

    @staticmethod
    def _relation(entry: Entry, told: set[str]) -> str:
        piece = entry.get("piece")
        if isinstance(piece, KnowledgePiece) and piece.piece_id not in told:
            return relation_line(entry, piece.content)
        return relation_line(entry)


def by_score(pieces: Scored) -> list[tuple[KnowledgePiece, float]]:
    """Return pieces by (-score, piece_id)."""
    return sorted(pieces, key=lambda one: (-one[1], one[0].piece_id))


def property_lines(
    metadata: EntityMetadata | None, hidden: frozenset[str] = frozenset()
) -> list[str]:
    """Return the properties of a profile as lines, by key."""
    if metadata is None:
        return []
    shown = sorted(metadata.properties.items())
    return [f"{key}: {value_text(value)}" for key, value in shown if key not in hidden]


def value_text(value: object) -> str:
    """Return a property as a prompt has it: a text as it is, else JSON."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def piece_line(piece: KnowledgePiece) -> str:
    """Return a piece after its knowledge type."""
    return f"[{piece.knowledge_type.value}] {piece.content}"


def relation_line(entry: Entry, told: str | None = None) -> str:
    """Return a relation: its type, where it leads, and the label there or what is told instead.

    >>> relation_line({"relation_type": "USES", "target_node_id": "technique:les",
    ...                "target_label": "LES"})
    'USES → Technique:les (LES)'
    """
    target: str = entry["target_node_id"]
    kind, colon, name = target.partition(":")
    shown = f"{kind[:1].upper()}{kind[1:]}:{name}" if colon else target
    label = told if told is not None else entry.get("target_label")
    return f"{entry['relation_type']} → {shown}" + (f" ({label})" if label else "")


def _order(entry: Entry) -> tuple[str, str, str, str]:
    piece = entry.get("piece")
    piece_id = piece.piece_id if isinstance(piece, KnowledgePiece) else ""
    return (entry["relation_type"], entry["target_node_id"], entry["source_node_id"], piece_id)
