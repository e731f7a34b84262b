"""Elements as one write transaction holds them: as they were, as they will be, and when it is true.

What ends up on disk is a pure function of the two, so a transaction records its net effect.
Contents are never changed in place, so the same object is always the same content. New attributes
and metadata join those an element has key by key: an array or an object is replaced at its key,
null is stored, and what changes nothing returns the very content it was given.

The fact clock is read from the metadata: `valid_from` and `valid_until` set it (KIP 1.0-draft3,
appendix 1). A reduced form means the start of its period, a text without a zone is UTC.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from recollect.errors import Notice, refused
from recollect.kernel.store.cells import canonical as canonical
from recollect.model import BEGINNING, FOREVER, Attributes, Instant, Value
from recollect.node import dataclass, field

VALID_FROM = "valid_from"
VALID_UNTIL = "valid_until"

NOW = "now"
"""The word for the present in what is asked; what is kept never says it."""

_DAY = 86_400_000
INSTANTS = range(-62_135_596_800_000, 253_402_300_800_000)
"""The milliseconds of the years 1 to 9999."""

BOUNDS = range(INSTANTS.start - _DAY, INSTANTS.stop + _DAY)
"""Where a fact time may lie, which a zone moves by less than a day."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_ORDINAL = re.compile(r"(\d{4})-?(\d{3})")


_NEVER_TRUE = Notice(
    "fact_time_empty",
    f"{VALID_FROM} is not before {VALID_UNTIL}, so it is never true",
    hint=f"write {VALID_FROM} before {VALID_UNTIL}",
)


class FactTime(NamedTuple):
    """The fact time of a content, and what could not be read of it."""

    valid_at: Instant
    invalid_at: Instant
    notices: tuple[Notice, ...] = ()


def parse_instant(text: str) -> Instant | None:
    """Return the start of the period an ISO 8601 text names, or None when it is not one.

    An instant that in UTC is outside the years 1 to 9999 counts as none, because no text could
    express it.

    >>> parse_instant("1970") == parse_instant("1970-01-01T01:00:00+01:00") == 0
    True
    >>> parse_instant("next week") is None
    True
    """
    try:
        moment = _moment(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return Instant((moment - _EPOCH) // _MILLISECOND)


def asked_instant(text: str) -> Instant | None:
    """Return the instant that somebody asks for: `parse_instant`, and `now`; None for neither.

    What is kept is read by `parse_instant`: it would not mean the same later.
    """
    words = text.strip()
    return Instant(time.time_ns() // 1_000_000) if words == NOW else parse_instant(words)


def instant(text: object) -> Instant:
    """Return the instant of a text: an ISO 8601 date or time, its beginning, or `now`.

    Without a zone it is in UTC. INVALID_ARGUMENT for other texts.

    >>> instant("1970") == instant("1970-01-01") == instant("1970-01-01T01:00+01:00") == 0
    True
    """
    found = asked_instant(text) if isinstance(text, str) else None
    if found is None:
        raise refused(
            f"{text!r:.60} is not an ISO 8601 date or time",
            'write it like "2024-01-31", "2024-01", "2024-01-31T09:30:00Z" or "now"',
        )
    return found


def moves_clock(metadata: Attributes) -> bool:
    """Whether `metadata` says since when or until when it is true."""
    return VALID_FROM in metadata or VALID_UNTIL in metadata


def advance_clock(valid_at: Instant, invalid_at: Instant, metadata: Attributes) -> FactTime:
    """Return the clock after `metadata` was set: only the bounds it holds are moved.

    `null` takes a bound away. Text that is not ISO 8601 gives a notice and moves nothing.
    """
    if not moves_clock(metadata):
        return FactTime(valid_at, invalid_at)
    start, end = valid_at, invalid_at
    notices: list[Notice] = []
    for key in (VALID_FROM, VALID_UNTIL):
        if key not in metadata:
            continue
        value = metadata[key]
        instant = parse_instant(value) if isinstance(value, str) else None
        if value is not None and instant is None:
            notices.append(_unreadable(key))
        elif key == VALID_FROM:
            start = BEGINNING if instant is None else instant
        else:
            end = FOREVER if instant is None else instant
    if start >= end:
        notices.append(_NEVER_TRUE)
    return FactTime(start, end, tuple(notices))


def _moment(text: str) -> datetime:
    if not text.isascii():
        raise ValueError(text)
    if found := _YEAR_OR_MONTH.fullmatch(text):
        return datetime(int(found[1]), int(found[2] or 1), 1, tzinfo=UTC)
    if found := _ORDINAL.fullmatch(text):
        day = date(int(found[1]), 1, 1) + timedelta(days=int(found[2]) - 1)
        if day.year != int(found[1]):
            raise ValueError(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    return datetime.fromisoformat(text)


def _unreadable(key: str) -> Notice:
    return Notice(
        "fact_time_not_read",
        f"{key} is not an ISO 8601 time in the years 1 to 9999; it is stored but sets no fact time",
        hint=f'write {key}: "2024-05-21" or "2024-05-21T10:00:00Z"',
    )


class ElementContent(NamedTuple):
    """Everything about an element that may change while it lives; compared by `equals`."""

    attributes: Attributes
    metadata: Attributes
    valid_at: Instant
    invalid_at: Instant

    def equals(self, other: ElementContent) -> bool:
        """Whether both say the same, to the type of every number, in any order of keys."""
        return self is other or (
            self.valid_at == other.valid_at
            and self.invalid_at == other.invalid_at
            and says_same(self.attributes, other.attributes)
            and says_same(self.metadata, other.metadata)
        )


NOTHING = ElementContent({}, {}, BEGINNING, FOREVER)
"""The content of an element that was only just named."""


class Before(NamedTuple):
    """An element's row as the transaction found it: alive."""

    content: ElementContent
    version: int
    born_at: int
    changed_at: int


class State(NamedTuple):
    """What a row says: its content, and whether the element is alive."""

    content: ElementContent
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
    content: ElementContent
    is_living: bool
    on_disk: State | None
    last: ElementContent | None = field(init=False, default=None)  # what a closing says at the end
    successor: Element | None = field(init=False, default=None)  # what goes on under its id

    @property
    def present(self) -> Element:
        """The element itself, or what goes on under its id since it was closed."""
        return self if self.successor is None else self.successor.present

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
    carries: LinkElement | None = field(init=False, default=None)  # that one

    @property
    def lives(self) -> Iterator[LinkElement]:
        """The link, and those that it carries on in this transaction."""
        yield self
        if self.carries is not None:
            yield from self.carries.lives

    @property
    def triple(self) -> Triple:
        """The three parts that several links may share under different keys."""
        return self.subject, self.predicate, self.object


Triple = tuple[int, int, int]


def says_same(one: object, other: object) -> bool:
    """Whether two say the same; what Python finds different is, and 1, 1.0 and true it does not."""
    return one is other or (one == other and canonical(one) == canonical(other))


def merge(
    content: ElementContent,
    attributes: Attributes,
    metadata: Attributes,
    clock: FactTime | None = None,
) -> ElementContent:
    """Return the content with the given members set, and its fact clock moved to `clock`."""
    old_attributes, old_metadata, valid_at, invalid_at = content
    merged_attributes = _merged(old_attributes, attributes) if attributes else old_attributes
    merged_metadata = _merged(old_metadata, metadata) if metadata else old_metadata
    moved = clock is not None and (clock.valid_at, clock.invalid_at) != (valid_at, invalid_at)
    if merged_attributes is old_attributes and merged_metadata is old_metadata and not moved:
        return content
    if clock is not None:
        valid_at, invalid_at = clock.valid_at, clock.invalid_at
    return ElementContent(merged_attributes, merged_metadata, valid_at, invalid_at)


def without_keys(
    content: ElementContent, attributes: Iterable[str] = (), metadata: Iterable[str] = ()
) -> ElementContent:
    """Return the content less some keys; a removed bound of the fact clock is open again."""
    removed = frozenset(metadata)
    remaining_attributes = _without(content.attributes, frozenset(attributes))
    remaining_metadata = _without(content.metadata, removed)
    if remaining_attributes is content.attributes and remaining_metadata is content.metadata:
        return content
    return ElementContent(
        remaining_attributes,
        remaining_metadata,
        BEGINNING if VALID_FROM in removed else content.valid_at,
        FOREVER if VALID_UNTIL in removed else content.invalid_at,
    )


def _merged(old: Attributes, new: Attributes) -> Attributes:
    if not old:
        return new
    for key, value in new.items():
        if key not in old or not _is_same(old[key], value):
            return {**old, **new}
    return old


def _without(old: Attributes, removed: frozenset[str]) -> Attributes:
    if removed.isdisjoint(old):
        return old
    return {key: value for key, value in old.items() if key not in removed}


def _is_same(old: Value, new: Value) -> bool:
    """Whether two values are one: `1`, `1.0` and `true` are three, `0.0` and `-0.0` two."""
    if type(old) is not type(new):
        return False
    if isinstance(old, (dict, list, float)):
        return says_same(old, new)
    return old == new


class Tracker:
    """Remembers each element as a batch first met it; counts what differs at its end."""

    def __init__(self) -> None:
        self._first: dict[Element, ElementContent | None] = {}  # None: the batch made it

    def meet(self, element: Element, is_new: bool) -> None:
        """Note an element before the batch changes it."""
        self._first.setdefault(element, None if is_new else element.content)

    def first_content(self, element: Element) -> ElementContent | None:
        """Return what an element said when it was first met; None if the batch made it."""
        return self._first[element]

    @property
    def created(self) -> int:
        """How many elements the batch made that still live."""
        return sum(first is None and one.present.is_living for one, first in self._first.items())

    @property
    def updated(self) -> list[Element]:
        """The elements that it found and left with another content."""
        return [
            one
            for one, first in self._first.items()
            if first is not None and one.is_living and not first.equals(one.content)
        ]


def listed(value: Value) -> list[Value]:
    """Return an array; anything else but null is an array of one."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]
