"""What every embedder does alike: batches, checks, vectors of length 1; and their exact search.

The rule: a kind of embedder says only what it is called, how many numbers its vectors have, and
how texts become numbers. Vectors stand side by side in memory, and their order in an answer is a
function of the vectors and the elements alone, not of where they lie. Hence the products are
einsum's, which adds up every row in the same way; a BLAS does not, and its threads took thirty
times as long on a busy machine.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recollect.errors import EMBEDDER_UNAVAILABLE, RecollectError

_GONE = -1  # stands for the element of a vector that is no longer one's
_GROWTH = 8  # times as many candidates where the first were too few


class _Rows(NamedTuple):
    """What a search looks at: it is complete, whatever is put meanwhile."""

    vectors: NDArray[np.float32]
    elements: NDArray[np.int64]
    used: int


class NumpySpace:
    """Vectors by element; safe to share between threads."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._places: dict[int, int] = {}
        self._lock = threading.Lock()
        self._rows = self._room_for(0)
        self._order = self._rows, np.zeros(0, np.int64)

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return self._rows.vectors.nbytes + self._rows.elements.nbytes

    def put(self, elements: Sequence[int], vectors: Sequence[bytes | None]) -> None:
        """Set the vectors of elements; None takes one away. The last of an element counts."""
        with self._lock:
            latest = dict(zip(elements, vectors, strict=True))
            for element in latest:
                place = self._places.pop(element, None)
                if place is not None:
                    self._rows.elements[place] = _GONE
            added = {one: vector for one, vector in latest.items() if vector is not None}
            if added:
                self._append(added)

    def nearest(self, vector: bytes, at_once: int) -> Iterator[list[tuple[int, float]]]:
        """Yield the elements near a vector, best first, ties by element, in growing parts."""
        elements, near = self.compared(vector)
        below, bound = np.inf, np.inf
        while bound > 0.0:
            bound = _bound(near, at_once)
            places = np.flatnonzero((near >= bound) & (near < below) & (near > 0.0))
            yield _ranked(elements[places], near[places])
            below, at_once = bound, at_once * _GROWTH

    def compared(self, vector: bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return all elements in order, and the cosine of each."""
        rows = self._rows
        order = self._order_of(rows)
        elements = rows.elements[order]
        near = np.einsum("ij,j->i", rows.vectors[: rows.used], np.frombuffer(vector, dtype="<f4"))
        there = elements != _GONE
        return elements[there], near[order][there]

    def _order_of(self, rows: _Rows) -> NDArray[np.int64]:
        """Return the places of rows in the order of elements, which none that goes changes."""
        known, order = self._order
        if known is not rows:
            order = np.argsort(rows.elements[: rows.used])
            self._order = rows, order
        return order

    def _append(self, added: dict[int, bytes]) -> None:
        rows = self._rows
        if rows.used + len(added) > len(rows.elements):
            rows = self._moved(len(added))
        start, end = rows.used, rows.used + len(added)
        numbers = np.frombuffer(b"".join(added.values()), dtype="<f4")
        rows.vectors[start:end] = numbers.reshape(len(added), self._dimension)
        rows.elements[start:end] = np.fromiter(added, dtype=np.int64, count=len(added))
        self._places.update(zip(added, range(start, end), strict=True))
        self._rows = rows._replace(used=end)

    def _moved(self, more: int) -> _Rows:
        """Return the rows in a larger place, without those that are gone."""
        old = self._rows
        kept = np.flatnonzero(old.elements[: old.used] != _GONE)
        rows = self._room_for(len(kept) + more)
        rows.vectors[: len(kept)] = old.vectors[kept]
        rows.elements[: len(kept)] = old.elements[kept]
        self._places = {int(one): at for at, one in enumerate(old.elements[kept])}
        return rows._replace(used=len(kept))

    def _room_for(self, count: int) -> _Rows:
        room = count + count // 4
        vectors = np.empty((room, self._dimension), dtype=np.float32)
        return _Rows(vectors, np.full(room, _GONE, dtype=np.int64), 0)


def _bound(near: NDArray[np.float32], count: int) -> float:
    """Return a nearness that about `count` reach; 0 where there are no more."""
    last = len(near) - count
    return max(float(np.partition(near, last)[last]), 0.0) if last > 0 else 0.0


def _ranked(elements: NDArray[np.int64], near: NDArray[np.float32]) -> list[tuple[int, float]]:
    order = np.lexsort((elements, -near))
    scores = np.minimum(near[order].astype(np.float64), 1.0)
    return list(zip(elements[order].tolist(), scores.tolist(), strict=True))


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
            raise EMBEDDER_UNAVAILABLE.error(
                f'the model "{self.name}" gave numbers of the shape {rows.shape} for {count} texts'
                f"{each}",
                f"configure the dimension {rows.shape[-1]}" if each and rows.ndim == 2 else "",
            )
        self._dimension = dimension
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        units: Numbers = (rows / np.maximum(lengths, _SMALLEST)).astype("<f4")
        return units


def not_loaded(name: str, error: Exception) -> RecollectError:
    """Return the error for a model that its package cannot load; `error` is what that said."""
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    return EMBEDDER_UNAVAILABLE.error(
        f'the model "{name}" cannot be loaded: {said}',
        "look at its name, and whether this machine has it or may download it",
    )
