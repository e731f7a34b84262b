"""What every embedder does alike: batches, checks, and vectors of length 1 as bytes.

The rule: a kind of embedder says only what it is called, how many numbers its vectors have, and
how texts become numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recollect.embeddings.space import NumpySpace
from recollect.errors import EMBEDDER_UNAVAILABLE, RecollectError

Numbers = NDArray[np.float32]

_SMALLEST = 1e-12  # length of a vector that points nowhere


class Embedder(ABC):
    """A model that turns texts into vectors; one of your own implements `embed`.

    >>> class Letters(Embedder):
    ...     def embed(self, texts):
    ...         return [[text.count(letter) for letter in "abc"] for text in texts]
    >>> letters = Letters("letters")
    >>> [round(float(one), 3) for one in np.frombuffer(letters.question("aab"), "<f4")]
    [0.894, 0.447, 0.0]
    >>> letters.dimension
    3
    """

    def __init__(self, name: str, dimension: int | None = None, batch: int = 64) -> None:
        """Without a `dimension` the first answer tells it; `batch` texts are embedded at once."""
        self.name = name
        self.batch = batch
        self._dimension = dimension

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector has; None before the model has given any."""
        return self._dimension

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> ArrayLike:
        """Return a row of numbers for each text that is kept, in order.

        EMBEDDER_UNAVAILABLE for what may go well the next time.
        """

    def embed_question(self, text: str) -> ArrayLike:
        """Return the numbers of a text that is looked for, where the model tells them apart."""
        rows: Numbers = np.asarray(self.embed([text]), dtype=np.float32)
        numbers: Numbers = rows[0]
        return numbers

    def documents(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of texts that are kept, in order."""
        vectors: list[bytes] = []
        for start in range(0, len(texts), self.batch):
            some = texts[start : start + self.batch]
            vectors += [one.tobytes() for one in self._units(self.embed(some), len(some))]
        return vectors

    def question(self, text: str) -> bytes:
        """Return the vector of a text that is looked for."""
        numbers: Numbers = np.asarray(self.embed_question(text), dtype=np.float32)
        return bytes(self._units(numbers.reshape(1, -1), 1)[0].tobytes())

    def space(self, dimension: int) -> NumpySpace:
        """Return an empty space for vectors of so many numbers."""
        return NumpySpace(dimension)

    def _units(self, given: ArrayLike, count: int) -> Numbers:
        """Return rows of length 1; what points nowhere stays so, and is near nothing."""
        rows: Numbers = np.asarray(given, dtype="<f4")
        dimension = self.dimension or (rows.shape[1] if rows.ndim == 2 else 0)
        if not dimension or rows.shape != (count, dimension) or not np.isfinite(rows).all():
            each = "" if self.dimension is None else f" of {self.dimension} numbers each"
            raise RecollectError(
                EMBEDDER_UNAVAILABLE,
                f'the model "{self.name}" gave numbers of the shape {rows.shape} for {count} texts'
                f"{each}",
                hint=f"configure the dimension {rows.shape[-1]}" if each and rows.ndim == 2 else "",
            )
        self._dimension = dimension
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        units: Numbers = (rows / np.maximum(lengths, _SMALLEST)).astype("<f4")
        return units


def not_loaded(name: str, error: Exception) -> RecollectError:
    """Return the error for a model that its package cannot load; `error` is what that said."""
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    return RecollectError(
        EMBEDDER_UNAVAILABLE,
        f'the model "{name}" cannot be loaded: {said}',
        hint="look at its name, and whether this machine has it or may download it",
    )
