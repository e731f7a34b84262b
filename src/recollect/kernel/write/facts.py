"""Facts: links that say something in words, and what a new one does to those it contradicts.

The rule: of two facts about one thing whose times overlap the newer stands. The older is closed
and ends in fact time where the newer begins, in one change; a fact that comes after one newer
than itself only ends there, and so do facts that one transaction tells together, since the
memory never held one without the other. Nothing that was said is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, count

from recollect.errors import DUPLICATE_EXISTS, INVALID_IDENTIFIER, INVALID_VALUE, RecollectError
from recollect.kernel.schema.definitions import definitions
from recollect.kernel.write.element import Content, Element, LinkElement
from recollect.kernel.write.own_types import refuse_owned_fact
from recollect.kernel.write.temporal import VALID_UNTIL, advance_clock, parse_instant
from recollect.kernel.write.tracker import Tracker
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier, members
from recollect.model import (
    BEGINNING,
    FACT,
    FOREVER,
    LONGEST_FACT_KEY,
    OBSERVED_AT,
    SOURCES,
    Attributes,
    ElementKind,
    Instant,
    PutFact,
    Value,
    instant_text,
    normal_text,
)

FUNCTIONAL = "functional"
"""Attribute of the definition of a predicate under which a subject has one object at a time."""

_PARTS = "\n"  # between the parts of a link's key: what is compared, since when, a number


@dataclass(frozen=True, slots=True)
class _Fact:
    """A fact as the rule sees it."""

    id: str
    key: str
    says: str  # None of the spelling: compared with others
    valid_at: Instant
    invalid_at: Instant
    told_at: Instant | None  # when it is told to begin, or was told; None: neither is known
    is_new: bool  # put by this transaction

    def overlaps(self, other: _Fact) -> bool:
        """Whether there is an instant at which both are true."""
        return max(self.valid_at, other.valid_at) < min(self.invalid_at, other.invalid_at)

    def is_newer_than(self, other: _Fact) -> bool:
        """Whether this one, put last, stands and not the other."""
        if self.told_at is not None and other.told_at is not None and self.told_at != other.told_at:
            return self.told_at > other.told_at
        return not other.is_new or self.id < other.id

    def end_before(self, newer: _Fact, now: Instant) -> Instant:
        """Return where this one ends when the newer begins."""
        begins = now if newer.told_at is None else newer.told_at
        return min(self.invalid_at, max(self.valid_at, begins))


class Facts:
    """The facts of one batch as they are put; `closed` counts what they closed."""

    def __init__(self, unit: Unit, tracker: Tracker) -> None:
        self._unit = unit
        self._tracker = tracker
        self._spellings: dict[str, list[int]] | None = None
        self._functional: frozenset[str] | None = None  # normalised, of the group's definitions
        self._seen: dict[int, tuple[Content, _Fact]] = {}  # by link, as long as it says the same
        self.closed = 0

    def put(self, change: PutFact, subject: Element, target: Element) -> tuple[LinkElement, bool]:
        """Put one fact; return its link, or the one that says it already, and whether it is new.

        The names of the change are normal. KIP_3003 when its id is that of another element, or of
        a fact between other ends or of another key; KIP_3004 for a link that a call of its own
        writes.
        """
        attributes, metadata = _checked(change)
        refuse_owned_fact(self._unit.session.kinds, subject, change.predicate, self._unit.terms)
        codes = self._codes(change.predicate)
        known = self._by_id(change, (subject, target), codes)
        if known is not None:
            if known.is_living:
                self._tracker.meet(known, is_new=False)
                add_source(self._unit, known, change.source)
                self._unit.put(known, attributes, metadata, metadata)
            return known, False
        clock = advance_clock(BEGINNING, FOREVER, metadata)
        new = _Fact(
            id=change.id or "",
            key=change.key,
            says=normal_text(change.text),
            valid_at=clock.valid_at,
            invalid_at=clock.invalid_at,
            told_at=_told_at(clock.valid_at, metadata),
            is_new=True,
        )
        rivals = self._rivals(subject, codes, target, change.key)
        told = self._told_already(new, rivals)
        if told is not None:
            self._tracker.meet(told, is_new=False)
            add_source(self._unit, told, change.source)
            if told.content.invalid_at == FOREVER and new.invalid_at != FOREVER:
                self._end(told, new.invalid_at)
            return told, False
        link = self._create(change, (subject, target), clock.valid_at)
        self._tracker.meet(link, is_new=True)
        self._unit.put(link, attributes, metadata, metadata)
        add_source(self._unit, link, change.source)
        if change.is_settled:
            return link, True
        self._settle(link, [(one, True) for one in rivals])
        if self._is_functional(change):
            others = chain.from_iterable(
                self._unit.directory.links_from(subject.id, code) for code in codes
            )
            self._settle(link, [(one, False) for one in others if one.object != target.id])
        return link, True

    def _settle(self, link: LinkElement, rivals: Iterable[tuple[LinkElement, bool]]) -> None:
        """Let the newer of the link and each of its rivals end the older.

        The second of a pair is whether an older rival that stood before is closed as well.
        """
        now = self._unit.at
        older: list[tuple[LinkElement, bool]] = []
        new, ends = self._fact(link), list[Instant]()
        for rival, is_closing in rivals:
            other = self._fact(rival)
            if not new.overlaps(other):
                continue
            if new.is_newer_than(other):
                older.append((rival, is_closing))
            else:
                ends.append(new.end_before(other, now))
        if ends:
            self._end(link, min(ends))
            new = self._fact(link)
        for rival, is_closing in older:
            other = self._fact(rival)
            if not new.overlaps(other):
                continue
            self._tracker.meet(rival, is_new=False)
            self._end(rival, other.end_before(new, now))
            if is_closing and not other.is_new:
                self.closed += len(self._unit.supersede(rival, rival.content))

    def _told_already(self, new: _Fact, rivals: Iterable[LinkElement]) -> LinkElement | None:
        """Return the fact that says the same, and still did when the new one was told."""
        told_at = self._unit.at if new.told_at is None else new.told_at
        for rival in rivals:
            fact = self._fact(rival)
            if fact.says == new.says and fact.overlaps(new) and told_at < fact.invalid_at:
                return rival
        return None

    def _rivals(
        self, subject: Element, codes: Iterable[int], target: Element, key: str
    ) -> list[LinkElement]:
        """Return the living facts about the same thing, oldest first."""
        directory = self._unit.directory
        links = chain.from_iterable(directory.links((subject.id, one, target.id)) for one in codes)
        return sorted(
            (one for one in links if is_fact(one) and _compared(one) == key),
            key=lambda one: one.id,
        )

    def _fact(self, link: LinkElement) -> _Fact:
        content = link.content
        seen = self._seen.get(link.id)
        if seen is not None and seen[0] is content:
            return seen[1]
        fact = _Fact(
            id=self._unit.public_id(link),
            key=_compared(link),
            says=normal_text(str(content.attributes.get(FACT, ""))),
            valid_at=content.valid_at,
            invalid_at=content.invalid_at,
            told_at=_told_at(content.valid_at, content.metadata),
            is_new=link.before is None,
        )
        self._seen[link.id] = content, fact
        return fact

    def _create(
        self, change: PutFact, ends: tuple[Element, Element], valid_at: Instant
    ) -> LinkElement:
        """Create the link, or take the one that KIP wrote without words, under a free key."""
        unit, (subject, target) = self._unit, ends
        triple = subject.id, unit.terms.intern(change.predicate), target.id
        since = "" if valid_at == BEGINNING else instant_text(valid_at)
        key = _PARTS.join((change.key, since)).rstrip(_PARTS)
        holder = unit.directory.link(triple, key)
        if holder is not None and not is_fact(holder) and change.id is None:
            return holder
        numbers = count(unit.next_place())
        while unit.directory.link(triple, key) is not None:
            key = _PARTS.join((change.key, since, str(next(numbers))))
        return unit.create_link(triple, key, change.id)

    def _by_id(
        self, change: PutFact, ends: tuple[Element, Element], codes: Iterable[int]
    ) -> LinkElement | None:
        """Return the fact of the given id, living or closed, if there is one."""
        if change.id is None:
            return None
        directory = self._unit.directory
        holder = directory.by_public_id(change.id)
        if holder is None:
            holder = directory.closed_link(change.id)
        if holder is None:
            return None
        triples = [(ends[0].id, code, ends[1].id) for code in codes]
        if (
            isinstance(holder, LinkElement)
            and is_fact(holder)
            and holder.triple in triples
            and change.key in ("", _compared(holder))
        ):
            return holder
        raise RecollectError(
            DUPLICATE_EXISTS,
            f'the id "{change.id}" belongs to another element, or to a fact about another thing',
            hint="leave the id out, or give another",
            known=(change.id,),
        )

    def _codes(self, predicate: str) -> list[int]:
        """Return the codes of a predicate in every spelling that the group has."""
        terms = self._unit.terms
        if self._spellings is None:
            self._spellings = {}
            for text, code in terms.all().items():
                self._spellings.setdefault(normal_text(text), []).append(code)
        codes = self._spellings.setdefault(normal_text(predicate), [])
        code = terms.intern(predicate)
        if code not in codes:
            codes.append(code)
        return codes

    def _is_functional(self, change: PutFact) -> bool:
        if change.is_functional:
            return True
        if self._functional is None:
            unit = self._unit
            found = definitions(unit.session, unit.group, ElementKind.LINK)
            self._functional = frozenset(
                normal_text(name)
                for name, one in found.items()
                if one.attributes.get(FUNCTIONAL) is True
            )
        return normal_text(change.predicate) in self._functional

    def _end(self, link: LinkElement, at: Instant) -> None:
        """Let a fact end in fact time, as its metadata tells it too."""
        until: Attributes = {VALID_UNTIL: instant_text(at)}
        self._unit.put(link, {}, until, until)


def add_source(unit: Unit, element: Element, source: str | None) -> None:
    """Let an element keep what it was learnt from beside what it was learnt from before."""
    if source is None:
        return
    normal, held = identifier(source, "source"), element.content.metadata.get(SOURCES)
    sources: list[Value] = list(held) if isinstance(held, list) else []
    if normal not in sources:
        unit.put(element, {}, {SOURCES: [*sources, normal]}, {})


def is_fact(link: LinkElement) -> bool:
    """Whether a link says something in words."""
    return isinstance(link.content.attributes.get(FACT), str)


def _checked(change: PutFact) -> tuple[Attributes, Attributes]:
    """Return the attributes, the text among them, and the metadata of a fact."""
    text: object = change.text
    if not isinstance(text, str) or not text.strip():
        problem = "empty" if isinstance(text, str) else "not a string"
        raise RecollectError(
            INVALID_VALUE, f"the text of the fact is {problem}", hint="say what the fact states"
        )
    says = members({FACT: text}, "attributes")
    attributes = {**members(change.attributes, "attributes"), **says}
    if len(change.key) > LONGEST_FACT_KEY:
        raise RecollectError(
            INVALID_IDENTIFIER,
            f"the key of the fact is longer than {LONGEST_FACT_KEY} characters",
            hint="pass a hash of it",
        )
    if _PARTS in change.key:
        raise RecollectError(
            INVALID_VALUE, "the key of the fact holds a line break", hint="write it on one line"
        )
    return attributes, members(change.metadata, "metadata")


def _told_at(valid_at: Instant, metadata: Attributes) -> Instant | None:
    if valid_at != BEGINNING:
        return valid_at
    observed = metadata.get(OBSERVED_AT)
    return parse_instant(observed) if isinstance(observed, str) else None


def _compared(link: LinkElement) -> str:
    """Return the part of a link's key that facts about one thing share."""
    return link.key.partition(_PARTS)[0]
