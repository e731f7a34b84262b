"""An embedder without a model: each word is a place in the vector, found by a hash.

The rule: the same text gives the same vector on every machine, and texts that share a word are
always near; nothing is downloaded and no package is needed.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

from recollect.faces.knowledge.model import refused
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
