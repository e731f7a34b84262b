"""The knowledge base as calls, for servers: what each takes and answers as JSON.

The rule: an output has the members of the value that the face returns, as its `to_dict` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Unpack

from typing_extensions import TypedDict

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.faces.calls import call
from recollect.faces.knowledge.base import KnowledgeBase
from recollect.faces.knowledge.ingestion import KnowledgeIngestionCLI, Llm
from recollect.faces.knowledge.loading import KnowledgeDataLoader
from recollect.faces.knowledge.model import KnowledgePiece
from recollect.faces.knowledge.provider import KnowledgeProvider
from recollect.model import AsOf

Output = dict[str, Any]

_PIECE: Final = {
    "piece_id": "les-rans-init",
    "content": "Initialize transient LES from converged RANS.",
    "knowledge_type": "procedure",
    "info_type": "instructions",
    "tags": ["les", "rans"],
    "entity_id": "user:alice",
}
_ASKED: Final = {"query": "Set up an LES simulation", "entity_id": "user:alice"}


class PieceFields(TypedDict, total=False):
    """What a piece has beside its id and content."""

    knowledge_type: str | None
    info_type: str | None
    tags: list[str] | None
    entity_id: str | None
    source: str | None
    embedding_text: str | None
    created_at: str | None
    updated_at: str | None


class KnowledgeCalls:
    """The calls of the knowledge base of one group.

    `llm` makes what structures texts, `read_as_of` reads a point in time.
    """

    def __init__(
        self, kb: KnowledgeBase, llm: Callable[[], Llm], read_as_of: Callable[[object], AsOf | None]
    ) -> None:
        self._kb = kb
        self._llm = llm
        self._read_as_of = read_as_of

    @call("POST", "load", "writes", example={"data": {"pieces": [_PIECE]}, "dry_run": True})
    def load(self, *, data: dict[str, Any], dry_run: bool = False, strict: bool = False) -> Output:
        """Load profiles, pieces, nodes and edges."""
        done = KnowledgeDataLoader().load(self._kb, data, dry_run=dry_run, strict=strict)
        return done.to_dict()

    @call("POST", "ingest", "writes", example={"text": "LES starts from converged RANS."})
    def ingest(self, *, text: str, dry_run: bool = False) -> Output:
        """Structure a text by a model, and load it."""
        done = KnowledgeIngestionCLI(self._llm()).ingest(text, self._kb, dry_run=dry_run)
        return done.to_dict()

    @call("POST", "retrieve", example=_ASKED)
    def retrieve(
        self,
        *,
        query: str,
        entity_id: str | None = None,
        top_k: int | None = None,
        include_global: bool = True,
        knowledge_type: str | None = None,
        tags: list[str] | None = None,
        as_of: dict[str, Any] | None = None,
    ) -> Output:
        """Find what an entity is to know for a question."""
        found = self._kb.at(self._read_as_of(as_of)).retrieve(
            query,
            entity_id,
            top_k,
            include_global=include_global,
            knowledge_type=knowledge_type,
            tags=tags,
        )
        return found.to_dict()

    @call("POST", "provide", example=_ASKED)
    def provide(
        self,
        *,
        query: str,
        entity_id: str | None = None,
        top_k: int | None = None,
        as_of: dict[str, Any] | None = None,
    ) -> Output:
        """Return the sections of a prompt for a question, by info type."""
        kb = self._kb.at(self._read_as_of(as_of))
        return dict(KnowledgeProvider(kb, entity_id=entity_id, top_k=top_k)(query))

    @call("POST", "pieces", "writes", example=_PIECE)
    def add_piece(
        self, *, content: str, piece_id: str | None = None, **more: Unpack[PieceFields]
    ) -> Output:
        """Add a piece; its id is made if none is given."""
        return self._shown(self._kb.add_piece(_piece(content, piece_id, more)))

    @call("GET", "pieces", example={"id": ".."})
    def piece_named(self, *, id: str) -> Output:
        """Show a piece whose id is no part of a path, such as `..`."""
        return self._shown(id)

    @call("PUT", "pieces", "writes", example={**_PIECE, "piece_id": ".."})
    def update_named(self, *, piece_id: str, content: str, **more: Unpack[PieceFields]) -> Output:
        """Replace a piece whose id is no part of a path, such as `..`."""
        if not self._kb.update_piece(_piece(content, piece_id, more)):
            raise _absent(piece_id)
        return self._shown(piece_id)

    @call("DELETE", "pieces", "writes", example={"id": ".."})
    def remove_named(self, *, id: str) -> Output:
        """Remove a piece whose id is no part of a path, such as `..`."""
        return self.remove_piece(id=id)

    @call("GET", "pieces/{id}", example={"id": "les-rans-init"})
    def piece(self, *, id: str) -> Output:
        """Show a piece."""
        return self._shown(id)

    @call("PUT", "pieces/{id}", "writes", example={"id": "les-rans-init", **_PIECE})
    def update_piece(
        self, *, id: str, content: str, piece_id: str | None = None, **more: Unpack[PieceFields]
    ) -> Output:
        """Replace a piece."""
        if piece_id not in (None, id):
            raise refused("piece_id is not the id in the path", "leave piece_id out")
        return self.update_named(piece_id=id, content=content, **more)

    @call("DELETE", "pieces/{id}", "writes", example={"id": "les-rans-init"})
    def remove_piece(self, *, id: str) -> Output:
        """Remove a piece; its past stays readable."""
        if not self._kb.remove_piece(id):
            raise _absent(id)
        return {"removed": True}

    def _shown(self, piece_id: str) -> Output:
        piece = self._kb.get_piece(piece_id)
        if piece is None:
            raise _absent(piece_id)
        return piece.to_dict()


def _piece(content: str, piece_id: str | None, more: Mapping[str, Any]) -> KnowledgePiece:
    given = {"content": content, "piece_id": piece_id, **more}
    return KnowledgePiece.from_dict({name: one for name, one in given.items() if one is not None})


def _absent(piece_id: str) -> RecollectError:
    return RESOURCE_NOT_FOUND.error(
        f'no piece has the id "{piece_id[:256]}"', "retrieve it by words to see its id"
    )
