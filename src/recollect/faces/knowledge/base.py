"""The knowledge base: what an entity is to know for a question. Specification 003, stage 3.

How a question is answered. The profiles of the entity and of `global` are looked up by id. The
words of the question rank the pieces of the entity and the global ones together; owner, type and
tags filter before the ranking, and the best `top_k` are kept. From the entity's node outgoing
edges are walked breadth first; every edge is told with the score 1/depth, and the piece it points
to joins the others with that score. A piece found twice keeps the higher score, and all of them
stand by (-score, piece_id): the same question gets the same answer.

From an entity along its outgoing edges. Specification 003, stage 3, "Graph traversal".

The rule: breadth first, so the nearest edges come first where there are too many. Every edge of a
node is told once, at the depth of its node plus one; an edge into the start is not.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from copy import copy
from os import PathLike
from typing import Any, Final

from recollect.closing import Closing
from recollect.errors import (
    CONFLICT,
    INVALID_ARGUMENT,
    LIMIT_EXCEEDED,
    STORE_CLOSED,
    RecollectError,
    refused,
)
from recollect.faces.kinds import open_memory
from recollect.faces.knowledge.formatter import KnowledgeFormatter
from recollect.faces.knowledge.model import (
    GLOBAL,
    EntityMetadata,
    KnowledgePiece,
    KnowledgeType,
    RetrievalResult,
    checked_as,
    checked_id,
    checked_tags,
)
from recollect.faces.knowledge.nexus_stores import (
    NexusEntityGraphStore,
    NexusKnowledgePieceStore,
    NexusMetadataStore,
    OnNexus,
)
from recollect.faces.knowledge.secrets import Secrets
from recollect.faces.knowledge.stores import (
    EntityGraphStore,
    KnowledgePieceStore,
    MetadataStore,
    check_depth,
    check_top_k,
)
from recollect.kernel import Nexus
from recollect.model import AsOf

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


Scores = dict[str, tuple[KnowledgePiece, float]]

_LOG: Final = logging.getLogger("recollect.knowledge")


class KnowledgeBase(Closing):
    """Three layers of knowledge behind one question.

    A layer that is left out is the one on `nexus`, else on a memory of its own that ends with the
    base. `nexus` itself is never closed. Everything but `nexus` is an attribute that may be set.

    >>> with KnowledgeBase() as kb:
    ...     _ = kb.add_piece(KnowledgePiece("LES starts from converged RANS.", "les"))
    ...     found = kb.retrieve("Set up an LES simulation")
    >>> [piece.piece_id for piece, score in found.pieces]
    ['les']
    """

    def __init__(
        self,
        metadata_store: MetadataStore | None = None,
        piece_store: KnowledgePieceStore | None = None,
        graph_store: EntityGraphStore | None = None,
        *,
        nexus: Nexus | None = None,
        active_entity_id: str | None = None,
        default_top_k: int = 5,
        include_metadata: bool = True,
        include_pieces: bool = True,
        include_graph: bool = True,
        graph_traversal_depth: int = 1,
        sensitive_patterns: Sequence[str] | None = None,
        formatter: KnowledgeFormatter | None = None,
    ) -> None:
        check_top_k(default_top_k)
        check_depth(graph_traversal_depth, "graph_traversal_depth")
        if isinstance(metadata_store, str | PathLike):
            raise refused(
                "a base of knowledge is not opened by an address",
                "use KnowledgeBase(nexus=recollect.open(ADDRESS))",
            )
        self._secrets = Secrets(sensitive_patterns)
        self._sensitive_patterns = sensitive_patterns
        self._own: Nexus | None = None

        def memory() -> Nexus:
            """Return the memory that was given, else one that ends with the base."""
            if nexus is not None:
                return nexus
            if self._own is None:
                self._own = open_memory(":memory:")
            return self._own

        self.metadata_store = (
            NexusMetadataStore(memory()) if metadata_store is None else metadata_store
        )
        self.piece_store = (
            NexusKnowledgePieceStore(memory()) if piece_store is None else piece_store
        )
        self.graph_store = NexusEntityGraphStore(memory()) if graph_store is None else graph_store
        self.active_entity_id = active_entity_id
        self.default_top_k = default_top_k
        self.include_metadata = include_metadata
        self.include_pieces = include_pieces
        self.include_graph = include_graph
        self.graph_traversal_depth = graph_traversal_depth
        self.formatter = KnowledgeFormatter() if formatter is None else formatter
        self._is_closed = False

    @property
    def sensitive_patterns(self) -> Sequence[str] | None:
        """The patterns of secrets in place of the usual ones; `[]` is none."""
        return self._sensitive_patterns

    @sensitive_patterns.setter
    def sensitive_patterns(self, patterns: Sequence[str] | None) -> None:
        self._secrets, self._sensitive_patterns = Secrets(patterns), patterns

    @property
    def secrets(self) -> Secrets:
        """What is refused and redacted."""
        return self._secrets

    def retrieve(
        self,
        query: str,
        entity_id: str | None = None,
        top_k: int | None = None,
        *,
        include_global: bool = True,
        knowledge_type: KnowledgeType | str | None = None,
        tags: Sequence[str] | None = None,
    ) -> RetrievalResult:
        """Return what the three layers hold for a question.

        `entity_id=None` means `active_entity_id`. `top_k` bounds the pieces that words find;
        those that edges point to come beside them. Both are filtered by type and by all of the
        tags. A blank query searches nothing.
        """
        self._check_open()
        entity = self.active_entity_id if entity_id is None else entity_id
        entity = None if entity is None else checked_id("entity_id", entity)
        most = check_top_k(self.default_top_k if top_k is None else top_k)
        kind = None if knowledge_type is None else KnowledgeType(knowledge_type)
        wanted = checked_tags(tags or [])
        depth = check_depth(self.graph_traversal_depth, "graph_traversal_depth")
        asked = checked_as(str, query).strip()
        memory = self.memory
        with nullcontext() if memory is None else memory.snapshot():
            own, shared = self._profiles(entity, include_global=include_global)
            scores: Scores = {}
            if self.include_pieces and asked:
                owners: list[str | None] = [] if entity is None else [entity]
                if include_global:
                    owners.append(None)
                found = self.piece_store.search_all(query, owners, kind, wanted, most)
                scores = {piece.piece_id: (piece, score) for piece, score in found}
            entries: list[dict[str, Any]] = []
            if self.include_graph and entity is not None and depth:
                entries = walked(self.graph_store, self.piece_store, entity, depth)
        if self.include_pieces:
            _join(scores, entries, kind, set(wanted))
        pieces = sorted(scores.values(), key=lambda one: (-one[1], one[0].piece_id))
        return RetrievalResult(own, shared, pieces, entries)

    def at(self, as_of: AsOf | None) -> KnowledgeBase:
        """Return the base as it stood at a moment: it reads, and refuses to write.

        INVALID_ARGUMENT where a layer is not on a memory, and so has no past. Its words are
        compared by what a piece said then.
        """
        if as_of is None:
            return self
        then, layers = copy(self), ("metadata_store", "piece_store", "graph_store")
        then._own = None
        for name in layers:
            store = getattr(self, name)
            if not isinstance(store, OnNexus):
                raise refused("a layer of this base has no past", "leave as_of out")
            setattr(then, name, store.at(as_of))
        return then

    def __call__(self, query: str) -> str:
        """Return what is found as one text."""
        return self.formatter.format(self.retrieve(query))

    def add_piece(self, piece: KnowledgePiece) -> str:
        """Keep a new piece and return its id; CONFLICT if the id is there, whosever it is."""
        self._check_open()
        self._secrets.refuse(checked_as(KnowledgePiece, piece))
        return self.piece_store.add(piece)

    def get_piece(self, piece_id: str) -> KnowledgePiece | None:
        """Return a piece."""
        self._check_open()
        return self.piece_store.get_by_id(piece_id)

    def update_piece(self, piece: KnowledgePiece) -> bool:
        """Keep a piece in place of the one with its id; False where there is none."""
        self._check_open()
        self._secrets.refuse(checked_as(KnowledgePiece, piece))
        return self.piece_store.update(piece)

    def remove_piece(self, piece_id: str) -> bool:
        """Remove a piece; False where there is none."""
        self._check_open()
        return self.piece_store.remove(piece_id)

    def bulk_load(self, pieces: Iterable[KnowledgePiece | Mapping[str, Any]]) -> int:
        """Keep new pieces and return how many; what cannot be kept is skipped with a warning."""
        self._check_open()
        if not isinstance(pieces, Iterable):
            raise refused("pieces is not a list", "give a list of pieces")
        kept = 0
        with self.together():
            for place, given in enumerate(pieces):
                try:
                    self.add_piece(
                        given
                        if isinstance(given, KnowledgePiece)
                        else KnowledgePiece.from_dict(given)
                    )
                    kept += 1
                except RecollectError as error:
                    if error.code not in (INVALID_ARGUMENT, LIMIT_EXCEEDED, CONFLICT):
                        raise
                    reason = self._secrets.redacted(error.message)
                    _LOG.warning("piece %d is skipped: %s", place, reason)
        return kept

    @property
    def memory(self) -> Nexus | None:
        """The memory that all three layers are on, if they are on one."""
        stores = (self.metadata_store, self.piece_store, self.graph_store)
        found = [one.nexus for one in stores if isinstance(one, OnNexus)]
        is_one = len(found) == len(stores) and all(one is found[0] for one in found)
        return found[0] if is_one else None

    def together(self) -> AbstractContextManager[object]:
        """Let what is stored in a block be one transaction, where all layers are on one memory."""
        memory = self.memory
        return nullcontext() if memory is None else memory.transaction()

    def close(self) -> None:
        """Close the three layers, even if one fails, and no memory that was given."""
        if self._is_closed:
            return
        self._is_closed = True
        with ExitStack() as closing:
            if self._own is not None:
                closing.callback(self._own.close)
            for store in (self.graph_store, self.piece_store, self.metadata_store):
                closing.callback(store.close)

    def _check_open(self) -> None:
        if self._is_closed:
            raise STORE_CLOSED.error("the knowledge base is closed", "make a new one")

    def _profiles(
        self, entity: str | None, *, include_global: bool
    ) -> tuple[EntityMetadata | None, EntityMetadata | None]:
        if not self.include_metadata:
            return None, None
        asked = [*([] if entity is None else [entity]), *([GLOBAL] if include_global else [])]
        found = self.metadata_store.get_all(dict.fromkeys(asked))
        return found.get(entity or ""), found.get(GLOBAL) if include_global else None


def _join(
    scores: Scores, entries: Sequence[Mapping[str, Any]], kind: KnowledgeType | None, tags: set[str]
) -> None:
    """Let the pieces that edges point to join those that words found; the higher score wins."""
    for entry in entries:
        piece, score = entry["piece"], entry["score"]
        if piece is None or kind not in (None, piece.knowledge_type) or not tags <= set(piece.tags):
            continue
        held = scores.get(piece.piece_id)
        if held is None or held[1] < score:
            scores[piece.piece_id] = piece, score
