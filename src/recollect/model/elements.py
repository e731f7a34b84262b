"""The elements of the graph, the two clocks they have, and where a read stands in both.

With them the kinds: what is special about the concepts of a type. The rule: a kind is a value. Who
opens a memory says which kinds it has, the kernel and all above it ask the registry, and nothing
else knows a type by its name.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Final, NewType

from recollect.errors import refused
from recollect.node import dataclass, field

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


FACT_KIND: Final = "fact"
"""What a link is as a memory, unless it is structure."""

PLAIN_KIND: Final = "concept"
"""What a concept is as a memory, unless its kind says otherwise."""

_ABOUT: Final = ("summary", "description")


@dataclass(frozen=True, slots=True)
class AttributeIndex:
    """An attribute of a concept type that comparisons find by value.

    >>> print(AttributeIndex("Drug", "risk_level"), AttributeIndex("Drug", "half life"))
    Drug.risk_level Drug."half life"
    """

    type: str
    attribute: str

    def __str__(self) -> str:
        names = self.type, self.attribute
        return ".".join(
            one if BARE.fullmatch(one) else json.dumps(one, ensure_ascii=False) for one in names
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """What is special about the concepts of a type, and about the links that begin at them.

    >>> claim = Kind("Claim", "claim", call="KnowledgeStore.write_claim", text="text")
    >>> claim.is_owned, claim.is_free
    (True, False)
    >>> claim.line(Concept("c1", "Claim", "c1", {"text": "payments uses sagas"}, {}))
    'payments uses sagas'
    """

    type: str
    name: str = PLAIN_KIND  # what such a memory is called: "claim"
    call: str = ""  # the call that writes its concepts; empty: anyone may
    text: str = ""  # the attribute that says in words what such a concept means; empty: the name
    more: str = ""  # the attribute that says more of it
    names_are_ids: bool = False  # whether a name tells a person nothing and is never looked up
    is_made: bool = False  # whether a plain name that means nothing makes one
    is_meant: bool = True  # whether a plain name may mean one, as far as anyone may write them
    is_memory: bool = True  # whether one is a memory; otherwise it only supports others
    is_known: bool = True  # whether what one holds is part of what the memory knows
    is_given: bool = True  # whether a strict group needs no definition of it
    is_kept_up: bool = True  # whether upkeep may join two of them, or let one fade
    has_unique_names: bool = False  # no two living concepts are called the same, case aside
    links: frozenset[str] = frozenset()  # predicates from its concepts that are the call's, too
    joins: frozenset[str] = frozenset()  # structure from its concepts that anyone may write
    owns_links: bool = False  # whether every link from its concepts is the call's
    parts: frozenset[str] = frozenset()  # types erased with the last of its concepts that uses one
    support: frozenset[str] = frozenset()  # predicates to what supports or contradicts one
    indexes: tuple[str, ...] = ()  # attributes that its concepts are found by
    status: str = ""  # the attribute that tells whether one counts
    active: Mapping[str, float] = field(default_factory=dict)  # the trust in values that count
    shown: tuple[str, ...] | None = None  # attributes of its record; None: all but its text

    @property
    def is_owned(self) -> bool:
        """Whether a call of its own writes its concepts, and KML does not."""
        return bool(self.call)

    @property
    def gives_ids(self) -> bool:
        """Whether one that anyone makes has its name for its id."""
        return self.names_are_ids and not self.call

    @property
    def is_free(self) -> bool:
        """Whether a plain name may mean a concept of the kind, and facts may be told about it."""
        return self.is_meant and not (self.call or self.names_are_ids)

    @property
    def structure(self) -> frozenset[str]:
        """Predicates of links from its concepts that are no memory, but hold it together."""
        return self.links | self.joins

    def owns(self, predicate: str) -> bool:
        """Whether a link from one of its concepts is written by the call that writes them."""
        return self.owns_links or predicate in self.links

    def is_structure(self, predicate: str) -> bool:
        """Whether a link from one of its concepts is no memory."""
        return self.owns_links or predicate in self.structure

    def counts(self, attributes: Attributes) -> bool:
        """Whether a concept that says this counts: by its status, if the kind has one."""
        return not self.status or attributes.get(self.status) in self.active

    def line(self, concept: Concept) -> str:
        """Return what a concept says in one text: its words, or its name and what it is about."""
        said = concept.attributes.get(self.text) if self.text else None
        if isinstance(said, str) and said.strip():
            return said
        about = next((one for one in map(concept.attributes.get, _ABOUT) if _is_text(one)), None)
        return concept.name if about is None else f"{concept.name}: {about}"

    def record(self, concept: Concept) -> Attributes:
        """Return the attributes that a record of a concept shows beside its text and name."""
        said = concept.attributes
        if self.shown is not None:
            return {key: said[key] for key in self.shown if key in said}
        if not self.text:
            return said
        return {key: one for key, one in said.items() if key != self.text and one not in _EMPTY}


_EMPTY: Final[tuple[object, ...]] = (None, "", [])


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


@lru_cache(1024)
def _plain(type: str) -> Kind:
    """Return the kind of a type of which nothing is special; to make it takes a while."""
    return Kind(type, is_meant=not type.startswith("$"))


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """The kinds that a memory was opened with, by type; of any other type nothing is special.

    INVALID_ARGUMENT for two kinds of one type.

    >>> kinds = Kinds((Kind("Claim", "claim", call="write_claim", links=frozenset({"tagged"})),))
    >>> kinds.is_owned_link("Claim", "tagged"), kinds.is_owned_link("Claim", "about")
    (True, False)
    >>> kinds.is_free("Claim"), kinds.is_free("Drug"), kinds.is_free("$ConceptType")
    (False, True, False)
    """

    kinds: Iterable[Kind] = ()
    owned: frozenset[str] = field(init=False)
    """The types whose concepts a call alone writes."""
    own_links: frozenset[str] = field(init=False)
    """The predicates of links that calls alone write from some types."""
    known_links: frozenset[str] = field(init=False)
    """The predicates that need no definition in a strict group."""
    given: frozenset[str] = field(init=False)
    """The types that need no definition in a strict group."""
    aside: frozenset[str] = field(init=False)
    """The types that the primer leaves out: what they hold is not part of what is known."""
    unique: frozenset[str] = field(init=False)
    """The types of which no two living concepts are called the same, case aside."""
    link_owners: frozenset[str] = field(init=False)
    """The types whose links are all their call's."""
    made: str | None = field(init=False)
    """The type of what a plain name makes, where it means nothing; None where it makes nothing."""
    _by_type: dict[str, Kind] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kinds = tuple(self.kinds)
        by_type = {one.type: one for one in kinds}
        if len(by_type) < len(kinds):
            twice = sorted({one.type for one in kinds if kinds.count(one) > 1}) or sorted(by_type)
            raise refused(
                f'there are two kinds of one type, among them "{twice[0]}"',
                "give each type one Kind",
            )
        for name, value in (
            ("kinds", kinds),
            ("_by_type", by_type),
            ("made", next((one.type for one in kinds if one.is_made), None)),
            ("owned", frozenset(one.type for one in kinds if one.is_owned)),
            ("own_links", frozenset().union(*(one.links for one in kinds))),
            ("known_links", frozenset().union(*(one.structure for one in kinds))),
            ("given", frozenset(one.type for one in kinds if one.is_given)),
            ("aside", frozenset(one.type for one in kinds if not one.is_known)),
            ("unique", frozenset(one.type for one in kinds if one.has_unique_names)),
            ("link_owners", frozenset(one.type for one in kinds if one.owns_links)),
        ):
            object.__setattr__(self, name, value)

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_type.values())

    def get(self, type: str) -> Kind | None:
        """Return the kind of a type; None where nothing is special about it."""
        return self._by_type.get(type)

    def of(self, type: str) -> Kind:
        """Return the kind of a type; a plain one where nothing is special about it."""
        return self._by_type.get(type) or _plain(type)

    def is_free(self, type: str) -> bool:
        """Whether a plain name may mean a concept of the type: no meta-type, of no face."""
        return self.of(type).is_free

    def is_kept_up(self, type: str) -> bool:
        """Whether upkeep may let a concept of the type fade, or join it with its like."""
        kind = self.of(type)
        return kind.is_kept_up and not kind.is_owned

    def is_owned_link(self, type: str, predicate: str) -> bool:
        """Whether a link from a concept of a type is written by the call that writes those."""
        kind = self._by_type.get(type)
        return kind is not None and kind.owns(predicate)

    def is_structure(self, type: str, predicate: str) -> bool:
        """Whether a link from a concept of a type is structure: no memory, and no mention."""
        kind = self._by_type.get(type)
        return type.startswith("$") or (kind is not None and kind.is_structure(predicate))

    def memory(self, element: Element, start: Concept | None = None) -> str | None:
        """Return which kind of memory an element is: "fact", "claim"; None for one that is none.

        `start` is the concept that a link begins at, if it is one.
        """
        if isinstance(element, Link):
            is_held = start is not None and self.is_structure(start.type, element.predicate)
            return None if is_held else FACT_KIND
        kind = self.of(element.type)
        return kind.name if kind.is_memory else None

    def named(self, name: str) -> tuple[Kind, ...]:
        """Return the kinds whose memories are called so, such as "claim"."""
        return tuple(one for one in self if one.name == name)

    def names(self) -> tuple[str, ...]:
        """Return what memories are called, the general kinds first."""
        told = (one.name for one in self if one.is_memory)
        return tuple(dict.fromkeys((FACT_KIND, PLAIN_KIND, *told)))

    def indexes(self) -> tuple[AttributeIndex, ...]:
        """Return what concepts of the kinds are found by."""
        return tuple(AttributeIndex(one.type, name) for one in self for name in one.indexes)


NO_KINDS: Final = Kinds()
"""The kinds of a memory that was opened with none: nothing is special about any type."""
