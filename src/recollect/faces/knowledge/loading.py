"""Knowledge from a file of JSON: profiles, pieces, nodes and edges. Specification 003, path B.

The rule: the whole is read and checked before anything is stored. What is invalid is skipped, told
and logged, unless `strict` refuses all of it; what is the same as before changes nothing. On the
graph a load is one transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from uuid import UUID, uuid5

import orjson

from recollect.errors import (
    INVALID_ARGUMENT,
    LIMIT_EXCEEDED,
    RESOURCE_NOT_FOUND,
    RecollectError,
    refused,
)
from recollect.faces.knowledge.base import KnowledgeBase
from recollect.faces.knowledge.model import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    checked_as,
    checked_id,
)
from recollect.faces.knowledge.nexus_stores import (
    NexusEntityGraphStore,
    NexusKnowledgePieceStore,
    NexusMetadataStore,
)
from recollect.kernel import uncollected
from recollect.node import dataclass, replace

MOST_BYTES: Final = 64 * 2**20
"""Of a file."""

_LOG: Final = logging.getLogger("recollect.knowledge")
_UNNAMED: Final = UUID("6f1d1a52-2a0c-5d0e-9d5b-8a4c1f0f7a11")
_SECTIONS: Final = ("metadata", "pieces", "graph")

ValueT = TypeVar("ValueT", EntityMetadata, KnowledgePiece, GraphNode, GraphEdge)
Source = str | PathLike[str] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Skipped:
    """An item that was not loaded: its section, its id or else its position, and why."""

    section: str
    key: str
    reason: str


class LoadReport(dict[str, int]):
    """How many items of each kind were loaded, equal to that dict, and what was skipped.

    >>> report = LoadReport(pieces=2)
    >>> report == {"metadata": 0, "pieces": 2, "graph_nodes": 0, "graph_edges": 0}, report.skipped
    (True, ())
    """

    skipped: tuple[Skipped, ...]

    def __init__(
        self,
        metadata: int = 0,
        pieces: int = 0,
        graph_nodes: int = 0,
        graph_edges: int = 0,
        skipped: Sequence[Skipped] = (),
    ) -> None:
        super().__init__(
            metadata=metadata, pieces=pieces, graph_nodes=graph_nodes, graph_edges=graph_edges
        )
        self.skipped = tuple(skipped)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, and what was skipped, as a dict of JSON."""
        return {**self, "skipped": [asdict(one) for one in self.skipped]}

    def __repr__(self) -> str:
        return f"LoadReport({dict(self)}, skipped={list(self.skipped)})"


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What a document holds, as far as it is valid, for one knowledge base."""

    metadata: Sequence[EntityMetadata]
    pieces: Sequence[KnowledgePiece]
    nodes: Sequence[GraphNode]
    edges: Sequence[GraphEdge]
    skipped: Sequence[Skipped]

    @property
    def report(self) -> LoadReport:
        """How many items of each kind there are, and what was skipped."""
        return LoadReport(
            len(self.metadata), len(self.pieces), len(self.nodes), len(self.edges), self.skipped
        )

    def store(self, kb: KnowledgeBase) -> None:
        """Store it, in the order of what refers to what; on one memory all of it at once."""
        with kb.together():
            match kb.metadata_store, kb.piece_store, kb.graph_store:
                case (
                    NexusMetadataStore() as profiles,
                    NexusKnowledgePieceStore() as pieces,
                    NexusEntityGraphStore() as graph,
                ) if kb.memory is not None:
                    living = {one.entity_id for one in self.metadata}
                    living |= {one.node_id for one in self.nodes}
                    put = [*profiles.saved(self.metadata), *pieces.put(self.pieces, living)]
                    graph.write([*put, *graph.added(self.nodes), *graph.related(self.edges)])
                case _:
                    kb.metadata_store.save_all(self.metadata)
                    kb.piece_store.put_all(self.pieces)
                    kb.graph_store.add_nodes(self.nodes)
                    kb.graph_store.add_relations(self.edges)


class KnowledgeDataLoader:
    """Loads documents into a knowledge base.

    >>> document = {"pieces": [{"piece_id": "les", "content": "LES starts from RANS."}]}
    >>> with KnowledgeBase() as kb:
    ...     KnowledgeDataLoader().load(kb, document)["pieces"]
    1
    """

    def load(
        self, kb: KnowledgeBase, source: Source, *, dry_run: bool = False, strict: bool = False
    ) -> LoadReport:
        """Load a file or a mapping, and tell how many items of each kind it holds.

        `dry_run` stores nothing and tells the same; `strict` raises INVALID_ARGUMENT for the
        first invalid item, named by its key, and stores nothing. Raises INVALID_ARGUMENT for what
        is no such document, NOT_FOUND for a file that is not there, LIMIT_EXCEEDED for one of
        more than `MOST_BYTES`.
        """
        document = read_document(Path(source)) if isinstance(source, str | PathLike) else source
        check_document(document)
        with uncollected(_size(document)):
            read = read_items(kb, document, is_strict=strict)
            if not dry_run:
                read.store(kb)
            return read.report


def read_items(
    kb: KnowledgeBase, document: Mapping[str, Any], *, is_strict: bool = False
) -> ReadDocument:
    """Return the items of a document that a knowledge base can store; it stores none of them."""
    return _Reading(checked_as(KnowledgeBase, kb), is_strict=is_strict).read(document)


def read_document(path: Path) -> Mapping[str, Any]:
    """Return the JSON object in a file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise LIMIT_EXCEEDED.error(f"{path} is larger than {MOST_BYTES} bytes", "split it")
        document = orjson.loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except FileNotFoundError as error:
        raise RESOURCE_NOT_FOUND.error(f"{path} is not there", "check the path") from error
    except orjson.JSONDecodeError as error:
        raise refused(f"{path} is not JSON: {error}", "give a file of JSON") from error
    except (OSError, ValueError) as error:  # the latter for a path that none can be
        why = getattr(error, "strerror", None) or error
        raise refused(f"{path} cannot be read: {why}", "check the path") from error
    return cast("Mapping[str, Any]", document)


def check_document(document: object) -> None:
    """Raise INVALID_ARGUMENT for a document without a section, or with one of the wrong kind."""
    if not isinstance(document, Mapping):
        raise _wrong("the document", "an object")
    if not any(document.get(one) is not None for one in _SECTIONS):
        raise refused(
            "the document has none of metadata, pieces, graph",
            'give {"metadata": {}, "pieces": [], "graph": {"nodes": [], "edges": []}}',
        )
    if not isinstance(document.get("metadata"), Mapping | None):
        raise _wrong("metadata", "an object of profiles by entity id")
    if not isinstance(document.get("pieces"), list | None):
        raise _wrong("pieces", "a list")
    graph = document.get("graph")
    if not isinstance(graph, Mapping | None):
        raise _wrong("graph", 'an object with "nodes" and "edges"')
    for name in ("nodes", "edges"):
        if graph is not None and not isinstance(graph.get(name), list | None):
            raise _wrong(f"graph.{name}", "a list")


def _size(document: Mapping[str, Any]) -> int:
    """Return how many items a document holds."""
    graph = document.get("graph") or {}
    sections = (document.get("metadata"), document.get("pieces"), graph.get("nodes"))
    return sum(len(one or ()) for one in (*sections, graph.get("edges")))


class _Reading:
    """One document being read."""

    def __init__(self, kb: KnowledgeBase, *, is_strict: bool) -> None:
        self._kb = kb
        self._is_strict = is_strict
        self.skipped: list[Skipped] = []

    def read(self, document: Mapping[str, Any]) -> ReadDocument:
        """Return the valid items, in their order."""
        graph = document.get("graph") or {}
        given = (document.get("metadata") or {}).items()
        profiles = [(key, _profile(key, one)) for key, one in given]
        pieces = _named(document.get("pieces"), "piece_id")
        nodes = _named(graph.get("nodes"), "node_id")
        read_profiles = list(self._items("metadata", profiles, EntityMetadata.from_dict))
        read_pieces = list(self._items("pieces", pieces, _piece))
        read_nodes = list(self._items("graph.nodes", nodes, GraphNode.from_dict))
        read_edges = list(self._edges(graph.get("edges") or [], read_nodes))
        return ReadDocument(read_profiles, read_pieces, read_nodes, read_edges, tuple(self.skipped))

    def _items(
        self, section: str, items: Sequence[tuple[object, Any]], make: Callable[[Any], ValueT]
    ) -> Iterator[ValueT]:
        for place, (id, given) in enumerate(items):
            value = self._valid(section, place, partial(make, given), id)
            if value is not None:
                yield value

    def _edges(self, items: Sequence[Any], nodes: Sequence[GraphNode]) -> Iterator[GraphEdge]:
        known = {one.node_id for one in nodes}
        for place, given in enumerate(items):
            edge = self._valid("graph.edges", place, partial(GraphEdge.from_dict, given))
            if edge is None:
                continue
            missing = [
                end for end in (edge.source_id, edge.target_id) if not self._is_there(end, known)
            ]
            if missing:
                self._skip("graph.edges", place, f'no node has the id "{missing[0]}"')
            else:
                yield edge

    def _is_there(self, node_id: str, known: set[str]) -> bool:
        if node_id not in known and self._kb.graph_store.get_node(node_id) is not None:
            known.add(node_id)
        return node_id in known

    def _valid(
        self, section: str, place: int, make: Callable[[], ValueT], id: object = None
    ) -> ValueT | None:
        """Return a value; None for an item that is invalid or holds a secret."""
        try:
            value = make()
            self._kb.secrets.refuse(value)
        except RecollectError as error:
            if error.code not in (INVALID_ARGUMENT, LIMIT_EXCEEDED):
                raise
            self._skip(section, place, error.message, id)
            return None
        return value

    def _skip(self, section: str, place: int, told: str, id: object = None) -> None:
        key, reason = self._key(id, place), self._kb.secrets.redacted(told)
        if self._is_strict:
            raise refused(f"{section} {key}: {reason}", "mend it, or load without strict")
        _LOG.warning("%s %s is skipped: %s", section, key, reason)
        self.skipped.append(Skipped(section, key, reason))

    def _key(self, id: object, place: int) -> str:
        """Return what names an item: its id, or its position if it has none that may be told."""
        try:
            key = checked_id("id", id)
        except RecollectError:
            return str(place)
        return str(place) if self._kb.secrets.is_in(key) else key


def _profile(entity_id: str, given: object) -> object:
    """Return a profile of the document as a dict of the value; its key is the id."""
    if not isinstance(given, Mapping):
        return given
    return {**given, "entity_id": given.get("entity_id", entity_id)}


def _piece(given: Mapping[str, Any]) -> KnowledgePiece:
    """Return a piece; without an id it gets one of what it says, so that it is the same again."""
    piece = KnowledgePiece.from_dict(given)
    if "piece_id" in given:
        return piece
    return replace(piece, piece_id=str(uuid5(_UNNAMED, f"{piece.entity_id}\n{piece.content}")))


def _named(items: Sequence[Any] | None, name: str) -> list[tuple[object, Any]]:
    return [(one.get(name) if isinstance(one, Mapping) else None, one) for one in items or []]


def _wrong(name: str, expected: str) -> RecollectError:
    return refused(f"{name} is not {expected}", f"give {expected}")
