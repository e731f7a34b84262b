"""The ports of the vectors: what turns texts into them, and what finds the nearest of many.

The rule: the kernel moves vectors about as bytes and never computes with them, so that it runs
without NumPy where nobody compares meanings. A vector is `dimension` numbers of four bytes,
little-endian, of length 1; the nearness of two is their cosine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

NUMBER_BYTES = 4
"""Bytes of one number of a vector."""

Near = tuple[int, float]
"""An element and its nearness, above 0 and at most 1."""


class Space(Protocol):
    """Vectors by element, side by side in memory; safe to share between threads."""

    @property
    def size(self) -> int:
        """How many bytes it takes."""

    def put(self, elements: Sequence[int], vectors: Sequence[bytes | None]) -> None:
        """Set the vectors of elements; None takes one away."""

    def nearest(self, vector: bytes, at_once: int) -> Iterator[Sequence[Near]]:
        """Yield the elements near a vector, best first, ties by element.

        They come in parts of about `at_once`, then of more; equals are never parted. Cost: all
        vectors, once.
        """


class Embedder(Protocol):
    """Turns texts into vectors. What fails raises EMBEDDER_UNAVAILABLE; texts may be any length."""

    @property
    def name(self) -> str:
        """What the model is called: vectors of two names are never compared."""

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector has; None before the model has given any, if only it knows."""

    def documents(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the vectors of texts that are kept, in order."""

    def question(self, text: str) -> bytes:
        """Return the vector of a text that is looked for."""

    def space(self, dimension: int) -> Space:
        """Return an empty space for vectors of so many numbers."""
