"""What words mean, by the static embedding that comes with Recollect.

The rule: a text means the sum of what its words mean, the rarer counting more, brought to length 1;
a word that the embedding does not hold is made of the longest words in it that it does. No text
leaves the process, and nothing is downloaded. The embedding knows nine languages that are written
in Latin letters, and what is told in one is near to what is asked in another.
`tools/make_meanings.py` made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.kernel.recall.recollection import EMBEDDING

Vector = NDArray[np.float32]

_LONGEST: Final = 30  # characters of a word that is cut into others
_SHORTEST: Final = 3  # characters of those
_TEXTS_AT_ONCE: Final = 1_000


class Meaning:
    """The embedding, read once a process."""

    def __init__(self, numbers: NDArray[np.int8], scales: Vector, words: list[str]) -> None:
        self._numbers = numbers
        self._scales = scales
        self._places = {word: at for at, word in enumerate(words)}

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self._numbers.shape[1])

    def of_word(self, word: str) -> Vector:
        """Return what a folded word means; zeros where nothing is known of it."""
        places = self._pieces(word)
        if not places:
            return np.zeros(self.dimension, np.float32)
        return np.asarray((self._numbers[places] * self._scales[places, None]).sum(0), np.float32)

    def _pieces(self, word: str) -> list[int]:
        """Return the place of a word, or of the longest words that it is made of, as it begins."""
        if word in self._places:
            return [self._places[word]]
        found: list[int] = []
        at, word = 0, word[:_LONGEST]
        while at <= len(word) - _SHORTEST:
            ends = range(len(word), at + _SHORTEST - 1, -1)
            end = next((one for one in ends if word[at:one] in self._places), None)
            if end is not None:
                found.append(self._places[word[at:end]])
            elif not found:
                break
            at = end or at + 1
        return found


@lru_cache(1)
def meaning() -> Meaning | None:
    """Return the embedding; None where it was left out of what is installed.

    Cost: the first time a few hundredths of a second.
    """
    if not EMBEDDING.is_file():
        return None
    with EMBEDDING.open("rb") as stream:
        held = np.load(stream)
        words = held["words"].tobytes().decode().split("\n")
        return Meaning(held["numbers"], held["scales"].astype(np.float32), words)


class MeantWords(dict[str, int]):
    """Words that were met: where each stands in `vectors`, by what it means."""

    def __init__(self) -> None:
        super().__init__()
        model = meaning()
        self.vectors = np.zeros((1, 0 if model is None else model.dimension), np.float32)

    def __missing__(self, word: str) -> int:
        """Look up what a word means that is met for the first time."""
        model, at = meaning(), len(self)
        if at == len(self.vectors):
            self.vectors = np.concatenate([self.vectors, np.zeros_like(self.vectors)])
        if model is not None:
            self.vectors[at] = model.of_word(word)
        self[word] = at
        return at

    def of_words(self, words: Sequence[str]) -> Vector | None:
        """Return what words mean together, of length 1, and keep none that is new.

        None where nothing is known of them.
        """
        model, total = meaning(), np.zeros(self.vectors.shape[1], np.float32)
        if model is None:
            return None
        for word in words:
            total += self.vectors[self[word]] if word in self else model.of_word(word)
        length = float(np.sqrt(np.einsum("i,i->", total, total)))
        return np.asarray(total / length, np.float32) if length else None

    def of_texts(self, texts: Sequence[list[str]]) -> Vector:
        """Return what texts of such words mean, a row each, of length 1; zeros where unknown."""
        made = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            worded = texts[first : first + _TEXTS_AT_ONCE]
            lengths = np.array([len(own) for own in worded])
            places = np.array([at for own in worded for at in map(self.__getitem__, own)], np.int64)
            starts = np.cumsum(lengths) - lengths
            for many in np.unique(lengths):
                alike = np.flatnonzero(lengths == many)
                words = places[starts[alike][:, None] + np.arange(many)]
                made[first + alike] = self.vectors[words].sum(1)
        norms = np.sqrt(np.einsum("ij,ij->i", made, made))
        return np.asarray(made / np.where(norms, norms, 1)[:, None], np.float32)
