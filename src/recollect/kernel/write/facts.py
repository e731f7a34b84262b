"""Facts: links that say something in words, and what a new one does to those it contradicts.

The rule: of two facts about one thing whose times overlap the newer stands. The older is closed
and ends in fact time where the newer begins, in one change; a fact that comes after one newer
than itself only ends there, and so do facts that one transaction tells together, since the
memory never held one without the other. Nothing that was said is lost.

Under a functional predicate the same goes for facts of one subject about different objects, but
the older is not closed: it was true until then. Only what would have no time left was never true.
What does not say when it began is true as far back as nothing speaks against it that does: from
where the last of those ended, or ends as it is told. That is a guess, which a telling puts right.
What goes on being true beside what was written is told, so that the reader decides whether it
should: links of the same subject and predicate to another object, at a time that both share.
Structure is kept by the calls that make it, and never stands beside anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, pairwise

from recollect.errors import (
    DUPLICATE_EXISTS,
    NOT_FOUND,
    Notice,
    forget_as,
    refused,
)
from recollect.kernel.read.known_keys import PROPOSITION_TYPE
from recollect.kernel.search.tokens import called
from recollect.kernel.store.cells import SqlValue, element_id, text
from recollect.kernel.store.holding import Stay, held_beside
from recollect.kernel.store.statements.declared import FLAGGED
from recollect.kernel.write.element import (
    VALID_FROM,
    VALID_UNTIL,
    ConceptElement,
    Element,
    ElementContent,
    LinkElement,
    Tracker,
    advance_clock,
)
from recollect.kernel.write.timed_fact import (
    PARTS,
    TimedFact,
    check_fact,
    guessed_since,
    is_guess,
    known_since,
)
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier, refuse_owned_fact
from recollect.model import (
    BEGINNING,
    FACT,
    FOREVER,
    FUNCTIONAL,
    LIVING,
    OBSERVED_AT,
    REPLACED_BY,
    SEARCH_ATTRIBUTES,
    AlsoHolds,
    Attributes,
    Change,
    Ended,
    Instant,
    PutConcept,
    PutFact,
    bound_text,
    instant_text,
    normal_text,
)

_KEPT = (VALID_FROM, VALID_UNTIL, OBSERVED_AT, SEARCH_ATTRIBUTES)
"""Metadata of a fact that a second telling does not replace as other members."""


class BatchFacts:
    """The facts of one batch as they are put; `closed` counts what they closed."""

    def __init__(self, unit: Unit, tracker: Tracker) -> None:
        self._unit = unit
        self._tracker = tracker
        self._spellings: dict[str, list[int]] | None = None
        self._functional: frozenset[str] | None = None  # normalised, of the group's definitions
        self._seen: dict[
            int, tuple[ElementContent, TimedFact]
        ] = {}  # by link, as long as it says the same
        self._told: set[int] = set()  # links that this batch tells
        self._ended: dict[LinkElement, None] = {}
        self.made: list[LinkElement] = []  # that may stand beside others
        self.closed = 0

    def ended(self) -> tuple[Ended, ...]:
        """Return the links whose end the batch has moved, in the order in which it did."""
        return tuple(
            Ended(
                self._unit.public_id(one),
                line_of(self._unit, one),
                one.content.invalid_at,
                not one.is_living,
            )
            for one in self._ended
            if one.content.invalid_at != FOREVER
        )

    def put(self, change: PutFact, subject: Element, target: Element) -> tuple[LinkElement, bool]:
        """Put one fact; return its link, or the one that says it already, and whether it is new.

        The names of the change are normal. KIP_3003 when its id is that of another element, or of
        a fact between other ends or of another key; KIP_3004 for a link that a call of its own
        writes; KIP_3002 when what it replaces is no living link.
        """
        attributes, metadata = check_fact(change)
        refuse_owned_fact(self._unit.session.kinds, subject, change.predicate, self._unit.terms)
        codes = self._codes(change.predicate)
        known = self._by_id(change, (subject, target), codes)
        if known is not None:
            if known.is_living:
                self._tracker.meet(known, is_new=False)
                self._unit.add_source(known, change.source)
                self._unit.put(known, attributes, metadata, metadata)
                if change.guessed_at is not None:
                    self._begin(known, change.guessed_at)
            return known, False
        clock = advance_clock(BEGINNING, FOREVER, metadata)
        new = TimedFact(
            id=change.id,
            number=0,  # it has no link yet
            says=None if change.text is None else normal_text(change.text),
            valid_at=clock.valid_at,
            invalid_at=clock.invalid_at,
            told_at=known_since(clock.valid_at, metadata),
            is_guessed=False,
            is_new=True,
            is_told=True,
        )
        wrong = self._replaced(change.replaces) if change.is_correction else None
        if wrong is not None:  # closed first, so that it is no rival
            self._tracker.meet(wrong, is_new=False)
            self.closed += len(self._unit.close([wrong]))
        rivals = self._rivals(subject, codes, target, change.key)
        link = self._same_fact(new, rivals)
        if wrong is not None and link is not None:
            told = self._unit.public_id(link)
            message = f"what it would say is remembered already, as {told}"
            raise refused(message, forget_as(str(change.replaces), "withdraw"))
        is_new = is_longer = link is None
        if link is None:
            since = self._since(new, change, (subject.id, target.id), rivals)
            link = self._create(change, (subject, target), clock.valid_at)
            self._told.add(link.id)
            self._tracker.meet(link, is_new=True)
            if FACT not in attributes:
                attributes = {**attributes, FACT: line_of(self._unit, link, spaced=True)}
            self._unit.put(link, attributes, metadata, metadata)
            if since != clock.valid_at:
                self._begin(link, since)
        else:
            is_longer = self._tell_again(link, new, metadata)
        self._unit.add_source(link, change.source)
        if wrong is not None:
            self._close(wrong, link)
        elif change.replaces is not None:  # first, so that what it replaces cannot end it
            self.replace(change.replaces, link)
        if change.is_settled:
            return link, is_new
        if is_new:
            self.made.append(link)
        # A telling that neither makes it longer nor tells a beginning contradicts nothing.
        if is_longer:
            self._settle_all(link, rivals, is_functional=change.is_functional)
        return link, is_new

    def end(self, element: Element, at: Instant | None) -> None:
        """End a link at an instant, now if there is none; INVALID_ARGUMENT as `EndFact` has it."""
        if not isinstance(element, LinkElement):
            raise refused(
                "an EndFact of the batch names a concept", "name the link that is no longer true"
            )
        until = self._unit.at if at is None else at
        if until <= element.content.valid_at and not is_guess(element.content):
            raise refused(
                f"the fact begins at {instant_text(element.content.valid_at)}, not before its end",
                "give a later end, or delete the fact if it was never true",
            )
        self._tracker.meet(element, is_new=False)
        is_longer = until > element.content.invalid_at
        self._end_as_told(element, until)
        if is_longer and is_fact(element):
            self._told.add(element.id)
            self._seen.pop(element.id, None)
            self._settle_again(element)

    def replace(self, replaced: str, link: LinkElement) -> None:
        """End the link of an id where another begins; close it if it has no time left then."""
        old = self._replaced(replaced)
        if old is link:
            return
        self._tracker.meet(old, is_new=False)
        self._told.add(link.id)
        self._seen.pop(link.id, None)
        begins = self._fact(link).begins(self._unit.at)
        self._end_or_close(old, link, begins)

    def _replaced(self, id: str | None) -> LinkElement:
        old = self._unit.directory.by_public_id(identifier(id or "", "id"))
        if isinstance(old, LinkElement):
            return old
        raise NOT_FOUND.error(
            f'no living link has the id "{id}", which is to be replaced',
            "look for it again: it may have been replaced already",
        )

    def _settle_all(
        self, link: LinkElement, rivals: Iterable[LinkElement], *, is_functional: bool
    ) -> None:
        """Settle a link with those about the same thing, and those of other objects if need be."""
        self._settle(link, (one for one in rivals if one is not link))
        predicate = self._unit.terms.text(link.predicate)
        if is_functional or self._is_functional(link.subject, predicate):
            self._settle_objects(link, [*self._others(link.subject, predicate, link.object)])

    def _others(self, subject: int, predicate: str, target: int) -> Iterator[LinkElement]:
        """Yield the living links of a subject under a predicate that lead to another object."""
        for code in self._codes(predicate):
            links = self._unit.directory.links_from(subject, code)
            yield from (one for one in links if one.object != target)

    def _since(
        self, new: TimedFact, change: PutFact, ends: tuple[int, int], rivals: Iterable[LinkElement]
    ) -> Instant:
        """Return since when a new fact is true: by a guess where it is one of others at a time."""
        begins = new.begins(self._unit.at)
        if change.guessed_at is not None or change.is_settled or new.valid_at != BEGINNING:
            return change.guessed_at or new.valid_at
        if not (change.is_functional or self._is_functional(ends[0], change.predicate)):
            return BEGINNING
        others = map(self._fact, self._others(ends[0], change.predicate, ends[1]))
        since = guessed_since(begins, others, map(self._fact, rivals))
        return since if since < new.invalid_at else BEGINNING

    def _begin(self, link: LinkElement, since: Instant) -> None:
        """Let a fact begin at an instant that nobody told: its metadata does not tell it."""
        self._unit.set_content(link, link.content._replace(valid_at=since))

    def _settle_again(self, link: LinkElement) -> None:
        directory, codes = self._unit.directory, self._codes(self._unit.terms.text(link.predicate))
        same = chain.from_iterable(
            directory.links((link.subject, one, link.object)) for one in codes
        )
        key = _compared(link)
        rivals = [one for one in same if is_fact(one) and _compared(one) == key]
        self._settle_all(link, rivals, is_functional=False)

    def _tell_again(self, link: LinkElement, new: TimedFact, metadata: Attributes) -> bool:
        """Set what a second telling says, keep what it leaves out; tell if it may meet others."""
        self._told.add(link.id)
        self._seen.pop(link.id, None)
        self._tracker.meet(link, is_new=False)
        content = link.content
        said = {key: one for key, one in metadata.items() if key not in _KEPT}
        is_known = content.valid_at != BEGINNING and not is_guess(content)
        is_begun = new.valid_at != BEGINNING and not is_known
        if is_begun:
            said[VALID_FROM] = metadata[VALID_FROM]
        self._unit.put(link, {}, said, said)
        is_same_stay = new.valid_at in (BEGINNING, link.content.valid_at)
        if new.invalid_at != FOREVER and (content.invalid_at == FOREVER or is_same_stay):
            self._end_as_told(link, new.invalid_at)
        return is_begun or link.content.invalid_at > content.invalid_at

    def _settle(self, link: LinkElement, rivals: Iterable[LinkElement]) -> None:
        """Let the newer of the link and each fact about the same thing end the older."""
        now = self._unit.at
        older: list[LinkElement] = []
        new, ends = self._fact(link), list[Instant]()
        for rival in rivals:
            other = self._fact(rival)
            if not new.overlaps(other):
                continue
            if new.is_newer_than(other):
                older.append(rival)
            else:
                ends.append(new.end_before(now if other.told_at is None else other.told_at))
        if ends:
            self._end(link, min(ends))
            new = self._fact(link)
        for rival in older:
            other = self._fact(rival)
            if not new.overlaps(other):
                continue
            self._tracker.meet(rival, is_new=False)
            self._end(rival, other.end_before(now if new.told_at is None else new.told_at))
            if not other.is_new:
                self._close(rival, link)

    def _settle_objects(self, link: LinkElement, others: Iterable[LinkElement]) -> None:
        """Let the newer of the link and each of the same subject, to another object, end the older.

        Of two that begin together the one that stood before ends, and of one batch the one that
        does not stand before the other. What is over when it is told ends nothing whose beginning
        is not known.
        """
        now, older, ends = self._unit.at, list[LinkElement](), list[Instant]()
        new = self._fact(link)
        begins = new.begins(now)
        for rival in others:
            other = self._fact(rival)
            if not new.overlaps(other):
                continue
            began = other.begins(now)
            # It was told as what holds: a stay that is over already says nothing against it.
            if began == BEGINNING and new.invalid_at <= now:
                continue
            if begins != began:
                is_newer = begins > began
            else:
                is_newer = not other.is_new or new.stands_before(other)
            if is_newer:
                older.append(rival)
            else:
                ends.append(new.end_before(began))
        if ends:
            self._end(link, min(ends))
            new = self._fact(link)
        for rival in older:
            if new.overlaps(self._fact(rival)):
                self._tracker.meet(rival, is_new=False)
                self._end_or_close(rival, link, begins)

    def _end_or_close(self, old: LinkElement, new: LinkElement, begins: Instant) -> None:
        """End a link where another begins, and close it if it has no time left then."""
        fact = self._fact(old)
        if fact.invalid_at <= begins:
            return
        until = fact.end_before(begins)
        if until == BEGINNING:  # neither says since when: the older was wrong
            self._close(old, new)
            return
        self._end(old, until)
        # One that this batch made was never held alone, and stays with no time at all.
        if until == fact.valid_at and not fact.is_new:
            self._close(old, new)

    def _close(self, old: LinkElement, new: LinkElement) -> None:
        """Close a link for good, as one that another was put in the place of."""
        replaced: Attributes = {REPLACED_BY: self._unit.public_id(new)}
        self._unit.put(old, {}, replaced, {})
        self._ended[old] = None
        self.closed += len(self._unit.supersede(old, old.content))

    def _same_fact(self, new: TimedFact, rivals: Iterable[LinkElement]) -> LinkElement | None:
        """Return the fact that says the same, and still did when the new one was told.

        An end that is told alone is that of a fact which has begun, even if it is over.
        """
        told_at = self._unit.at if new.told_at is None else new.told_at
        is_end = new.told_at is None and new.invalid_at != FOREVER
        for rival in rivals:
            fact = self._fact(rival)
            is_same = new.says is None or fact.says == new.says
            meets = fact.overlaps(new) or (is_end and fact.is_guessed)
            if is_same and meets and (is_end or told_at < fact.invalid_at):
                return rival
        return None

    def _rivals(
        self, subject: Element, codes: Iterable[int], target: Element, key: str
    ) -> list[LinkElement]:
        """Return the living facts about the same thing, oldest first."""
        directory = self._unit.directory
        links = chain.from_iterable(directory.links((subject.id, one, target.id)) for one in codes)
        return sorted(
            (one for one in links if is_fact(one) and _compared(one) == key), key=lambda one: one.id
        )

    def _fact(self, link: LinkElement) -> TimedFact:
        content = link.content
        seen = self._seen.get(link.id)
        if seen is not None and seen[0] is content:
            return seen[1]
        lives, given = [*link.lives], link.public_id
        if given is not None and element_id(self._unit.group.id_bits, given) is not None:
            given = None  # computed for the first of those that it carries on
        fact = TimedFact(
            id=given,
            number=link.id,
            says=normal_text(str(content.attributes.get(FACT, ""))),
            valid_at=content.valid_at,
            invalid_at=content.invalid_at,
            told_at=known_since(content.valid_at, content.metadata),
            is_guessed=is_guess(content),
            is_new=lives[-1].before is None,
            is_told=any(one.id in self._told for one in lives),
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
        key = PARTS.join((change.key, since)).rstrip(PARTS)
        holder = unit.directory.link(triple, key)
        if holder is not None and not is_fact(holder) and change.id is None:
            return holder
        numbers = count(unit.next_place())
        while unit.directory.link(triple, key) is not None:
            key = PARTS.join((change.key, since, str(next(numbers))))
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
        raise DUPLICATE_EXISTS.error(
            f'the id "{change.id}" belongs to another element, or to a fact about another thing',
            "leave the id out, or give another",
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

    def _is_functional(self, subject: int, predicate: str) -> bool:
        return self.is_once(predicate) and not is_kept(self._unit, subject, predicate)

    def is_once(self, predicate: str) -> bool:
        """Whether a predicate has one object at a time."""
        if self._functional is None:
            self._functional = functional_predicates(self._unit)
        return normal_text(predicate) in self._functional

    def _end_as_told(self, link: LinkElement, at: Instant) -> None:
        """Let a fact end; when it began is not known where it is told to end before a guess."""
        if at <= link.content.valid_at and is_guess(link.content):
            self._begin(link, BEGINNING)
        self._end(link, at)

    def _end(self, link: LinkElement, at: Instant) -> None:
        """Let a fact end in fact time, as its metadata tells it too."""
        if at == link.content.invalid_at:
            return
        until: Attributes = {VALID_UNTIL: bound_text(at)}
        told = len(self._unit.notices)
        self._unit.put(link, {}, until, until)
        if is_guess(link.content):
            del self._unit.notices[told:]  # that it has no time left is nobody's slip
        self._ended[link] = None


def applied_order(changes: Sequence[Change], facts: BatchFacts) -> Sequence[int]:
    """Return the places of changes in the order in which they are applied.

    What is told without a beginning, of functional predicates, comes last, so that a batch means
    the same in whatever order it tells; not where a change may be about another's fact.
    """
    puts = {at: one for at, one in enumerate(changes) if isinstance(one, PutFact)}
    is_apart = all(isinstance(one, PutFact | PutConcept) for one in changes)
    if not puts or not is_apart or any(one.handle or one.replaces for one in puts.values()):
        return range(len(changes))
    undated = (at for at, one in puts.items() if VALID_FROM not in one.metadata)
    late = [at for at in undated if puts[at].is_functional or facts.is_once(puts[at].predicate)]
    return [*sorted({*range(len(changes))} - {*late}), *late]


def is_fact(link: LinkElement) -> bool:
    """Whether a link says something in words."""
    return isinstance(link.content.attributes.get(FACT), str)


def _compared(link: LinkElement) -> str:
    """Return the part of a link's key that facts about one thing share."""
    return link.key.partition(PARTS)[0]


MOST_HELD = 10
"""Links told of beside what one write has put."""

_MOST_ASKED = 100  # links of one write: who puts more does not read what stands beside each


def also_holds(unit: Unit, made: Sequence[LinkElement]) -> tuple[AlsoHolds, ...]:
    """Return what goes on beside new links, the first ten; nothing beside more than a hundred.

    Cost: a statement, and two for what it finds.
    """
    stays = [
        Stay(one.subject, one.predicate, one.object, content.valid_at, content.invalid_at)
        for one in made
        if one.is_living and (content := one.content).invalid_at > unit.at
    ]
    if not stays or len(stays) > _MOST_ASKED:
        return ()
    unit.flush()
    most = MOST_HELD + len(stays)
    ids = held_beside(unit.session, unit.group.group_id, stays, unit.at, most)
    new = {one.id for one in made}
    found = [one for one in unit.directory.living(ids) if one.id not in new][:MOST_HELD]
    links = [one for one in found if isinstance(one, LinkElement)]
    unit.directory.expect_ids(end for one in links for end in (one.subject, one.object))
    first: dict[tuple[int, str], LinkElement] = {}
    for one in sorted(made, key=lambda one: one.content.valid_at):
        first.setdefault(_place(unit, one), one)
    return tuple(
        _held(unit, one, first[_place(unit, one)])
        for one in links
        if not is_kept(unit, one.subject, _predicate(unit, one))
    )


def functional_predicates(unit: Unit) -> frozenset[str]:
    """Return the functional predicates of a group as names are compared; one statement."""
    parameters: dict[str, SqlValue] = {
        "group": unit.group.group_id,
        "meta": PROPOSITION_TYPE,
        "living": LIVING,
        "attribute": FUNCTIONAL,
    }
    rows = unit.session.rows(FLAGGED, parameters)
    return frozenset([normal_text(text(name)) for (name,) in rows])


def also_holds_once(unit: Unit, links: Iterable[LinkElement]) -> tuple[AlsoHolds, ...]:
    """Return what goes on beside links of functional predicates, which KML does not end.

    Cost: a statement, and those of `also_holds` where one of the links is of such a predicate.
    """
    put = tuple(links)
    if not put:
        return ()
    functional = functional_predicates(unit)
    met = [one for one in put if normal_text(_predicate(unit, one)) in functional]
    return also_holds(unit, met)


def told_of_both(unit: Unit, subject: int) -> Iterator[Notice]:
    """Yield a notice of each fact that goes on beside a newer one, where one holds at a time.

    They are those of a subject, under functional predicates. Cost: its links, and a statement.
    """
    facts = defaultdict[int, list[LinkElement]](list)
    functional = functional_predicates(unit)
    for one in unit.directory.links_at([subject]):
        predicate = _predicate(unit, one)
        is_one = one.subject == subject and normal_text(predicate) in functional
        if is_one and one.content.invalid_at > unit.at and not is_kept(unit, subject, predicate):
            facts[one.predicate].append(one)
    for beside in facts.values():
        beside.sort(key=lambda one: (one.content.valid_at, one.id))
        for older, newer in pairwise(beside):
            begins = newer.content.valid_at
            if older.object == newer.object or older.content.invalid_at <= begins:
                continue
            id, at = unit.public_id(older), bound_text(begins)
            message = (
                f"{line_of(unit, older)} ({id}) goes on beside {line_of(unit, newer)}, "
                "which is newer, and one holds at a time"
            )
            yield Notice("both_hold", message, forget_as(id, "end", at))


def _place(unit: Unit, link: LinkElement) -> tuple[int, str]:
    """Return what links that stand beside each other share."""
    return link.subject, normal_text(_predicate(unit, link))


def _held(unit: Unit, link: LinkElement, newer: LinkElement) -> AlsoHolds:
    start, end, older = link.content.valid_at, link.content.invalid_at, link
    # What says no beginning begins as it is told.
    if start > (unit.at if newer.content.valid_at == BEGINNING else newer.content.valid_at):
        older, newer = newer, older
    return AlsoHolds(
        unit.public_id(link),
        line_of(unit, link),
        None if start == BEGINNING else start,
        None if end == FOREVER else end,
        forget_as(unit.public_id(older), "end", bound_text(newer.content.valid_at)),
    )


def _predicate(unit: Unit, link: LinkElement) -> str:
    return unit.terms.text(link.predicate)


def line_of(unit: Unit, link: LinkElement, *, spaced: bool = False) -> str:
    """Return what a link says in its parts: `Maria works_at Siemens`, or `Maria works at ...`."""
    predicate = unit.terms.text(link.predicate)
    words = predicate.replace("_", " ") if spaced else predicate
    return f"{_name(unit, link.subject)} {words} {_name(unit, link.object)}"


def _name(unit: Unit, end: int) -> str:
    """Return what a person calls an end; a link goes by its id."""
    element = unit.directory.by_id(end)
    if isinstance(element, ConceptElement):
        return called(element.name, element.content.attributes, element.content.metadata)
    return "" if element is None else unit.public_id(element)


def is_kept(unit: Unit, subject: int, predicate: str) -> bool:
    """Whether a link from a subject is structure, which a call keeps."""
    element = unit.directory.by_id(subject)
    if not isinstance(element, ConceptElement):
        return False
    kinds = unit.session.kinds
    return kinds.is_structure(unit.terms.text(element.type), normal_text(predicate))
