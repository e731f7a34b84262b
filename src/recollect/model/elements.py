"""The elements of the graph, the two clocks they have, and where a read stands in both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NewType

from recollect.errors import refused
from recollect.node import dataclass

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
"""A JSON value, as KIP's data model has it."""

Attributes = Mapping[str, Value]

Instant = NewType("Instant", int)
"""Milliseconds since 1970-01-01T00:00:00Z."""

BEGINNING = Instant(-(2**62))
"""Lower bound of a fact time that was not given."""

FOREVER = Instant(2**62)
"""Upper bound of a fact time that was not given."""

BARE = re.compile(r'[^\s".]+')
"""A name that needs no quotes."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant_text(instant: Instant) -> str:
    """Return an instant of the years 1 to 9999 in ISO 8601, with milliseconds and `Z`.

    >>> instant_text(Instant(1))
    '1970-01-01T00:00:00.001Z'
    """
    moment = _EPOCH + timedelta(milliseconds=instant)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def bound_text(bound: Instant | None) -> str | None:
    """Return a bound of either clock in ISO 8601; one beyond what can be written is none.

    >>> bound_text(Instant(0)), bound_text(Instant(2**60)), bound_text(None)
    ('1970-01-01T00:00:00.000Z', None, None)
    """
    try:
        return None if bound is None else instant_text(bound)
    except OverflowError:
        return None


def normal_text(text: str) -> str:
    """Return a text as names and facts are compared: NFKC, case folded, white space collapsed.

    >>> normal_text("  Acme   CORP ")
    'acme corp'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


LIVING = 2**62
"""`expired_at` of an element that is alive: larger than every transaction number."""

CONCEPT_BIT = 0
LINK_BIT = 1
"""The kind of an element is the lowest bit of its integer id: `id = 2n + kind`."""


MERGED_FROM = "_merged_from"
"""Metadata of a concept that others were merged into: `"Type:name"` of each, in order."""

MOVED_FROM = "_moved_from"
"""Metadata of a link that a merge moved: `{"concept", "version"}`, its former end and version."""


class ElementKind(StrEnum):
    """What an element of the graph is."""

    CONCEPT = "concept"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Concept:
    """A node of the graph: `(type, name)` names one living concept of a group."""

    id: str
    type: str
    name: str
    attributes: Attributes
    metadata: Attributes


@dataclass(frozen=True, slots=True)
class Link:
    """A reified proposition; its ends are the ids of concepts or of links."""

    id: str
    subject: str
    predicate: str
    object: str
    attributes: Attributes
    metadata: Attributes


Element = Concept | Link


@dataclass(frozen=True, slots=True)
class Joint:
    """A link with its key, and the concept at its other end, as seen from one of its ends."""

    link: Link
    key: str
    far: Concept | None  # None: a link is there
    is_living: bool = True


NamedStep = tuple[str, str, str, str, Attributes]
"""A link between two named concepts: from, predicate, key, to, and the attributes of that one."""


Cell = Value | Element | list[Element]
"""What one column of an answer holds."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """The point in both times a read speaks of; what is left out means now, and any fact time.

    `valid` keeps what is true at that instant. The answer is as the memory stood at the instant
    `known`, or after the transaction of the number `transaction`: one of the two. Instants are
    milliseconds since 1970-01-01T00:00:00Z, so `AsOf(known=12)` is not transaction 12.

    >>> import recollect
    >>> from recollect.model import PutConcept
    >>> with recollect.open(":memory:") as nexus:
    ...     for dose in (100, 500):
    ...         _ = nexus.write([PutConcept("Drug", "Aspirin", {"dose": dose})])
    ...     question = 'FIND(?d.attributes.dose) WHERE { ?d {type: "Drug"} }'
    ...     first = nexus.read(question, as_of=AsOf(transaction=1))
    ...     instant = nexus.read(question, as_of=AsOf(known=Instant(1)))
    >>> first.results[0].rows, instant.results[0].rows
    ([(100,)], [])
    >>> instant.notices[0].code
    'transaction_as_instant'
    """

    valid: Instant | None = None
    known: Instant | None = None
    transaction: int | None = None


_LARGEST_LIMIT: Final = 2**62


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one text may ask for; beyond it KIP_4002, or KIP_4001 for the seconds.

    INVALID_ARGUMENT for what is no number from 0, whole but for the seconds.
    """

    max_rows: int = 100_000
    max_steps: int = 500_000_000  # the engine's instructions: the same on every machine
    max_seconds: float = 30.0
    max_depth: int = 64  # of blocks, patterns and values in each other, and of what is stored
    max_length: int = 32 * 2**20  # bytes of text

    def __post_init__(self) -> None:
        for one in fields(self):
            given = getattr(self, one.name)
            is_number = type(given) is int or (one.name == "max_seconds" and type(given) is float)
            if not is_number or not 0 <= given <= _LARGEST_LIMIT:
                raise refused(
                    f"{one.name} is {given!r:.40}, which is no limit",
                    f"pass {one.name}={one.default}",
                )


@dataclass(frozen=True, slots=True)
class Ranked:
    """The id of an element a search found, and its score in 0..1."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Dated:
    """An element with its two clocks: when it is true, and when the memory held it."""

    element: Element
    valid_at: Instant | None  # None: since ever
    invalid_at: Instant | None  # None: until further notice
    created_at: Instant
    expired_at: Instant | None  # None: alive


REPLACED_BY = "replaced_by"
"""Metadata of a closed link: the id of the one that was put in its place."""


def standing(dated: Dated, at: Instant) -> str:
    """Return in words what keeps an element from being so at an instant; nothing if it is so.

    What is closed was corrected, where another stands in its place, or else withdrawn.

    >>> moved = Dated(Concept("1", "Person", "Maria", {}, {}), None, Instant(0), Instant(0), None)
    >>> standing(moved, Instant(5)), standing(moved, Instant(-5))
    ('until 1970-01-01', '')
    """
    if dated.expired_at is not None:
        word = "corrected" if REPLACED_BY in dated.element.metadata else "withdrawn"
        return f"{word} {_day(dated.expired_at)}"
    return bounded(dated.valid_at, dated.invalid_at, at)


def bounded(valid_at: Instant | None, invalid_at: Instant | None, at: Instant) -> str:
    """Return in words which bound of a fact time an instant is beyond; nothing within them.

    >>> bounded(Instant(0), None, Instant(-1)), bounded(Instant(0), None, Instant(1))
    ('from 1970', '')
    """
    if invalid_at is not None and invalid_at <= at:
        return f"until {_day(invalid_at)}"
    if valid_at is not None and at < valid_at:
        day = _day(valid_at)
        return f"from {day.removesuffix('-01-01')}"
    return ""


def spanned(
    valid_at: Instant | None, invalid_at: Instant | None, told: Attributes, at: Instant
) -> str:
    """Return a fact time in words, as precisely as metadata has `told` it; nothing if unbounded.

    >>> spanned(Instant(0), Instant(86_400_000), {"valid_from": "1970"}, Instant(5))
    '1970 to 1970-01-02'
    >>> spanned(Instant(0), None, {}, Instant(5)), spanned(Instant(0), None, {}, Instant(-5))
    ('since 1970-01-01', 'from 1970-01-01')
    """
    begins, ends = bound_text(valid_at), bound_text(invalid_at)
    since = None if begins is None else _as_told(begins, told.get("valid_from"))
    until = None if ends is None else _as_told(ends, told.get("valid_until"))[:10]
    if since is not None and until is not None:
        return f"{since} to {until}"
    if since is not None:
        return f"{'since' if valid_at is not None and valid_at <= at else 'from'} {since}"
    return "" if until is None else f"until {until}"


def _as_told(instant: str, told: Value) -> str:
    """Return an instant by its year, month or day if it was told so; else to the minute."""
    if instant[10:] != "T00:00:00.000Z":
        return f"{instant[:10]} {instant[11:16]}"
    is_told = isinstance(told, str) and len(told) < 10 and f"{told}-01-01"[:10] == instant[:10]
    return str(told) if is_told else instant[:10]


def _day(instant: Instant) -> str:
    """Return the day of an instant in UTC."""
    text = bound_text(instant)
    return "another age" if text is None else text.partition("T")[0]


Progress = Callable[[str, int, int], None]
"""What long work tells on its way: the step it is at, how much of it is done, and of how much."""


def silent(step: str, done: int, total: int) -> None:
    """Tell nobody how far long work is."""
    del step, done, total
