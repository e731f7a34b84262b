"""The three layers on the one graph: what KIP, search, time travel and erasure work on too.

The rule: every change is one batch, so it is one transaction, and what does not change anything
writes nothing. Removing closes a concept, which stays readable as of the past. The stores share
a memory and close nothing that was given to them.

A piece, a profile and a node are concepts, an edge is a link, and what is made of a value, a value
is made of again. A global piece has the empty text for its entity, so that one index finds both. A
profile and a node of one id are one concept, each with attributes of its own. Empty is what a piece
names and nobody described.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, Self, cast

from recollect.errors import (
    CONFLICT,
    RESOURCE_NOT_FOUND,
    STORE_CLOSED,
    VERSION_CONFLICT,
    RecollectError,
    refused,
)
from recollect.faces.knowledge.model import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgeType,
    checked_as,
    checked_id,
    checked_tags,
)
from recollect.faces.knowledge.stores import (
    Direction,
    EntityGraphStore,
    KnowledgePieceStore,
    MetadataStore,
    Step,
    check_depth,
    check_direction,
    check_top_k,
)
from recollect.kernel import Nexus
from recollect.model import (
    SEARCH_ATTRIBUTES,
    SEARCH_NAME,
    AsOf,
    Attributes,
    Change,
    Concept,
    Delete,
    Instant,
    Joint,
    Key,
    Link,
    PutConcept,
    PutLink,
    RemoveKeys,
    Value,
)

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


_ALL: Final = 'FIND(?one) WHERE { ?one {type: "%s"} }'
_THEN: Final = "FIND(?one) WHERE { ?one {type: $type} FILTER(IN(?one.name, $names)) } LIMIT 50000"
End = Literal["subject", "object"]
_EVERY: Final = 2**63  # edges of a walk


class OnNexus:
    """What the three stores share: the memory, and whether they are closed."""

    as_of: AsOf | None = None

    def __init__(self, nexus: Nexus, actor: str | None = None) -> None:
        self._memory = checked_as(Nexus, nexus)
        self._actor = actor  # in the record of what is written
        self._is_closed = False

    def at(self, as_of: AsOf) -> Self:
        """Return the store as it stood at a moment."""
        then = copy(self)
        then.as_of = as_of
        return then

    @property
    def nexus(self) -> Nexus:
        """The memory; STORE_CLOSED after `close`."""
        if self._is_closed:
            raise STORE_CLOSED.error("the store is closed", "make a new one")
        return self._memory

    def close(self) -> None:
        """Close the store and not the memory; twice is safe."""
        self._is_closed = True

    def write(self, changes: Sequence[Change]) -> None:
        """Make changes, in one transaction; none of a store as it stood."""
        if self.as_of is not None:
            raise refused("the past is not written", "use the base of now")
        if changes:
            self.nexus.write(changes, actor=self._actor)

    def _entities(self, ids: Iterable[str]) -> dict[str, Concept]:
        return self._concepts(ENTITY, {checked_id("entity_id", one) for one in ids})

    def _concepts(self, kind: str, names: Collection[str]) -> dict[str, Concept]:
        """Return the concepts of a type by their names, as of the moment of the store."""
        if self.as_of is None:
            return self.nexus.concepts.named(kind, names)
        given: dict[str, Value] = {"type": kind, "names": [*names]}
        found = self._read_concepts(_THEN, given) if names else []
        return {one.name: one for one in found}

    def _all(self, kind: str) -> list[Concept]:
        return self._read_concepts(_ALL % kind)

    def _read_concepts(self, text: str, given: Mapping[str, Value] | None = None) -> list[Concept]:
        (rows,) = self.nexus.read(text, given, as_of=self.as_of).results
        return [one for (one,) in getattr(rows, "rows", ()) if isinstance(one, Concept)]

    def _joined(self, id: str, end: End, predicates: Collection[str] | None = None) -> list[Joint]:
        """Return the links that begin or end at an element, as of the moment of the store."""
        return self.nexus.joints.at([id], end, predicates, as_of=self.as_of)

    def _emptied(self, concept: Concept, gone: frozenset[str]) -> list[Change]:
        """Return what takes attributes from an entity, and closes it if nothing is left of it."""
        left = concept.attributes.keys() - gone
        is_named = self._joined(concept.id, "object", [BELONGS_TO])
        if not left & (PROFILE | NODE) and not is_named:
            return [Delete(concept.id)]
        return [RemoveKeys(concept.id, gone & concept.attributes.keys())]


class NexusMetadataStore(OnNexus, MetadataStore):
    """Profiles of entities as concepts of the type `KnowledgeEntity`."""

    def get_metadata(self, entity_id: str) -> EntityMetadata | None:
        """Return the profile of an entity."""
        return self.get_all([entity_id]).get(checked_id("entity_id", entity_id))

    def get_all(self, ids: Iterable[str]) -> dict[str, EntityMetadata]:
        """Return the profiles there are of some ids, in one look."""
        found = {name: profile_of(one) for name, one in self._entities(ids).items()}
        return {name: one for name, one in found.items() if one is not None}

    def save_metadata(self, metadata: EntityMetadata) -> None:
        """Keep a profile in place of the one there is."""
        self.save_all([metadata])

    def save_all(self, given: Sequence[EntityMetadata]) -> None:
        """Keep profiles, in one transaction; one that says nothing new is left alone."""
        self.write(self.saved(given))

    def saved(self, given: Sequence[EntityMetadata]) -> list[Change]:
        """Return what keeps profiles."""
        held = self._entities(checked_as(EntityMetadata, one).entity_id for one in given)
        changes: list[Change] = []
        for one in given:
            before = held.get(one.entity_id)
            said = profile_attributes(one)
            profile = None if before is None else profile_of(before)
            if profile is not None and profile_attributes(profile) == said:
                continue
            born = one.created_at if profile is None else profile.created_at
            when = dates(min(one.created_at, born), one.updated_at)
            changes.append(PutConcept(ENTITY, one.entity_id, said, when))
        return changes

    def delete_metadata(self, entity_id: str) -> bool:
        """Remove a profile; the node of the same id stays."""
        held = self._entities([entity_id]).get(checked_id("entity_id", entity_id))
        if held is None or profile_of(held) is None:
            return False
        self.write(self._emptied(held, PROFILE))
        return True

    def list_entities(self, entity_type: str | None = None) -> list[str]:
        """Return the ids of the entities that have a profile, in order."""
        kind = None if entity_type is None else checked_id("entity_type", entity_type)
        found = (profile_of(one) for one in self._all(ENTITY))
        return sorted(
            one.entity_id for one in found if one is not None and kind in (None, one.entity_type)
        )


class NexusKnowledgePieceStore(OnNexus, KnowledgePieceStore):
    """Pieces as concepts of the type `KnowledgePiece`, linked to their entities."""

    def add(self, piece: KnowledgePiece) -> str:
        """Keep a new piece; CONFLICT if its id is taken."""
        try:
            self.write(_kept(checked_as(KnowledgePiece, piece), None))
        except RecollectError as error:
            if error.code is not VERSION_CONFLICT:
                raise
            raise CONFLICT.error(
                f'a piece with the id "{piece.piece_id}" is there already',
                "update it, or give another piece_id",
            ) from error
        return piece.piece_id

    def get_by_id(self, piece_id: str) -> KnowledgePiece | None:
        """Return a piece."""
        return self.get_all([piece_id]).get(checked_id("piece_id", piece_id))

    def get_all(self, ids: Iterable[str]) -> dict[str, KnowledgePiece]:
        """Return the pieces there are of some ids, in one look."""
        return {name: piece_of(one) for name, one in self._named(ids).items()}

    def update(self, piece: KnowledgePiece) -> bool:
        """Keep a piece in place of the one with its id, and touch `updated_at`."""
        with self.nexus.transaction():
            held = self._named([checked_as(KnowledgePiece, piece).piece_id]).get(piece.piece_id)
            if held is None:
                return False
            moment = moment_of(self.nexus.now())
            dated = replace(piece, created_at=piece_of(held).created_at, updated_at=moment)
            self.write(self._replaced(dated, held))
        return True

    def put_all(self, pieces: Sequence[KnowledgePiece]) -> None:
        """Keep pieces, new ones and others, in one transaction; what is the same is left alone."""
        with self.nexus.transaction():
            self.write(self.put(pieces))

    def put(self, pieces: Sequence[KnowledgePiece], living: Set[str] = frozenset()) -> list[Change]:
        """Return what keeps pieces; entities that are `living` stay without any."""
        held = self._named(checked_as(KnowledgePiece, one).piece_id for one in pieces)
        living = living | {one.entity_id for one in pieces if one.entity_id is not None}
        changes: list[Change] = []
        new: list[KnowledgePiece] = []
        for piece in {one.piece_id: one for one in pieces}.values():
            before = held.get(piece.piece_id)
            if before is None:
                new.append(piece)
            elif piece_attributes(piece_of(before)) != piece_attributes(piece):
                moment = moment_of(self.nexus.now())
                created = piece_of(before).created_at
                dated = replace(piece, created_at=created, updated_at=moment)
                changes += self._replaced(dated, before, living)
        owners = dict.fromkeys(one.entity_id for one in new if one.entity_id is not None)
        changes += [PutConcept(ENTITY, one) for one in owners]
        for piece in new:
            changes += _kept(piece, None, has_owner=True)
        return changes

    def remove(self, piece_id: str) -> bool:
        """Remove a piece; its past stays readable."""
        with self.nexus.transaction():
            held = self._named([piece_id]).get(checked_id("piece_id", piece_id))
            if held is None:
                return False
            changes: list[Change] = [Delete(held.id)]
            owner = held.attributes[OWNER]
            if isinstance(owner, str) and owner:
                changes += self._left(owner, [held.id])
            self.write(changes)
        return True

    def search(
        self,
        query: str,
        entity_id: str | None = None,
        knowledge_type: KnowledgeType | str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int = 5,
    ) -> list[tuple[KnowledgePiece, float]]:
        """Return the pieces of an entity that words find, by (-score, piece_id)."""
        return self.search_all(query, [entity_id], knowledge_type, tags, top_k)

    def search_all(
        self,
        query: str,
        owners: Sequence[str | None],
        knowledge_type: KnowledgeType | str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int = 5,
    ) -> list[tuple[KnowledgePiece, float]]:
        """Return the best pieces of several owners together: None stands for the global ones.

        Ranked by BM25 over the words of the query; owners and type filter before that. Cost: the
        hits of the words among them; tags are compared hit by hit.
        """
        check_top_k(top_k)
        wanted = set(checked_tags(tags or []))
        concepts, looked = self.nexus.concepts, top_k
        if not (checked_as(str, query).strip() and owners):
            return []
        ids = ["" if one is None else checked_id("entity_id", one) for one in owners]
        where: dict[str, list[str]] = {OWNER: ids}
        if knowledge_type is not None:
            where["knowledge_type"] = [KnowledgeType(knowledge_type).value]
        while True:
            ranked = concepts.saying(query, PIECE, where, looked, as_of=self.as_of)
            pieces = ((piece_of(one), score) for one, score in ranked)
            fitting = [one for one in pieces if wanted <= set(one[0].tags)]
            if len(fitting) >= top_k or len(ranked) < looked:
                return fitting[:top_k]
            looked *= 4

    def list_all(
        self, entity_id: str | None = None, knowledge_type: KnowledgeType | str | None = None
    ) -> list[KnowledgePiece]:
        """Return the pieces of an entity, or the global ones, by id."""
        kind = None if knowledge_type is None else KnowledgeType(knowledge_type)
        if entity_id is None:
            found = [piece_of(one) for one in self._all(PIECE) if not one.attributes[OWNER]]
        else:
            entity = self._entities([entity_id]).get(checked_id("entity_id", entity_id))
            joints = [] if entity is None else self._joined(entity.id, "object", [BELONGS_TO])
            found = [piece_of(one.far) for one in joints if one.far is not None]
        fitting = [one for one in found if kind in (None, one.knowledge_type)]
        return sorted(fitting, key=lambda one: one.piece_id)

    def _named(self, ids: Iterable[str]) -> dict[str, Concept]:
        return self._concepts(PIECE, {checked_id("piece_id", one) for one in ids})

    def _replaced(
        self, piece: KnowledgePiece, held: Concept, living: Set[str] = frozenset()
    ) -> list[Change]:
        owner = held.attributes[OWNER]
        if not isinstance(owner, str) or not owner or owner == piece.entity_id:
            return _kept(piece, held)
        joints = self._joined(held.id, "subject", [BELONGS_TO])
        moved: list[Change] = [Delete(one.link.id) for one in joints]
        left = [] if owner in living else self._left(owner, [held.id])
        return [*moved, *_kept(piece, held), *left]

    def _left(self, owner: str, gone: Sequence[str]) -> list[Change]:
        """Return what closes an entity that only pieces named, when the last of them goes."""
        entity = self._entities([owner]).get(owner)
        if entity is None or entity.attributes.keys() & (PROFILE | NODE):
            return []
        joints = self._joined(entity.id, "object", [BELONGS_TO])
        others = [one for one in joints if one.link.subject not in gone]
        return [] if others else [Delete(entity.id)]


class NexusEntityGraphStore(OnNexus, EntityGraphStore):
    """Nodes as concepts of the type `KnowledgeEntity`, edges as links between them."""

    def add_node(self, node: GraphNode) -> None:
        """Keep a node in place of the one with its id."""
        self.add_nodes([node])

    def add_nodes(self, nodes: Sequence[GraphNode]) -> None:
        """Keep nodes, in one transaction."""
        self.write(self.added(nodes))

    def added(self, nodes: Sequence[GraphNode]) -> list[Change]:
        """Return what keeps nodes."""
        held = self._entities(checked_as(GraphNode, one).node_id for one in nodes)
        changes: list[Change] = []
        for node in nodes:
            before = held.get(node.node_id)
            if before is None or node_of(before) != node:
                changes.append(PutConcept(ENTITY, node.node_id, node_attributes(node)))
        return changes

    def get_node(self, node_id: str) -> GraphNode | None:
        """Return a node."""
        return self.get_nodes([node_id]).get(checked_id("node_id", node_id))

    def get_nodes(self, ids: Iterable[str]) -> dict[str, GraphNode]:
        """Return the nodes there are of some ids, in one look."""
        found = {name: node_of(one) for name, one in self._entities(ids).items()}
        return {name: one for name, one in found.items() if one is not None}

    def remove_node(self, node_id: str) -> bool:
        """Remove a node with its edges; the profile of the same id stays."""
        with self.nexus.transaction():
            held = self._entities([node_id]).get(checked_id("node_id", node_id))
            if held is None or node_of(held) is None:
                return False
            emptied = self._emptied(held, NODE)
            edges: list[Change] = []
            if not isinstance(emptied[0], Delete):  # which takes its links with it
                joints = [*self._joints(held.id, "outgoing"), *self._joints(held.id, "incoming")]
                edges = [Delete(one) for one in dict.fromkeys(one.link.id for one in joints)]
            self.write([*edges, *emptied])
        return True

    def add_relation(self, edge: GraphEdge) -> None:
        """Keep an edge in place of the same one; RESOURCE_NOT_FOUND unless both nodes are there."""
        with self.nexus.transaction():
            nodes = self.get_nodes([checked_as(GraphEdge, edge).source_id, edge.target_id])
            for end in (edge.source_id, edge.target_id):
                if end not in nodes:
                    raise RESOURCE_NOT_FOUND.error(
                        f'no node has the id "{end}"', "add the node first"
                    )
            self.add_relations([edge])

    def add_relations(self, edges: Sequence[GraphEdge]) -> None:
        """Keep edges between nodes that are there, in one transaction."""
        self.write(self.related(edges))

    def related(self, edges: Sequence[GraphEdge]) -> list[Change]:
        """Return what keeps edges between nodes that are there, or are about to be."""
        held = self._entities(checked_as(GraphEdge, one).source_id for one in edges)
        ids = [one.id for one in held.values()]
        before: dict[tuple[str, str, str, str], Joint] = {}
        for joint in self.nexus.joints.at(ids, "subject") if ids else []:
            if joint.far is not None:
                before[joint.link.subject, joint.far.name, joint.link.predicate, joint.key] = joint
        changes: list[Change] = []
        for edge in {one.identity: one for one in edges}.values():
            source = held.get(edge.source_id)
            ended = edge.target_id, edge.edge_type, edge.piece_id or ""
            old = None if source is None else before.get((source.id, *ended))
            said = {} if old is None else old.link.attributes
            if old is not None and said == edge.properties:
                continue
            gone = said.keys() - edge.properties.keys()
            if old is not None and gone:
                changes.append(RemoveKeys(old.link.id, frozenset(gone)))
            ends = Key(ENTITY, edge.source_id), Key(ENTITY, edge.target_id)
            changes.append(
                PutLink(ends[0], edge.edge_type, ends[1], edge.properties, key=edge.piece_id or "")
            )
        return changes

    def remove_relation(self, source_id: str, target_id: str, edge_type: str) -> bool:
        """Remove all edges of a type between two nodes."""
        with self.nexus.transaction():
            held = self._entities([source_id]).get(checked_id("source_id", source_id))
            joints = [] if held is None else self._joints(held.id, "outgoing", edge_type)
            target = checked_id("target_id", target_id)
            gone = [one for one in joints if one.far is not None and one.far.name == target]
            self.write([Delete(one.link.id) for one in gone])
        return bool(gone)

    def get_relations(
        self, node_id: str, relation_type: str | None = None, direction: Direction = "outgoing"
    ) -> list[GraphEdge]:
        """Return the edges of a node, by source, type, target and piece."""
        check_direction(direction)
        held = self._entities([node_id]).get(checked_id("node_id", node_id))
        if held is None:
            return []
        sides: list[Direction] = ["outgoing", "incoming"] if direction == "both" else [direction]
        found: dict[str, GraphEdge] = {}
        for side in sides:
            for one in self._joints(held.id, side, relation_type):
                if one.far is not None:
                    ends = (held.name, one.far.name)
                    source, target = ends if side == "outgoing" else ends[::-1]
                    found[one.link.id] = edge_of(one.link, source, target)
        return sorted(
            found.values(), key=lambda one: (one.source_id, one.edge_type, *one.identity[1::2])
        )

    def walk(
        self, start: str, depth: int, most: int, edge_type: str | None = None
    ) -> list[list[Step]]:
        """Return the steps of each hop from a node: one look a hop."""
        if self.as_of is not None:
            return super().walk(start, depth, most, edge_type)
        node = Key(ENTITY, checked_id("node_id", start))
        hops = self.nexus.joints.hops(node, depth, "node_type", most, edge_type)
        return [
            [
                (source, kind, target, str(told["label"]), str(told["node_type"]), piece)
                for source, kind, piece, target, told in hop
            ]
            for hop in hops
        ]

    def get_neighbors(
        self, node_id: str, relation_type: str | None = None, depth: int = 1
    ) -> list[tuple[GraphNode, int]]:
        """Return what outgoing edges lead to, breadth first, by (depth, id)."""
        check_depth(depth)
        start = checked_id("node_id", node_id)
        levels: dict[str, int] = {}
        for level, hop in enumerate(self.walk(start, depth, _EVERY, relation_type), 1):
            for step in hop:
                levels.setdefault(step[2], level)
        nodes = self.get_nodes(levels)
        return sorted(
            ((nodes[one], level) for one, level in levels.items()),
            key=lambda found: (found[1], found[0].node_id),
        )

    def _joints(self, id: str, side: Direction, kind: str | None = None) -> list[Joint]:
        """Return the links of a node on one side that are edges."""
        end: End = "subject" if side == "outgoing" else "object"
        kinds = None if kind is None else [checked_id("edge_type", kind)]
        joints = self._joined(id, end, kinds)
        return [one for one in joints if one.far is not None and one.far.type == ENTITY]


def _kept(piece: KnowledgePiece, held: Concept | None, *, has_owner: bool = False) -> list[Change]:
    """Return what keeps a piece and its link to its entity, which may be put already."""
    metadata = {**dates(piece.created_at, piece.updated_at), **SEARCHED}
    version = 0 if held is None else None  # a new piece is not there yet
    put = PutConcept(
        PIECE, piece.piece_id, piece_attributes(piece), metadata, expect_version=version
    )
    if piece.entity_id is None:
        return [put]
    owner = [] if has_owner else [PutConcept(ENTITY, piece.entity_id)]
    link = PutLink(Key(PIECE, piece.piece_id), BELONGS_TO, Key(ENTITY, piece.entity_id))
    return [put, *owner, link]
