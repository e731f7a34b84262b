"""The three layers that a knowledge base stands on, each an abstract class. Specification 003.

The rule: what is absent is None, what is returned is a copy, and after `close` every call is
STORE_CLOSED. The layers stay apart: metadata makes no node and a node no metadata. What takes or
gives several at once goes one by one, unless a store knows a quicker way.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from recollect.closing import Closing
from recollect.errors import INVALID_ARGUMENT, LIMIT_EXCEEDED, RecollectError, refused
from recollect.faces.knowledge.model import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgeType,
    checked_as,
    is_same,
)

Direction = Literal["outgoing", "incoming", "both"]

MOST_FOUND: Final = 1_000
"""Pieces of one search."""

MOST_DEPTH: Final = 10
"""Edges of one path."""


Step = tuple[str, str, str, str, str, str]
"""An edge on a walk: source, type, target, its label and type, and the piece or nothing."""


class MetadataStore(Closing):
    """Profiles by id. The type of an entity is its namespace, yet an id is found in any."""

    @abstractmethod
    def get_metadata(self, entity_id: str) -> EntityMetadata | None:
        """Return the profile of an entity, whatever its type."""

    def get_all(self, ids: Iterable[str]) -> dict[str, EntityMetadata]:
        """Return the profiles there are of some ids, by id."""
        found = ((one, self.get_metadata(one)) for one in ids)
        return {one: profile for one, profile in found if profile is not None}

    @abstractmethod
    def save_metadata(self, metadata: EntityMetadata) -> None:
        """Keep a profile in place of the one there is; under another type it moves there."""

    def save_all(self, given: Sequence[EntityMetadata]) -> None:
        """Keep profiles, as `save_metadata` does each."""
        for one in given:
            self.save_metadata(one)

    @abstractmethod
    def delete_metadata(self, entity_id: str) -> bool:
        """Remove a profile; False where there is none."""

    @abstractmethod
    def list_entities(self, entity_type: str | None = None) -> list[str]:
        """Return the ids of the entities that have a profile, in order."""


class KnowledgePieceStore(Closing):
    """Pieces by id and by words. The entity of a piece is its namespace; None is global."""

    @abstractmethod
    def add(self, piece: KnowledgePiece) -> str:
        """Keep a new piece and return its id; CONFLICT if the id is taken, by any entity."""

    @abstractmethod
    def get_by_id(self, piece_id: str) -> KnowledgePiece | None:
        """Return a piece."""

    def get_all(self, ids: Iterable[str]) -> dict[str, KnowledgePiece]:
        """Return the pieces there are of some ids, by id."""
        found = ((one, self.get_by_id(one)) for one in sorted(ids))
        return {one: piece for one, piece in found if piece is not None}

    def put_all(self, pieces: Sequence[KnowledgePiece]) -> None:
        """Keep pieces, whether their ids are there or not; what is the same is left alone."""
        for piece in pieces:
            held = self.get_by_id(checked_as(KnowledgePiece, piece).piece_id)
            if held is None:
                self.add(piece)
            elif not is_same(piece, held):
                self.update(piece)

    @abstractmethod
    def update(self, piece: KnowledgePiece) -> bool:
        """Keep a piece in place of the one with its id; False where there is none."""

    @abstractmethod
    def remove(self, piece_id: str) -> bool:
        """Remove a piece; False where there is none."""

    @abstractmethod
    def search(
        self,
        query: str,
        entity_id: str | None = None,
        knowledge_type: KnowledgeType | str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int = 5,
    ) -> list[tuple[KnowledgePiece, float]]:
        """Return the pieces of an entity that words find, by (-score, piece_id).

        `entity_id=None` means the global pieces only; `tags` are all demanded. Scores are above 0
        and at most 1. A blank query finds nothing.
        """

    def search_all(
        self,
        query: str,
        owners: Sequence[str | None],
        knowledge_type: KnowledgeType | str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int = 5,
    ) -> list[tuple[KnowledgePiece, float]]:
        """Return the best pieces of several entities together; None stands for the global ones."""
        found = [
            one
            for owner in owners
            for one in self.search(query, owner, knowledge_type, tags, top_k)
        ]
        return sorted(found, key=lambda one: (-one[1], one[0].piece_id))[:top_k]

    @abstractmethod
    def list_all(
        self, entity_id: str | None = None, knowledge_type: KnowledgeType | str | None = None
    ) -> list[KnowledgePiece]:
        """Return the pieces of an entity, or the global ones, by id."""


class EntityGraphStore(Closing):
    """Nodes and directed edges between them."""

    @abstractmethod
    def add_node(self, node: GraphNode) -> None:
        """Keep a node in place of the one with its id."""

    def add_nodes(self, nodes: Sequence[GraphNode]) -> None:
        """Keep nodes, as `add_node` does each."""
        for one in nodes:
            self.add_node(one)

    @abstractmethod
    def get_node(self, node_id: str) -> GraphNode | None:
        """Return a node."""

    @abstractmethod
    def remove_node(self, node_id: str) -> bool:
        """Remove a node with its edges; False where there is none."""

    @abstractmethod
    def add_relation(self, edge: GraphEdge) -> None:
        """Keep an edge in place of the same one; NOT_FOUND unless both its nodes are there.

        An edge is the same if source, target, type and `piece_id` are.
        """

    def add_relations(self, edges: Sequence[GraphEdge]) -> None:
        """Keep edges between nodes that are there, as `add_relation` does each."""
        for edge in edges:
            self.add_relation(edge)

    @abstractmethod
    def remove_relation(self, source_id: str, target_id: str, edge_type: str) -> bool:
        """Remove all edges of a type between two nodes; False where there is none."""

    @abstractmethod
    def get_relations(
        self, node_id: str, relation_type: str | None = None, direction: Direction = "outgoing"
    ) -> list[GraphEdge]:
        """Return the edges of a node, by source, type, target and piece."""

    def get_nodes(self, ids: Iterable[str]) -> dict[str, GraphNode]:
        """Return the nodes there are of some ids, by id."""
        found = ((one, self.get_node(one)) for one in ids)
        return {one: node for one, node in found if node is not None}

    def steps(self, ids: Sequence[str]) -> list[Step]:
        """Return the steps along the outgoing edges of several nodes."""
        edges = [edge for one in ids for edge in self.get_relations(one)]
        nodes = self.get_nodes({one.target_id for one in edges})
        return [
            (source, kind, target, at.label, at.node_type, piece)
            for source, target, kind, piece in (one.identity for one in edges)
            if (at := nodes.get(target)) is not None
        ]

    def walk(
        self, start: str, depth: int, most: int, edge_type: str | None = None
    ) -> list[list[Step]]:
        """Return the steps of each hop from a node, breadth first, but for those back into it.

        `edge_type` keeps edges of one. It ends with the hop that makes `most` steps or more.
        """
        hops: list[list[Step]] = []
        seen, level = {start}, [start]
        while level and len(hops) < depth and sum(map(len, hops)) < most:
            steps = self.steps(level)
            hops.append([one for one in steps if one[2] != start and edge_type in (None, one[1])])
            level = sorted({one[2] for one in hops[-1]} - seen)
            seen.update(level)
        return hops

    @abstractmethod
    def get_neighbors(
        self, node_id: str, relation_type: str | None = None, depth: int = 1
    ) -> list[tuple[GraphNode, int]]:
        """Return what outgoing edges lead to, breadth first, by (depth, id), without the start."""


def check_top_k(top_k: object) -> int:
    """Return a number of pieces; refused unless from 1 to `MOST_FOUND`."""
    return _check_whole("top_k", top_k, 1, MOST_FOUND)


def check_depth(depth: object, name: str = "depth") -> int:
    """Return a number of edges; refused unless from 0, which leads nowhere, to `MOST_DEPTH`."""
    return _check_whole(name, depth, 0, MOST_DEPTH)


def check_direction(direction: object) -> Direction:
    """Return a direction, or refuse it."""
    match direction:
        case "outgoing" | "incoming" | "both":
            return direction
        case _:
            raise refused(
                f"direction {str(direction)[:60]} is not known", "use outgoing, incoming or both"
            )


def _check_whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise refused(f"{name} is not a whole number", f"use {name}={max(least, 1)}")
    if not least <= value <= most:
        code = INVALID_ARGUMENT if value < least else LIMIT_EXCEEDED
        raise RecollectError(
            code, f"{name} is {value}, not {least} to {most}", hint=f"use {name}={max(least, 1)}"
        )
    return value
