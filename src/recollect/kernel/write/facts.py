"""Facts: links that say something in words, and what a new one does to those it contradicts.

The rule: of two facts about one thing whose times overlap the newer stands. The older is closed
and ends in fact time where the newer begins, in one change; a fact that comes after one newer
than itself only ends there, and so do facts that one transaction tells together, since the
memory never held one without the other. Nothing that was said is lost.

Under a functional predicate the same goes for facts of one subject about different objects, but
the older is not closed: it was true until then. Only what would have no time left was never true.
What does not say when it began is true as far back as nothing speaks against it that does: from
where the last of those ended, or ends as it is told. That is a guess, which a telling puts right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, count

from recollect.errors import (
    DUPLICATE_EXISTS,
    NOT_FOUND,
    Notice,
    forget_as,
    is_misspelt,
    refused,
    said_anew,
    undo_of,
)
from recollect.kernel.search.known_terms import living_terms, nearest_terms
from recollect.kernel.store.cells import element_id
from recollect.kernel.store.statements.log import WRITTEN_AT
from recollect.kernel.write.beside import functional_predicates, is_kept, line_of
from recollect.kernel.write.element import (
    VALID_FROM,
    VALID_UNTIL,
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
    fact_to_put,
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
    OBSERVED_AT,
    REPLACED_BY,
    SEARCH_ATTRIBUTES,
    Attributes,
    ElementKind,
    Ended,
    Instant,
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
        self._new: set[str] = set()  # predicates that nothing has, of which nothing is said yet
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
        known = _fact_of_id(self._unit, change, (subject, target), codes)
        if known is not None:
            if known.is_living:
                self._tracker.meet(known, is_new=False)
                self._unit.add_source(known, change.source)
                self._unit.put(known, attributes, metadata, metadata)
                if change.guessed_at is not None:
                    self._begin(known, change.guessed_at)
            return known, False
        clock = advance_clock(BEGINNING, FOREVER, metadata)
        new = fact_to_put(change, metadata, clock.valid_at, clock.invalid_at)
        wrong = self._replaced(change.replaces) if change.is_correction else None
        if wrong is not None:  # closed first, so that it is no rival
            self._tracker.meet(wrong, is_new=False)
            self.closed += len(self._unit.close([wrong]))
        rivals = self._rivals(subject, codes, target, change.key)
        link = None if change.is_anew else self._same_fact(new, rivals)
        if change.moves_beginning and self._is_apart(link, new):
            link = None
        if wrong is not None and link is not None:
            told = self._unit.public_id(link)
            message = f"what it would say is remembered already, as {told}"
            raise refused(message, forget_as(str(change.replaces), "withdraw"))
        is_new = is_longer = link is None
        if link is None:
            since = self._since(new, change, (subject.id, target.id), rivals)
            link = _create_fact(self._unit, change, (subject, target), clock.valid_at)
            if normal_text(change.predicate) in self._new:
                self._unit.notices += self._misspelt(link, change.predicate)
            self._told.add(link.id)
            self._tracker.meet(link, is_new=True)
            if FACT not in attributes:
                attributes = {**attributes, FACT: line_of(self._unit, link, spaced=True)}
            self._unit.put(link, attributes, metadata, metadata)
            if since != clock.valid_at:
                self._begin(link, since)
        else:
            is_longer = self._tell_again(link, new, metadata, moves=change.moves_beginning)
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
            self._settle_all(link, rivals, change)
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
        self, link: LinkElement, rivals: Iterable[LinkElement], told: PutFact | None = None
    ) -> None:
        """Settle a link with those about the same thing, and those of other objects if need be."""
        predicate = self._unit.terms.text(link.predicate)
        rivals = [one for one in rivals if one is not link]
        moves = told is not None and told.moves_beginning
        if not moves:  # else it may end for another before it meets what says the same
            self._settle(link, rivals)
        if (told and told.is_functional) or self._is_functional(link.subject, predicate):
            self._settle_objects(link, [*self._others_of(link)], moves=moves)
        if moves:
            self._settle(link, rivals)

    def _others(self, subject: int, predicate: str, target: int) -> Iterator[LinkElement]:
        """Yield the living links of a subject under a predicate that lead to another object."""
        for code in self._codes(predicate):
            links = self._unit.directory.links_from(subject, code)
            yield from (one for one in links if one.object != target)

    def _others_of(self, link: LinkElement) -> Iterator[LinkElement]:
        return self._others(link.subject, self._unit.terms.text(link.predicate), link.object)

    def _since(
        self, new: TimedFact, change: PutFact, ends: tuple[int, int], rivals: Iterable[LinkElement]
    ) -> Instant:
        """Return since when a new fact is true: by a guess where it is one of others at a time."""
        begins, guess = new.begins(self._unit.at), change.guessed_at
        if guess is not None and guess <= new.invalid_at:
            return guess
        if change.is_settled or new.valid_at != BEGINNING:
            return new.valid_at
        if not (change.is_functional or self._is_functional(ends[0], change.predicate)):
            return BEGINNING
        others = map(self._fact, self._others(ends[0], change.predicate, ends[1]))
        same = map(self._fact, rivals)
        since = guessed_since(begins, others, same, counts_all=change.moves_beginning)
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
        self._settle_all(link, rivals)

    def _tell_again(
        self, link: LinkElement, new: TimedFact, metadata: Attributes, *, moves: bool
    ) -> bool:
        """Set what a second telling says, keep what it leaves out; tell if it may meet others."""
        self._told.add(link.id)
        self._seen.pop(link.id, None)
        self._tracker.meet(link, is_new=False)
        content = link.content
        said = {key: one for key, one in metadata.items() if key not in _KEPT}
        is_known = content.valid_at != BEGINNING and not is_guess(content)
        is_moved = moves and is_known and new.valid_at not in (BEGINNING, content.valid_at)
        is_begun = new.valid_at != BEGINNING and not is_known
        if is_moved:
            is_begun = new.valid_at < content.valid_at
            self._unit.notices.append(_begun_before(self._unit, link, metadata, is_anew=is_begun))
        elif is_begun and is_guess(content) and content.valid_at < new.valid_at:
            self._end_later(link, new.valid_at)
        if is_begun:
            said[VALID_FROM] = metadata[VALID_FROM]
        self._unit.put(link, {}, said, said)
        is_same_stay = new.valid_at in (BEGINNING, link.content.valid_at)
        if new.invalid_at != FOREVER and (content.invalid_at == FOREVER or is_same_stay):
            self._end_as_told(link, new.invalid_at)
        return is_begun or link.content.invalid_at > content.invalid_at

    def _is_apart(self, link: LinkElement | None, new: TimedFact) -> bool:
        """Whether another object's turn begins between a beginning that is told and the known."""
        if link is None or new.valid_at == BEGINNING:
            return False
        predicate = self._unit.terms.text(link.predicate)
        if not self._is_functional(link.subject, predicate):
            return False
        known, others = link.content.valid_at, self._others_of(link)
        return any(new.valid_at < one.content.valid_at < known for one in others)

    def _end_later(self, link: LinkElement, begins: Instant) -> None:
        """Let what ended where a fact was guessed to begin, as it was told, end where it does."""
        guess, group = link.content.valid_at, self._unit.group.group_id
        if not self._unit.session.rows(WRITTEN_AT, {"group": group, "at": guess}):
            return
        for one in self._others_of(link):
            if one.content.invalid_at == guess:
                self._tracker.meet(one, is_new=False)
                self._end(one, begins)

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

    def _settle_objects(
        self, link: LinkElement, others: Iterable[LinkElement], *, moves: bool
    ) -> None:
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
            # It was told as what holds: a stay that is over says only that it began since.
            if began == BEGINNING and new.invalid_at <= now:
                if moves and new.valid_at != BEGINNING and new.invalid_at < other.invalid_at:
                    self._tracker.meet(rival, is_new=False)
                    self._begin(rival, max(new.invalid_at, other.valid_at))
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
        told = len(self._unit.notices)
        self._end(old, until)
        # One that this batch made was never held alone, and stays with no time at all.
        if until == fact.valid_at and not fact.is_new:
            del self._unit.notices[told:]  # that it has no time left is nobody's slip
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

    def _codes(self, predicate: str) -> list[int]:
        """Return the codes of a predicate in every spelling that the group has."""
        terms = self._unit.terms
        if self._spellings is None:
            self._spellings = {}
            for text, code in terms.all().items():
                self._spellings.setdefault(normal_text(text), []).append(code)
        if (name := normal_text(predicate)) not in self._spellings:
            self._new.add(name)
        codes = self._spellings.setdefault(name, [])
        code = terms.intern(predicate)
        if code not in codes:
            codes.append(code)
        return codes

    def _misspelt(self, link: LinkElement, predicate: str) -> Iterator[Notice]:
        """Yield the notice that a new predicate is nearly a known one: of several the most used.

        Cost: three statements.
        """
        name, of = normal_text(predicate), (self._unit.session, self._unit.group.group_id)
        self._new.remove(name)
        near = nearest_terms(*of, (ElementKind.LINK,), predicate)
        slips = [one for one in near if is_misspelt(name, normal_text(one))]
        if slips and name not in map(normal_text, near):
            used = dict(living_terms(*of, ElementKind.LINK))
            best = max(slips, key=lambda one: used.get(one, 0))
            id = self._unit.public_id(link)
            message = f'"{predicate}" ({id}) is new, and nearly "{best}"; if that is meant, '
            message += "forget this fact and tell it so"
            yield Notice("new_predicate", message, forget_as(id, "withdraw"), known=(best,))

    def _is_functional(self, subject: int, predicate: str) -> bool:
        return self.is_once(predicate) and not is_kept(self._unit, subject, predicate)

    def is_once(self, predicate: str) -> bool:
        """Whether a predicate has one object at a time."""
        if self._functional is None:
            self._functional = functional_predicates(self._unit.session, self._unit.group.group_id)
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


def _create_fact(
    unit: Unit, change: PutFact, ends: tuple[Element, Element], valid_at: Instant
) -> LinkElement:
    """Create the link, or take the one that KIP wrote without words, under a free key."""
    subject, target = ends
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


def _fact_of_id(
    unit: Unit, change: PutFact, ends: tuple[Element, Element], codes: Iterable[int]
) -> LinkElement | None:
    """Return the fact of the given id, living or closed, if there is one."""
    if change.id is None:
        return None
    directory = unit.directory
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


def _begun_before(unit: Unit, link: LinkElement, metadata: Attributes, *, is_anew: bool) -> Notice:
    """Return the notice that a fact is told anew with another beginning than it had."""
    id, content, now = unit.public_id(link), link.content, metadata[VALID_FROM]
    was = f'"{content.attributes[FACT]}" was told before, to begin {content.metadata[VALID_FROM]}'
    if is_anew:
        return Notice("begins_anew", f"{was}, and is put right: it begins {now}", undo_of(id))
    hint = said_anew(id, "valid_at", str(now))
    return Notice("began_before", f"{was}, and does so still: not {now}", hint)


def is_fact(link: LinkElement) -> bool:
    """Whether a link says something in words."""
    return isinstance(link.content.attributes.get(FACT), str)


def _compared(link: LinkElement) -> str:
    """Return the part of a link's key that facts about one thing share."""
    return link.key.partition(PARTS)[0]
