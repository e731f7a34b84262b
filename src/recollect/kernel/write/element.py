"""Elements as one write transaction holds them: as they were and as they will be.

What ends up on disk is a pure function of the two, so a transaction records its net effect.
Contents are never changed in place, so the same object is always the same content.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.kernel.store.digests import canonical as canonical
from recollect.model import BEGINNING, FOREVER, Attributes, Instant
from recollect.node import dataclass, field


class Content(NamedTuple):
    """Everything about an element that may change while it lives; compared by `equals`."""

    attributes: Attributes
    metadata: Attributes
    valid_at: Instant
    invalid_at: Instant

    def equals(self, other: Content) -> bool:
        """Whether both say the same, to the type of every number, in any order of keys."""
        return self is other or (
            self.valid_at == other.valid_at
            and self.invalid_at == other.invalid_at
            and says_same(self.attributes, other.attributes)
            and says_same(self.metadata, other.metadata)
        )


NOTHING = Content({}, {}, BEGINNING, FOREVER)
"""The content of an element that was only just named."""


class Before(NamedTuple):
    """An element's row as the transaction found it: alive."""

    content: Content
    version: int
    born_at: int
    changed_at: int


class State(NamedTuple):
    """What a row says: its content, and whether the element is alive."""

    content: Content
    is_living: bool

    def differs(self, other: State) -> bool:
        """Whether a row that says the one is to be written to say the other."""
        return self.content is not other.content or self.is_living != other.is_living


@dataclass(slots=True, eq=False)
class Element:
    """What concepts and links have in common; `on_disk` is what the last flush left there."""

    id: int
    public_id: str | None  # only when the caller gave one
    salt: bytes
    before: Before | None
    content: Content
    is_living: bool
    on_disk: State | None
    last: Content | None = field(init=False, default=None)  # what a closing says at the end

    def target(self) -> State | None:
        """Return what the row must say, or None when there must be no row."""
        before = self.before
        if before is None:
            return State(self.content, True) if self.is_living else None
        if not self.is_living:
            return State(self.last or before.content, False)
        return State(before.content if self.content.equals(before.content) else self.content, True)


@dataclass(slots=True, eq=False)
class ConceptElement(Element):
    """A concept of the transaction."""

    type: int
    name: str
    name_key: str | None = None  # where no other of the type may be called the same, case aside


@dataclass(slots=True, eq=False)
class LinkElement(Element):
    """A link of the transaction."""

    subject: int
    predicate: int
    object: int
    key: str
    first_version: int = 1  # more for one that carries on another

    @property
    def triple(self) -> Triple:
        """The three parts that several links may share under different keys."""
        return self.subject, self.predicate, self.object


Triple = tuple[int, int, int]


def says_same(one: object, other: object) -> bool:
    """Whether two say the same; what Python finds different is, and 1, 1.0 and true it does not."""
    return one is other or (one == other and canonical(one) == canonical(other))


class Tracker:
    """Remembers each element as a statement first met it; counts what differs at its end."""

    def __init__(self) -> None:
        self._first: dict[Element, Content | None] = {}  # None: the statement made it

    def meet(self, element: Element, is_new: bool) -> None:
        """Note an element before the statement changes it."""
        self._first.setdefault(element, None if is_new else element.content)

    def has_made(self, element: Element) -> bool:
        """Whether the statement made an element that it has met."""
        return self._first[element] is None

    @property
    def created(self) -> int:
        """How many elements the statement made that still live."""
        return sum(first is None and one.is_living for one, first in self._first.items())

    @property
    def updated(self) -> int:
        """How many elements it found and left with another content."""
        return sum(
            first is not None and one.is_living and not first.equals(one.content)
            for one, first in self._first.items()
        )
