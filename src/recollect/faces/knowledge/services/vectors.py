"""What retrieval services do alike that rank by vectors.

The rule: a score is the cosine of question and document, where it is above 0. Equals are never
parted by the number that is asked for, so the same question has the same answer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence, Set
from hashlib import blake2b
from typing import Final, Protocol

from recollect.errors import EMBEDDER_CHANGED, RecollectError
from recollect.faces.knowledge.model import Document
from recollect.faces.knowledge.services.base import Namespace, RetrievalServiceBase, Scored
from recollect.faces.knowledge.services.json_text import json_text
from recollect.faces.knowledge.services.word_hash import WordHashEmbedder, floats_of

_ALIKE: Final = 1e-6  # cosines that differ by less are the same one, rounded


class TextEmbedder(Protocol):
    """Turns texts into vectors, as `recollect.embeddings.Embedder` does."""

    @property
    def name(self) -> str:
        """What the model is called: vectors of two names are never compared."""

    def documents(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the vectors of texts that are kept, in order."""

    def question(self, text: str) -> bytes:
        """Return the vector of a text that is looked for."""


class VectorRetrievalService(RetrievalServiceBase):
    """Documents that an embedder makes vectors of; without one of yours, their words are hashed."""

    def __init__(self, embedder: TextEmbedder | None = None) -> None:
        super().__init__()
        self._embedder: TextEmbedder = WordHashEmbedder() if embedder is None else embedder

    def _search(self, query: str, wanted: Set[str], namespace: Namespace, most: int) -> Scored:
        embedder = self._embedder
        vector = floats_of(embedder.question(query))
        if not any(vector):  # no word, so no direction
            return []
        count = most + 16
        while True:
            near = self._nearest(vector, wanted, namespace, count)
            kept = [
                (document, score)
                for document, score in near
                if not isinstance(embedder, WordHashEmbedder)
                or embedder.shares(query, _searched(document))
            ]
            is_all = len(near) < count or near[-1][1] <= 0
            if is_all or (len(kept) >= most and near[-1][1] < kept[most - 1][1] - _ALIKE):
                return [(document, round(score, 6)) for document, score in kept]
            count *= 4

    def _vector(self, document: Document) -> list[float]:
        return floats_of(self._embedder.documents([_searched(document)])[0])

    def _check_embedder(self, place: str, known: str | None) -> None:
        """Refuse vectors that another embedder made."""
        if known != self._embedder.name:
            raise RecollectError(
                EMBEDDER_CHANGED,
                f'{place} holds vectors of "{known}", not of "{self._embedder.name}"',
                hint="choose another name for the new vectors",
            )

    @abstractmethod
    def _nearest(
        self, vector: Sequence[float], wanted: Set[str], namespace: Namespace, count: int
    ) -> Scored:
        """Return the `count` documents of the highest cosine that have all facets, best first."""


def space_key(namespace: Namespace) -> str:
    """Return a namespace as a word of hexadecimal digits, which no filter can misread."""
    return _digest([namespace])


def document_key(doc_id: str, namespace: Namespace) -> str:
    """Return what a document is called where all namespaces are together."""
    return _digest([namespace, doc_id])


def _digest(parts: list[str | None]) -> str:
    return blake2b(json_text(parts).encode(), digest_size=20).hexdigest()


def _searched(document: Document) -> str:
    return "\n".join(text for text in (document.content, document.embedding_text) if text)
