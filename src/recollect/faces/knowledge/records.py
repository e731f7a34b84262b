"""How knowledge stands in the graph: a piece, a profile and a node as concepts, an edge as a link.

The rule: what this page makes of a value, it makes a value of again. A global piece has the empty
text for its entity, so that one index finds both. A profile and a node of one id are one concept,
each with attributes of its own. Empty is what a piece names and nobody described.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from recollect.faces.knowledge.model import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgeType,
)
from recollect.model import SEARCH_ATTRIBUTES, SEARCH_NAME, Attributes, Concept, Instant, Link

PIECE: Final = "KnowledgePiece"
ENTITY: Final = "KnowledgeEntity"
BELONGS_TO: Final = "belongs_to"
"""From a piece to its entity."""

OWNER: Final = "entity_id"
PROFILE: Final = frozenset({"entity_type", "properties"})
NODE: Final = frozenset({"node_type", "label", "node_properties"})

SEARCHED: Final[Attributes] = {
    SEARCH_ATTRIBUTES: ["content", "tags", "embedding_text"],
    SEARCH_NAME: False,
}
"""What the metadata of a piece says of how it is found: never by the words of its id."""

_CREATED: Final = "created_at"
_UPDATED: Final = "updated_at"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment_of(instant: Instant) -> datetime:
    """Return an instant of the memory.

    >>> moment_of(Instant(1)).isoformat()
    '1970-01-01T00:00:00.001000+00:00'
    """
    return _EPOCH + timedelta(milliseconds=instant)


def piece_attributes(piece: KnowledgePiece) -> Attributes:
    """Return what the concept of a piece says."""
    return {
        "content": piece.content,
        "knowledge_type": piece.knowledge_type.value,
        "info_type": piece.info_type,
        "tags": list(piece.tags),
        OWNER: piece.entity_id or "",
        "source": piece.source,
        "embedding_text": piece.embedding_text,
    }


def piece_of(concept: Concept) -> KnowledgePiece:
    """Return the piece that a concept is."""
    said = cast("Mapping[str, Any]", concept.attributes)
    return KnowledgePiece.checked_before(
        content=said["content"],
        piece_id=concept.name,
        knowledge_type=KnowledgeType(said["knowledge_type"]),
        info_type=said["info_type"],
        tags=list(said["tags"]),
        entity_id=said[OWNER] or None,
        source=said["source"],
        embedding_text=said["embedding_text"],
        **_instants(concept.metadata),
    )


def profile_attributes(metadata: EntityMetadata) -> Attributes:
    """Return what the concept of an entity says of its profile."""
    return {"entity_type": metadata.entity_type, "properties": metadata.properties}


def profile_of(concept: Concept) -> EntityMetadata | None:
    """Return the profile in a concept; None where nobody gave one."""
    said = cast("Mapping[str, Any]", concept.attributes)
    if "entity_type" not in said:
        return None
    return EntityMetadata(
        concept.name, said["entity_type"], said["properties"], **_instants(concept.metadata)
    )


def node_attributes(node: GraphNode) -> Attributes:
    """Return what the concept of an entity says of its node."""
    return {"node_type": node.node_type, "label": node.label, "node_properties": node.properties}


def node_of(concept: Concept) -> GraphNode | None:
    """Return the node in a concept; None where nobody gave one."""
    said = cast("Mapping[str, Any]", concept.attributes)
    if "node_type" not in said:
        return None
    return GraphNode(concept.name, said["node_type"], said["label"], said["node_properties"])


def edge_of(link: Link, source: str, target: str) -> GraphEdge:
    """Return the edge that a link between two concepts is."""
    return GraphEdge(source, target, link.predicate, dict(link.attributes))


def dates(created: datetime, updated: datetime) -> Attributes:
    """Return what the metadata of a concept says of when it was made and changed."""
    return {_CREATED: created.isoformat(), _UPDATED: updated.isoformat()}


def _instants(metadata: Attributes) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(one) if isinstance(one := metadata.get(name), str) else _EPOCH
        for name in (_CREATED, _UPDATED)
    }
