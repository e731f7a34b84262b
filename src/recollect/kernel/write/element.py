"""Elements as one write transaction holds them: as they were, as they will be, and when it is true.

What ends up on disk is a pure function of the two, so a transaction records its net effect.
Contents are never changed in place, so the same object is always the same content. New attributes
and metadata join those an element has key by key: an array or an object is replaced at its key,
null is stored, and what changes nothing returns the very content it was given.

The fact clock is read from the metadata: `valid_from` and `valid_until` set it (KIP 1.0-draft3,
appendix 1).

The living elements of a group are found by what names them. Every element is loaded once and kept,
so that all of a transaction speaks of one object; what the transaction creates or closes is seen
before it is on disk. Only the living are found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple, cast

import orjson

from recollect.errors import Notice
from recollect.kernel.read.moment import parse_instant
from recollect.kernel.store.cells import (
    SqlValue,
    canonical as canonical,
    element_id,
    members,
    whole,
)
from recollect.kernel.store.group import Group, Interning
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.living import (
    BY_PUBLIC_ID,
    CONCEPT_BY_ID,
    CONCEPT_BY_NAME,
    CONCEPT_BY_NAME_KEY,
    CONCEPT_ID_BY_NAME,
    LINK_BY_END,
    LINK_BY_ID,
    LINK_BY_SUBJECT,
    LINK_BY_TRIPLE,
)
from recollect.model import BEGINNING, FOREVER, LINK_BIT, LIVING, Attributes, Instant, Value
from recollect.node import dataclass, field

VALID_FROM = "valid_from"
VALID_UNTIL = "valid_until"

_DAY = 86_400_000
INSTANTS = range(-62_135_596_800_000, 253_402_300_800_000)
"""The milliseconds of the years 1 to 9999."""

BOUNDS = range(INSTANTS.start - _DAY, INSTANTS.stop + _DAY)
"""Where a fact time may lie, which a zone moves by less than a day."""

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


ConceptKey = tuple[int, str]
"""A type's code and a name."""

_Shared = tuple[int, str | None, bytes, str, str, int, int, int, int, int]
"""The columns that rows of concepts and of links begin with, in the order of `rows`."""

_CHUNK = 2000  # elements one look-up asks for


class Directory:
    """The elements a transaction has met, and the ways to meet others."""

    def __init__(self, session: Session, group: Group, terms: Interning, last_id: int) -> None:
        self._session = session
        self._group = group
        self._terms = terms  # of those that are new there is nothing to be looked up
        self._last_id = last_id  # elements above it are of this transaction
        self._elements: dict[int, Element] = {}
        self._concepts: dict[ConceptKey, ConceptElement | None] = {}
        self._named: defaultdict[str, list[ConceptElement]] = defaultdict(list)
        self._names_read: set[str] = set()  # those of whatever type
        self._name_keys: dict[ConceptKey, ConceptElement | None] = {}
        self._triples: dict[Triple, tuple[LinkElement, ...]] = {}
        self._public: dict[str, Element | None] = {}
        self._computed: dict[str, int] = {}  # the integer ids behind those that were not given
        self._closed: dict[str, LinkElement] = {}  # the last one of each given id
        self._asked: set[str] = set()  # given ids whose rows were all read, closed ones too
        self._created_links: list[LinkElement] = []  # those that no end was asked for yet
        self._created_by_end: dict[int, list[LinkElement]] = {}
        self._found_by_end: dict[int, dict[int, LinkElement]] = {}  # those that were there before

    def concept(self, key: ConceptKey) -> ConceptElement | None:
        """Return the living concept of that type and name."""
        if key not in self._concepts:
            self.expect_concepts([key])
        found = self._concepts[key]
        return found if found is not None and found.is_living else None

    def concept_ids(self, kind: int, names: Iterable[str]) -> dict[str, int]:
        """Return the integer ids of the living concepts of a type by those names.

        This is for the ends of links, whose rows need not be read. Names are looked up in the order
        of the index, so that neighbours share its pages.
        """
        found: dict[str, int] = {}
        unknown: list[str] = []
        is_new = self._terms.is_new(kind)
        for name in names:
            if not is_new and (kind, name) not in self._concepts:
                unknown.append(name)
            elif (concept := self.concept((kind, name))) is not None:
                found[name] = concept.id
        rows = self._look_up(CONCEPT_ID_BY_NAME, sorted(unknown), type=kind)
        return found | dict(cast("Iterable[tuple[str, int]]", rows))

    def by_name_key(self, key: ConceptKey) -> ConceptElement | None:
        """Return the living concept of that type whose name is the same, case aside."""
        if key not in self._name_keys:
            self.expect_name_keys([key])
        found = self._name_keys[key]
        return found if found is not None and found.is_living else None

    def by_id(self, element: int) -> Element | None:
        """Return the living element of that integer id."""
        if element not in self._elements:
            self.expect_ids([element])
        found = self._elements.get(element)
        return found if found is not None and found.is_living else None

    def living(self, elements: Iterable[int]) -> list[Element]:
        """Return the living ones among elements, each once, in their order."""
        wanted = list(dict.fromkeys(elements))
        self.expect_ids(wanted)
        found = (self.by_id(one) for one in wanted)
        return [element for element in found if element is not None]

    def by_public_id(self, text: str) -> Element | None:
        """Return the living element of that public id, given or computed."""
        if text not in self._public:
            self.expect_public_ids([text])
        found = self._public[text]
        if found is not None:
            return found if found.is_living else None
        computed = self._computed.get(text)
        if computed is None:
            return None
        named = self.by_id(computed)  # a given id hides the computed one
        return named if named is not None and named.public_id is None else None

    def link(self, triple: Triple, key: str) -> LinkElement | None:
        """Return the living link of a triple under that key."""
        for link in self._all_links(triple):
            if link.is_living and link.key == key:
                return link
        return None

    def links(self, triple: Triple) -> list[LinkElement]:
        """Return the living links of a triple, under every key."""
        return [link for link in self._all_links(triple) if link.is_living]

    def _all_links(self, triple: Triple) -> Sequence[LinkElement]:
        """Return the links of a triple that this transaction found alive or made."""
        found = self._triples.get(triple)
        if found is None:
            if triple[0] > self._last_id or triple[2] > self._last_id:
                return ()  # an end of this transaction: no row is of it
            self.expect_triples([triple])
            found = self._triples[triple]
        return found

    def links_from(self, subject: int, predicate: int) -> list[LinkElement]:
        """Return the living links of a subject and a predicate, to whatever object."""
        rows = self._look_up(LINK_BY_SUBJECT, [(subject, predicate)])
        links = [*map(self._link, rows), *self._created_at(subject)]
        asked = (one for one in links if (one.subject, one.predicate) == (subject, predicate))
        return [one for one in dict.fromkeys(asked) if one.is_living]

    def closed_link(self, public_id: str) -> LinkElement | None:
        """Return the last link of that given id which was closed by an earlier transaction."""
        if public_id not in self._asked:
            self._read_given([public_id])
        return self._closed.get(public_id)

    def links_at(self, ends: Iterable[int]) -> list[LinkElement]:
        """Return the living links that have one of the elements at either end.

        Those about these are looked up too, and theirs: a statement for each wave, once.
        """
        wanted = list(ends)
        wave = [one for one in wanted if one not in self._found_by_end]
        while wave:
            met = {one: self._found_by_end.setdefault(one, {}) for one in wave}
            old = [one for one in met if one <= self._last_id]
            links = [*map(self._link, self._look_up(LINK_BY_END, old))]
            for link in links:
                for end in (link.subject, link.object):
                    if end in met:
                        met[end][link.id] = link
            wave = [link.id for link in links if link.id not in self._found_by_end]
        found: dict[int, LinkElement] = {}
        for end in wanted:
            found |= self._found_by_end[end]
            for link in self._created_at(end):
                found[link.id] = link
        return [link for link in found.values() if link.is_living]

    def links_about(self, ends: Iterable[int]) -> list[LinkElement]:
        """Return the living links at elements, those about these, and theirs, oldest first."""
        found: dict[int, LinkElement] = {}
        wave = [*ends]
        while wave:
            links = self.links_at(wave)
            wave = [link.id for link in links if link.id not in found]
            found.update((link.id, link) for link in links)
        return [found[one] for one in sorted(found)]

    def expect_concepts(self, keys: Iterable[ConceptKey]) -> None:
        """Look up many concepts at once, ahead of asking for each."""
        unknown = [key for key in dict.fromkeys(keys) if key not in self._concepts]
        for key in unknown:
            self._concepts[key] = None
        self.expect_names(name for _, name in self._old(unknown))

    def expect_names(self, names: Iterable[str]) -> None:
        """Look up the concepts of many names, of whatever type, at once."""
        unknown = [one for one in dict.fromkeys(names) if one not in self._names_read]
        self._names_read.update(unknown)
        for row in self._look_up(CONCEPT_BY_NAME, unknown):
            self._concept(row)

    def older_namesakes(self, concept: ConceptElement) -> list[ConceptElement]:
        """Return the living concepts of a name that was looked up, older and of other types."""
        its = (one for one in self._named[concept.name] if one.is_living and one.id < concept.id)
        return sorted((one for one in its if one.type != concept.type), key=attrgetter("id"))

    def expect_name_keys(self, keys: Iterable[ConceptKey]) -> None:
        """Look up many concepts at once by their type and normal name."""
        unknown = [key for key in dict.fromkeys(keys) if key not in self._name_keys]
        for key in unknown:
            self._name_keys[key] = None
        for row in self._look_up(CONCEPT_BY_NAME_KEY, self._old(unknown)):
            concept = self._concept(row)
            self._name_keys[concept.type, str(concept.name_key)] = concept

    def expect_ids(self, elements: Iterable[int]) -> None:
        """Look up many elements at once by integer id."""
        unknown = [one for one in dict.fromkeys(elements) if one not in self._elements]
        for row in self._look_up(CONCEPT_BY_ID, [one for one in unknown if not one & LINK_BIT]):
            self._concept(row)
        for row in self._look_up(LINK_BY_ID, [one for one in unknown if one & LINK_BIT]):
            self._link(row)

    def expect_public_ids(self, texts: Iterable[str]) -> None:
        """Look up many elements at once by public id, and the closed links of those ids."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._public]
        if not unknown:
            return
        for text in unknown:
            self._public[text] = None
        self._read_given(unknown)
        id_bits = self._group.id_bits
        computed = {text: element_id(id_bits, text) for text in unknown}
        named = {text: one for text, one in computed.items() if one is not None}
        self._computed |= named
        self.expect_ids(named.values())

    def expect_triples(self, triples: Iterable[Triple]) -> None:
        """Look up the links of many triples at once."""
        unknown = [triple for triple in dict.fromkeys(triples) if triple not in self._triples]
        self._triples.update(dict.fromkeys(unknown, ()))
        last = self._last_id
        old = [
            (subject, predicate, target)
            for subject, predicate, target in unknown
            if subject <= last and target <= last and not self._terms.is_new(predicate)
        ]
        for link in map(self._link, self._look_up(LINK_BY_TRIPLE, old)):
            self._triples[link.triple] += (link,)

    def add_concept(self, concept: ConceptElement) -> None:
        """Make a new concept known by its key and its ids."""
        self._elements[concept.id] = concept
        self._concepts[concept.type, concept.name] = concept
        self._named[concept.name].append(concept)
        if concept.name_key is not None:
            self._name_keys[concept.type, concept.name_key] = concept
        if concept.public_id is not None:
            self._public[concept.public_id] = concept

    def add_link(self, link: LinkElement) -> None:
        """Make a new link known by its triple, its ends and its ids."""
        self._elements[link.id] = link
        triple = link.subject, link.predicate, link.object
        others = self._all_links(triple)
        self._triples[triple] = (*others, link) if others else (link,)
        self._created_links.append(link)
        if link.public_id is not None:
            self._public[link.public_id] = link

    def _old(self, keys: Iterable[ConceptKey]) -> list[ConceptKey]:
        """Return the keys that something may have had before this transaction."""
        return [key for key in keys if not self._terms.is_new(key[0])]

    def _read_given(self, texts: Sequence[str]) -> None:
        """Read the elements of given ids, and the links of those ids that are closed."""
        self._asked.update(texts)
        for row in self._look_up(BY_PUBLIC_ID, texts):
            if not whole(row[0]) & LINK_BIT:
                self._concept((*row[:11], *row[13:15]))
            elif row[-1] == LIVING:
                self._link(row)
            else:
                self._add_closed(_link_of(row, is_living=False))

    def _created_at(self, end: int) -> Sequence[LinkElement]:
        """Return the links of this transaction that have an element at either end."""
        for link in self._created_links:
            self._created_by_end.setdefault(link.subject, []).append(link)
            self._created_by_end.setdefault(link.object, []).append(link)
        self._created_links.clear()
        return self._created_by_end.get(end, ())

    def _look_up(
        self,
        statement: Statement,
        wanted: Sequence[int | str | ConceptKey | tuple[int, ...]],
        **others: SqlValue,
    ) -> Iterator[SqlRow]:
        for start in range(0, len(wanted), _CHUNK):
            parameters: dict[str, SqlValue] = {
                "wanted": orjson.dumps(wanted[start : start + _CHUNK]).decode(),
                "group": self._group.group_id,
                "living": LIVING,
                **others,
            }
            yield from self._session.rows(statement, parameters)

    def _concept(self, row: SqlRow) -> ConceptElement:
        """Return the one object for a concept's row."""
        shared, kind, name = (cast(_Shared, row[:10]), cast(int, row[10]), cast(str, row[11]))
        name_key = cast(str | None, row[12])
        known = self._elements.get(shared[0])
        if isinstance(known, ConceptElement):
            return known
        before = _before(shared)
        on_disk = State(before.content, True)
        concept = ConceptElement(
            *shared[:3], before, before.content, True, on_disk, kind, name, name_key
        )
        self.add_concept(concept)
        return concept

    def _link(self, row: SqlRow) -> LinkElement:
        """Return the one object for a link's row."""
        known = self._elements.get(cast(int, row[0]))
        if isinstance(known, LinkElement):
            return known
        link = _link_of(row, is_living=True)
        self._elements[link.id] = link
        if link.public_id is not None:
            self._public[link.public_id] = link
        return link

    def _add_closed(self, link: LinkElement) -> None:
        assert link.public_id is not None
        last = self._closed.get(link.public_id)
        if last is None or last.id < link.id:
            self._closed[link.public_id] = link


def _link_of(row: SqlRow, *, is_living: bool) -> LinkElement:
    shared, own = cast(_Shared, row[:10]), cast(tuple[int, int, int, str], row[10:14])
    before = _before(shared)
    on_disk = State(before.content, is_living)
    id_, given, salt = shared[:3]
    return LinkElement(id_, given, salt, before, before.content, is_living, on_disk, *own)


def _before(shared: _Shared) -> Before:
    (_, _, _, attributes, metadata, valid_at, invalid_at, version, born_at, changed_at) = shared
    content = ElementContent(
        members(attributes), members(metadata), Instant(valid_at), Instant(invalid_at)
    )
    return Before(content, whole(version), born_at, changed_at)
