"""The ports of the vectors, what is embedded of an element, and of which model vectors are.

The rule: the kernel moves vectors about as bytes and never computes with them, so that it runs
without NumPy where nobody compares meanings. A vector is `dimension` numbers of four bytes,
little-endian, of length 1; the nearness of two is their cosine. Equal texts have one vector, and a
link without words has no meaning of its own. A group has vectors of one model at a time, and those
of another are never compared with them: a changed model is refused until the group is embedded
anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from recollect.errors import EMBEDDER_CHANGED
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.port import Parameters, Session
from recollect.kernel.store.statements.vectors import MODEL, SET_MODEL
from recollect.model import FACT, Attributes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NUMBER_BYTES = 4
"""Bytes of one number of a vector."""

Near = tuple[int, float]
"""An element and its nearness, above 0 and at most 1."""


class VectorSpace(Protocol):
    """Vectors by element, side by side in memory; safe to share between threads."""

    @property
    def size(self) -> int:
        """How many bytes it takes."""

    def put(self, elements: Sequence[int], vectors: Sequence[bytes | None]) -> None:
        """Set the vectors of elements; None takes one away."""

    def compared(self, vector: bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return all elements in order, and the cosine of each. Cost: all vectors, once."""

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

    def space(self, dimension: int) -> VectorSpace:
        """Return an empty space for vectors of so many numbers."""


def model_of(session: Session, group_id: int) -> tuple[str, int] | None:
    """Return the name and dimension of a group's model, if anything was embedded."""
    row = session.row(MODEL, {"group": group_id})
    return None if row is None else (text(row[0]), whole(row[1]))


def dimension_of(session: Session, group_id: int, embedder: Embedder) -> int | None:
    """Return how many numbers the group's vectors of this embedder have; None where it has none.

    EMBEDDER_CHANGED for those of another. An embedder that does not know yet how many it gives
    is not asked, for it may be away: its name decides until it has given some.
    """
    model = model_of(session, group_id)
    if model is None:
        return None
    name, dimension = model
    if embedder.name != name or embedder.dimension not in (None, dimension):
        its = "" if embedder.dimension is None else f" with {embedder.dimension}"
        raise EMBEDDER_CHANGED.error(
            f'the group is embedded by "{name}" with {dimension} numbers, and "{embedder.name}"'
            f"{its} is configured",
            "run recollect reindex, or configure the other one again",
            known=(name,),
        )
    return dimension


def set_model(session: Session, group_id: int, name: str, dimension: int) -> None:
    """Record the model of a group that has no vectors."""
    model: Parameters = {"group": group_id, "name": name, "dimension": dimension}
    session.execute_many(SET_MODEL, [model])


_TOLD_BY = ("summary", "description")
_LONGEST = 8_000  # characters that are embedded; no model reads much more


def concept_meaning(name: str, attributes: Attributes) -> str:
    r"""Return the text that is embedded of a concept.

    >>> concept_meaning("Aspirin", {"summary": "A mild analgesic."})
    'Aspirin\nA mild analgesic.'
    """
    told = (attributes.get(key) for key in _TOLD_BY)
    summary = next((one for one in told if isinstance(one, str) and one.strip()), "")
    return f"{name}\n{summary}".rstrip()[:_LONGEST]


def link_meaning(attributes: Attributes) -> str | None:
    """Return the text that is embedded of a link, if it says something in words.

    >>> link_meaning({"fact": "Ann works at Acme"}), link_meaning({"dose": 2})
    ('Ann works at Acme', None)
    """
    fact = attributes.get(FACT)
    return fact[:_LONGEST] if isinstance(fact, str) and fact.strip() else None


def text_hash(text: str) -> str:
    """Return what a text is known by beside its vector."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
