"""An embedder for tests: words are directions drawn from their letters, and synonyms are one word."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from recollect.embeddings import Embedder
from recollect.errors import EMBEDDER_UNAVAILABLE, RecollectError

SYNONYMS = {
    "employed": "works",
    "job": "works",
    "physician": "doctor",
    "medic": "doctor",
    "cephalalgia": "headache",
}


class Meanings(Embedder):
    """Texts that share words or synonyms are near; it counts what it embedded, and can be away."""

    def __init__(self, name: str = "test", dimension: int = 256, *, is_away: bool = False) -> None:
        super().__init__(name, dimension)
        self.embedded: list[str] = []
        self.asked: list[str] = []
        self.is_away = is_away

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the sums of the directions of the words."""
        if self.is_away:
            raise RecollectError(EMBEDDER_UNAVAILABLE, "the embedder is away")
        self.embedded += texts
        return np.stack([self._sum(text) for text in texts])

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Return the same for what is looked for."""
        if self.is_away:
            raise RecollectError(EMBEDDER_UNAVAILABLE, "the embedder is away")
        self.asked.append(text)
        return self._sum(text)

    def _sum(self, text: str) -> NDArray[np.float32]:
        total = np.zeros(self.dimension, dtype=np.float32)
        for word in text.lower().split():
            seed = blake2b(SYNONYMS.get(word, word).encode(), digest_size=8).digest()
            total += np.random.default_rng(int.from_bytes(seed, "little")).standard_normal(
                self.dimension, dtype=np.float32
            )
        return total
