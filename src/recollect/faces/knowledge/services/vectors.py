"""What retrieval services do alike that rank by vectors; and an embedder that needs no model.

The rule: the same question has the same answer, on every machine. A score is the cosine of question
and document, where it is above 0, and equals are never parted by the number that is asked for. The
embedder gives each word a place in the vector, found by a hash: texts that share a word are always
near, and nothing is downloaded.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from array import array
from collections import Counter
from collections.abc import Sequence, Set
from hashlib import blake2b
from typing import Final, Protocol

from recollect.errors import EMBEDDER_CHANGED, refused
from recollect.faces.knowledge.model import Document
from recollect.faces.knowledge.services.base import Namespace, RetrievalServiceBase, Scored
from recollect.faces.knowledge.services.json_text import json_text
from recollect.faces.knowledge.services.ranking import asked
from recollect.kernel import STOP_WORDS, tokens


class WordHashEmbedder:
    """Hashes the words of texts; stop words count only where a text has no others.

    A word that stands often counts more, by its logarithm. Vectors have length 1; those of texts
    that share no word may still meet in a place, and `shares` tells these apart.

    >>> embedder = WordHashEmbedder()
    >>> [len(one) // 4 for one in embedder.documents(["an LES run", "LES"])], embedder.dimension
    ([1024, 1024], 1024)
    >>> embedder.question("les!") == embedder.documents(["LES"])[0]
    True
    """

    def __init__(self, dimension: int = 1024) -> None:
        given: object = dimension
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise refused("dimension is not a positive number", "use dimension=1024")
        self.name = f"word-hash-{dimension}"
        self.dimension = dimension

    def documents(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of texts, in order."""
        return [self._vector(_telling(tokens(text))) for text in texts]

    def question(self, text: str) -> bytes:
        """Return the vector of a text that is looked for."""
        return self._vector([term.text for term in asked(text)])

    def shares(self, question: str, text: str) -> bool:
        """Whether a text holds a word that a question looks for."""
        return not {term.text for term in asked(question)}.isdisjoint(tokens(text))

    def _vector(self, words: Sequence[str]) -> bytes:
        weights = [0.0] * self.dimension
        for word, count in Counter(words).items():
            digest = blake2b(word.encode(), digest_size=8).digest()
            weights[int.from_bytes(digest, "little") % self.dimension] += 1 + math.log(count)
        length = math.sqrt(math.fsum(one * one for one in weights)) or 1.0
        return floats_as_bytes([one / length for one in weights])


def floats_as_bytes(numbers: Sequence[float]) -> bytes:
    """Return numbers as vectors are kept: four bytes each, little-endian."""
    packed = array("f", numbers)
    if _IS_BIG:
        packed.byteswap()
    return packed.tobytes()


def floats_of(vector: bytes) -> list[float]:
    """Return the numbers of a vector."""
    packed = array("f", vector)
    if _IS_BIG:
        packed.byteswap()
    return packed.tolist()


_IS_BIG = array("H", [1]).tobytes() == b"\0\1"


def _telling(words: Sequence[str]) -> Sequence[str]:
    telling = [word for word in words if word not in STOP_WORDS]
    return telling or words


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
            raise EMBEDDER_CHANGED.error(
                f'{place} holds vectors of "{known}", not of "{self._embedder.name}"',
                "choose another name for the new vectors",
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
