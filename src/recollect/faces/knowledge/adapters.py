"""The three layers of a knowledge base on services: thin, and the same over every client.

The rule: the type of an entity is the namespace of its profile, the entity of a piece that of the
piece, and a graph has the one it is given. What the layers promise beyond one namespace, that an id
is found in any and taken by one only, is done here: first the new place is written, then the old
one cleared, so a process that is killed loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import RLock
from typing import Any

from recollect.errors import CONFLICT
from recollect.faces.knowledge.model import (
    Document,
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgeType,
    checked_as,
    checked_id,
    checked_tags,
    is_same,
    now,
)
from recollect.faces.knowledge.services.base import (
    GraphServiceBase,
    KeyValueServiceBase,
    RetrievalServiceBase,
)
from recollect.faces.knowledge.stores import (
    Direction,
    EntityGraphStore,
    KnowledgePieceStore,
    MetadataStore,
)


class KeyValueMetadataStore(MetadataStore):
    """Profiles in a key-value service.

    >>> from recollect.faces.knowledge.services import MemoryKeyValueService
    >>> store = KeyValueMetadataStore(MemoryKeyValueService())
    >>> store.save_metadata(EntityMetadata("user:alice", "user", {"team": "aero"}))
    >>> store.get_metadata("user:alice").get("team"), store.list_entities("user")
    ('aero', ['user:alice'])
    """

    def __init__(self, service: KeyValueServiceBase) -> None:
        self.service = service
        self._lock = RLock()

    def get_metadata(self, entity_id: str) -> EntityMetadata | None:
        """Return the profile of an entity, whatever its type."""
        held = [self.service.get(entity_id, one) for one in self.service.holders(entity_id)]
        found = [EntityMetadata.from_dict(one) for one in held if isinstance(one, dict)]
        return max(found, key=lambda one: one.updated_at, default=None)

    def save_metadata(self, metadata: EntityMetadata) -> None:
        """Keep a profile in place of the one there is; under another type it moves there."""
        with self._lock:
            held = self.get_metadata(checked_as(EntityMetadata, metadata).entity_id)
            if held is None or not is_same(metadata, held):
                born = metadata.created_at if held is None else held.created_at
                kept = replace(metadata, created_at=min(metadata.created_at, born))
                self.service.put(kept.entity_id, kept.to_dict(), kept.entity_type)
            for one in self.service.holders(metadata.entity_id):
                if one != metadata.entity_type:
                    self.service.delete(metadata.entity_id, one)

    def delete_metadata(self, entity_id: str) -> bool:
        """Remove a profile; False where there is none."""
        with self._lock:
            held = self.service.holders(entity_id)
            return sum(self.service.delete(entity_id, one) for one in held) > 0

    def list_entities(self, entity_type: str | None = None) -> list[str]:
        """Return the ids of the entities that have a profile, in order."""
        spaces = self.service.namespaces() if entity_type is None else [entity_type]
        return sorted({key for space in spaces for key in self.service.keys(space)})

    def close(self) -> None:
        """Close the service."""
        self.service.close()


class RetrievalKnowledgePieceStore(KnowledgePieceStore):
    """Pieces in a retrieval service: each is a document, its other fields are the metadata.

    >>> from recollect.faces.knowledge.services import MemoryRetrievalService
    >>> store = RetrievalKnowledgePieceStore(MemoryRetrievalService())
    >>> store.add(KnowledgePiece("Check the mesh first.", "mesh", tags=["cht"]))
    'mesh'
    >>> [piece.piece_id for piece, score in store.search("a CHT run")]
    ['mesh']
    """

    def __init__(self, service: RetrievalServiceBase) -> None:
        self.service = service
        self._lock = RLock()

    def add(self, piece: KnowledgePiece) -> str:
        """Keep a new piece and return its id; CONFLICT if the id is taken, by any entity."""
        with self._lock:
            if self.service.holders(checked_as(KnowledgePiece, piece).piece_id):
                raise CONFLICT.error(
                    f'the piece "{piece.piece_id}" is there already', "use update to replace it"
                )
            return self.service.add(_document(piece), piece.entity_id)

    def get_by_id(self, piece_id: str) -> KnowledgePiece | None:
        """Return a piece."""
        held = [self.service.get_by_id(piece_id, one) for one in self.service.holders(piece_id)]
        found = [_piece(one) for one in held if one is not None]
        return max(found, key=lambda one: one.updated_at, default=None)

    def update(self, piece: KnowledgePiece) -> bool:
        """Keep a piece in place of the one with its id; False where there is none.

        `updated_at` becomes now; `created_at` stays.
        """
        with self._lock:
            old = self.get_by_id(checked_as(KnowledgePiece, piece).piece_id)
            if old is None:
                return False
            document = _document(replace(piece, created_at=old.created_at, updated_at=now()))
            if not self.service.update(document, piece.entity_id):
                self.service.add(document, piece.entity_id)
            for one in self.service.holders(piece.piece_id):
                if one != piece.entity_id:
                    self.service.remove(piece.piece_id, one)
            return True

    def remove(self, piece_id: str) -> bool:
        """Remove a piece; False where there is none."""
        with self._lock:
            held = self.service.holders(piece_id)
            return sum(self.service.remove(piece_id, one) for one in held) > 0

    def search(
        self,
        query: str,
        entity_id: str | None = None,
        knowledge_type: KnowledgeType | str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int = 5,
    ) -> list[tuple[KnowledgePiece, float]]:
        """Return the pieces of an entity, or the global ones, that words find, best first."""
        filters = _filters(knowledge_type, tags)
        found = self.service.search(query, filters, entity_id, top_k)
        return [(_piece(document), score) for document, score in found]

    def list_all(
        self, entity_id: str | None = None, knowledge_type: KnowledgeType | str | None = None
    ) -> list[KnowledgePiece]:
        """Return the pieces of an entity, or the global ones, by id."""
        found = self.service.list_all(_filters(knowledge_type, None), entity_id)
        return [_piece(one) for one in found]

    def close(self) -> None:
        """Close the service."""
        self.service.close()


class GraphServiceEntityGraphStore(EntityGraphStore):
    """The entity graph in one namespace of a graph service.

    >>> from recollect.faces.knowledge.services import MemoryGraphService
    >>> store = GraphServiceEntityGraphStore(MemoryGraphService(), namespace="tenant")
    >>> store.add_node(GraphNode("technique:les", "technique", "LES"))
    >>> store.get_node("technique:les").label
    'LES'
    """

    def __init__(self, graph_service: GraphServiceBase, namespace: str | None = None) -> None:
        self.service = graph_service
        self.namespace = None if namespace is None else checked_id("namespace", namespace)

    def add_node(self, node: GraphNode) -> None:
        """Keep a node in place of the one with its id."""
        self.service.add_node(node, self.namespace)

    def get_node(self, node_id: str) -> GraphNode | None:
        """Return a node."""
        return self.service.get_node(node_id, self.namespace)

    def remove_node(self, node_id: str) -> bool:
        """Remove a node with its edges; False where there is none."""
        return self.service.remove_node(node_id, self.namespace)

    def add_relation(self, edge: GraphEdge) -> None:
        """Keep an edge in place of the same one; NOT_FOUND unless both its nodes are there."""
        self.service.add_edge(edge, self.namespace)

    def remove_relation(self, source_id: str, target_id: str, edge_type: str) -> bool:
        """Remove all edges of a type between two nodes; False where there is none."""
        return self.service.remove_edge(source_id, target_id, edge_type, self.namespace)

    def get_relations(
        self, node_id: str, relation_type: str | None = None, direction: Direction = "outgoing"
    ) -> list[GraphEdge]:
        """Return the edges of a node, by source, type, target and piece."""
        return self.service.get_edges(node_id, relation_type, direction, self.namespace)

    def get_neighbors(
        self, node_id: str, relation_type: str | None = None, depth: int = 1
    ) -> list[tuple[GraphNode, int]]:
        """Return what outgoing edges lead to, by (depth, id), without the start."""
        return self.service.get_neighbors(node_id, relation_type, depth, self.namespace)

    def close(self) -> None:
        """Close the service."""
        self.service.close()


_IN_METADATA = ("knowledge_type", "info_type", "tags", "entity_id", "source", "embedding_text")


def _document(piece: KnowledgePiece) -> Document:
    """Return a piece as a document, whose tags are searched beside its texts."""
    told = piece.to_dict()
    searched = "\n".join(filter(None, (piece.embedding_text, " ".join(piece.tags))))
    return Document(
        piece.piece_id,
        piece.content,
        {name: told[name] for name in _IN_METADATA},
        searched or None,
        piece.created_at,
        piece.updated_at,
    )


def _piece(document: Document) -> KnowledgePiece:
    told: dict[str, Any] = {name: document.metadata.get(name) for name in _IN_METADATA}
    return KnowledgePiece(
        content=document.content,
        piece_id=document.doc_id,
        created_at=document.created_at,
        updated_at=document.updated_at,
        **told,
    )


def _filters(
    knowledge_type: KnowledgeType | str | None, tags: Sequence[str] | None
) -> dict[str, object]:
    filters: dict[str, object] = {}
    if knowledge_type is not None:
        filters["knowledge_type"] = KnowledgeType(knowledge_type).value
    wanted = [] if tags is None else checked_tags(tags)
    if wanted:
        filters["tags"] = wanted
    return filters
