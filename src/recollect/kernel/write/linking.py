"""Puts the links of one UPSERT, each as soon as both its ends are there.

PROPOSITION blocks come before the items of SET PROPOSITIONS; a link whose end is missing waits
for what would make it, so the work is linear in the links, whatever their order.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence
from typing import assert_never

from recollect.errors import NOT_FOUND, RecollectError, Span
from recollect.kernel.lang.ast import ConceptPattern, Handle, KmlEnd, LinkId, LinkTarget
from recollect.kernel.write.element import ConceptElement, Element, LinkElement, Tracker, Triple
from recollect.kernel.write.expectation import check_version
from recollect.kernel.write.identity import find_concept, match_link, missing_concept
from recollect.kernel.write.literals import ConceptNames, concept_name, text_value
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import plain_predicate
from recollect.model import Attributes, Skipped, Value
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Ends:
    """What a link says."""

    subject: KmlEnd | ConceptElement
    predicate: str
    object: KmlEnd


@dataclass(frozen=True, slots=True)
class Item:
    """A link to put: a PROPOSITION block, or an item of SET PROPOSITIONS."""

    what: Ends | LinkId
    attributes: Attributes
    metadata: Attributes
    handle: str | None  # of the block it is in
    is_block: bool
    expected: int | None = None  # the version that a block expects
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not there, and what would make it so: a handle, or a triple of two ids."""

    end: KmlEnd
    awaited: str | tuple[int, str, int] | None


class Linking:
    """The links of one statement as they are put; `handles` grows by those of its blocks."""

    def __init__(
        self, unit: Unit, handles: dict[str, Element], tracker: Tracker, names: ConceptNames
    ) -> None:
        self._unit = unit
        self._handles = handles
        self._tracker = tracker
        self._names = names

    def run(self, items: Sequence[Item]) -> list[LinkElement | Missing]:
        """Put all links that can be; return one outcome an item.

        Every link is there before the first of them is given its members, which come in the
        order of the text: so a second run, which waits for nothing, gives the same.
        KIP_3002 when an end of a PROPOSITION block is not in the graph, KIP_3003 when several
        elements fit.
        """
        self._expect(items)
        order = sorted(range(len(items)), key=lambda place: not items[place].is_block)
        made = self._make([items[place] for place in order])
        outcomes = dict(zip(order, made, strict=True))
        self._refuse_missing([outcomes[place] for place in order if items[place].is_block])
        for place, outcome in outcomes.items():
            if isinstance(outcome, LinkElement):
                item = items[place]
                self._unit.put(outcome, item.attributes, item.metadata, item.metadata)
        return [outcomes[place] for place in range(len(items))]

    def missing(self, end: KmlEnd) -> RecollectError:
        """Return KIP_3002 for an end that is not in the graph."""
        if isinstance(end, ConceptPattern):
            return missing_concept(self._unit, self._names.of(end))
        if isinstance(end, LinkId):
            return self._missing_link(end)
        return RecollectError(
            NOT_FOUND,
            "the proposition is not in the graph",
            hint="create it first, in a PROPOSITION block",
            span=end.span,
        )

    def _missing_link(self, end: LinkId) -> RecollectError:
        id_ = text_value(end.id, "id")
        is_concept = self._unit.directory.by_public_id(id_) is not None
        return RecollectError(
            NOT_FOUND,
            f'no link has the id "{id_}"' + (", which belongs to a concept" if is_concept else ""),
            hint=f'use {{id: "{id_}"}}' if is_concept else "look for it again with FIND",
            span=end.span,
        )

    def _expect(self, items: Sequence[Item]) -> None:
        """Look up at once the links whose ends are in the graph already."""
        triples: list[Triple] = []
        named = [item.what for item in items if not isinstance(item.what, LinkId)]
        self._unit.terms.expect(ends.predicate for ends in named)
        for ends in named:
            predicate = self._unit.terms.code(ends.predicate)
            subject, target = self._at_hand(ends.subject), self._at_hand(ends.object)
            if predicate is not None and subject is not None and target is not None:
                triples.append((subject.id, predicate, target.id))
        self._unit.directory.expect_triples(triples)

    def _at_hand(self, end: KmlEnd | ConceptElement) -> Element | None:
        match end:
            case ConceptElement():
                return end
            case Handle():
                return self._handles.get(end.name)
            case ConceptPattern():
                wanted = self._names.of(end)
                code = None if wanted.type is None else self._unit.terms.code(wanted.type)
                if code is None or wanted.name is None or wanted.id is not None:
                    return None
                return self._unit.directory.concept((code, wanted.name))
            case LinkTarget() | LinkId():
                return None
            case _:
                assert_never(end)

    def _make(self, items: Sequence[Item]) -> list[LinkElement | Missing]:
        """Match or create links, always the first that can be, until no more can."""
        outcomes: dict[int, LinkElement | Missing] = {}
        waiting: defaultdict[object, list[int]] = defaultdict(list)
        ready = list(range(len(items)))
        while ready:
            rank = heapq.heappop(ready)
            item = items[rank]
            outcome = outcomes[rank] = self._match_or_create(item)
            if isinstance(outcome, LinkElement):
                predicate = self._unit.terms.text(outcome.predicate)
                triple = outcome.subject, predicate, outcome.object
                for made in (triple, item.handle):
                    for woken in waiting.pop(made, ()):
                        heapq.heappush(ready, woken)
            elif outcome.awaited is not None:
                waiting[outcome.awaited].append(rank)
        return [outcomes[rank] for rank in range(len(items))]

    def _match_or_create(self, item: Item) -> LinkElement | Missing:
        link = self._link(item)
        if isinstance(link, LinkElement) and item.is_block and item.handle is not None:
            self._handles[item.handle] = link
        return link

    def _link(self, item: Item) -> LinkElement | Missing:
        unit, what = self._unit, item.what
        if isinstance(what, LinkId):
            found = self._by_id(what)
            if isinstance(found, Missing):
                return found
            return self._met(found, item, is_new=False)
        subject = self._resolve(what.subject)
        if isinstance(subject, Missing):
            return subject
        target = self._resolve(what.object)
        if isinstance(target, Missing):
            return target
        triple = subject.id, unit.terms.intern(what.predicate), target.id
        known = match_link(unit, triple, what.object.span)
        return self._met(known or unit.create_link(triple), item, is_new=known is None)

    def _met(self, link: LinkElement, item: Item, *, is_new: bool) -> LinkElement:
        self._tracker.meet(link, is_new)
        if item.expected is not None:
            is_new = self._tracker.has_made(link)
            check_version(self._unit, link, item.expected, item.span, is_new=is_new)
        return link

    def _resolve(self, end: KmlEnd | ConceptElement) -> Element | Missing:
        match end:
            case ConceptElement():
                return end
            case Handle():
                return self._handles.get(end.name) or Missing(end, end.name)
            case ConceptPattern():
                return find_concept(self._unit, self._names.of(end)) or Missing(end, None)
            case LinkTarget():
                return self._resolve_link(end)
            case LinkId():
                return self._by_id(end)
            case _:
                assert_never(end)

    def _by_id(self, end: LinkId) -> LinkElement | Missing:
        found = self._unit.directory.by_public_id(text_value(end.id, "id"))
        return found if isinstance(found, LinkElement) else Missing(end, None)

    def _resolve_link(self, end: LinkTarget) -> Element | Missing:
        subject = self._resolve(end.subject)
        if isinstance(subject, Missing):
            return subject
        target = self._resolve(end.object)
        if isinstance(target, Missing):
            return target
        predicate = plain_predicate(text_value(end.predicate, "predicate"), end.predicate.span)
        code = self._unit.terms.code(predicate)
        link = None
        if code is not None:
            link = match_link(self._unit, (subject.id, code, target.id), end.span)
        return link or Missing(end, (subject.id, predicate, target.id))

    def _refuse_missing(self, outcomes: Sequence[LinkElement | Missing]) -> None:
        """Raise for the first end that a block names and that is not there.

        A block that only waits for the handle of another is the other's consequence.
        """
        missing = [one for one in outcomes if isinstance(one, Missing)]
        missing.sort(key=lambda one: isinstance(one.end, Handle))
        if missing:
            raise self.missing(missing[0].end)


def skipped(item: Item) -> Skipped:
    """Return the report of an item of SET PROPOSITIONS that was left out."""
    assert isinstance(item.what, Ends)
    return Skipped(item.handle, item.what.predicate, _shown(item.what.object))


def _shown(end: KmlEnd) -> Value:
    match end:
        case Handle():
            return f"@{end.name}"
        case ConceptPattern():
            wanted = concept_name(end)
            parts = (("type", wanted.type), ("name", wanted.name), ("id", wanted.id))
            return {key: part for key, part in parts if part is not None}
        case LinkTarget():
            predicate = text_value(end.predicate, "predicate")
            return [_shown(end.subject), predicate, _shown(end.object)]
        case LinkId():
            return f'(id: "{text_value(end.id, "id")}")'
        case _:
            assert_never(end)
