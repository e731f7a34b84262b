"""Typed change batches: what faces write, and what KML is lowered to, applied in order.

Names are looked up in bulk first; the changes then run one after another, each seeing those
before it. What a decision sees was read in the transaction that its changes are part of, so nobody
writes in between, and what was read is not read again to be written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from functools import cached_property
from operator import itemgetter
from typing import assert_never, cast

from recollect.errors import DUPLICATE_EXISTS, VERSION_CONFLICT, RecollectError, Span, refused
from recollect.kernel.store.cells import canonical_name
from recollect.kernel.write.beside import also_holds, told_of_both
from recollect.kernel.write.element import (
    VALID_FROM,
    ConceptElement,
    Element,
    ElementContent,
    LinkElement,
    Tracker,
    Triple,
    without_keys,
)
from recollect.kernel.write.facts import BatchFacts, is_fact
from recollect.kernel.write.identity import check_id, match_link, match_or_create, taken_id
from recollect.kernel.write.merge_concepts import bear_anew, merge_concepts, take_back
from recollect.kernel.write.references import References, normal, unknown
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier, members, removable_key
from recollect.model import (
    Attributes,
    BatchReport,
    Change,
    Concept,
    Decision,
    Delete,
    EndFact,
    Link,
    Meant,
    Merge,
    MergeReport,
    Present,
    Progress,
    Put,
    PutConcept,
    PutFact,
    PutLink,
    RemoveKeys,
    Retype,
    Unmerge,
    silent,
)
from recollect.node import node, replace

_TOGETHER = 1_000
"""Changes whose rows are made and written before the next ones: the caches of a core hold them."""

_TOLD_EVERY = 100  # changes


def apply_changes(unit: Unit, changes: Sequence[Change]) -> BatchReport:
    """Apply the changes in order and return what they did.

    KIP_3001 for an unknown handle, KIP_3002 for an element that is not there, KIP_3003 for an
    id or a handle that is taken; whoever opened the transaction then rolls all of it back.
    """
    batch = Batch(unit)
    touched = batch.run(changes)
    return BatchReport(
        ids=tuple("" if one is None else unit.public_id(one) for one in touched),
        created=batch.tracker.created,
        updated=len(batch.tracker.updated),
        closed=len(batch.deleted)
        + sum(1 + one.links_deduplicated for one in batch.merged)
        + batch.facts.closed,
        ended=batch.facts.ended(),
        also_holds=also_holds(unit, batch.facts.made),
    )


@node(frozen=True, slots=True)
class Spans:
    """Where a text says a change, and where it says the version that the change expects."""

    what: Span | None
    version: Span | None = None


class Batch:
    """The changes of one batch as they are applied, and what they did."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self.tracker = Tracker()
        self.references = References(unit, self.tracker)
        self.deleted: list[Element] = []
        self.merged: list[MergeReport] = []  # a source each
        self._joined: dict[ConceptElement, None] = {}  # what they were merged into
        self._not_adopted: list[tuple[Meant, ConceptElement]] = []

    @cached_property
    def facts(self) -> BatchFacts:
        """The facts of the batch, which most have none of."""
        return BatchFacts(self._unit, self.tracker)

    def run(
        self,
        changes: Sequence[Change],
        spans_of: Callable[[int], Spans] = lambda _: Spans(None),
        progress: Progress = silent,
    ) -> list[Element | None]:
        """Apply changes and return the element of each, None for one that was skipped.

        `spans_of` tells where a text says a change, for errors; `progress` is told of every
        hundredth.
        """
        changes = tuple(changes)  # the same objects each time they are gone through
        self.references.expect(changes)
        touched: list[Element | None] = []
        places = self._applied_order(changes)
        try:
            for start in range(0, len(changes), _TOLD_EVERY):
                progress("changes", start, len(changes))
                if start and start % _TOGETHER == 0:
                    self._unit.flush()
                touched += [self._apply(changes[at]) for at in places[start : start + _TOLD_EVERY]]
            for wanted, concept in self._not_adopted:  # a later change may have taken the id
                check_id(self._unit, wanted, concept)
            for target in self._joined:
                if target.is_living:
                    self._unit.notices += told_of_both(self._unit, target.id)
        except RecollectError as error:
            if error.span is None and len(touched) < len(changes):
                place = spans_of(len(touched))
                error.span = place.version if error.code is VERSION_CONFLICT else place.what
            raise
        progress("changes", len(changes), len(changes))
        return [one for _, one in sorted(zip(places, touched, strict=True), key=itemgetter(0))]

    def _applied_order(self, changes: Sequence[Change]) -> Sequence[int]:
        """Return the places of changes in the order in which they are applied.

        What is told without a beginning, of functional predicates, comes last, so that a batch
        means the same in whatever order it tells; not where a change may be about another's fact.
        """
        puts = {at: one for at, one in enumerate(changes) if isinstance(one, PutFact)}
        is_apart = all(isinstance(one, PutFact | PutConcept) for one in changes)
        if not puts or not is_apart or any(one.handle or one.replaces for one in puts.values()):
            return range(len(changes))
        undated = (at for at, one in puts.items() if VALID_FROM not in one.metadata)
        late = [
            at for at in undated if puts[at].is_functional or self.facts.is_once(puts[at].predicate)
        ]
        return [*sorted({*range(len(changes))} - {*late}), *late]

    def _apply(self, change: Change) -> Element | None:
        match change:
            case PutLink():
                return self._put_link(change)
            case PutConcept():
                return self._put_concept(change)
            case Put():
                return self._put(change)
            case PutFact():
                return self._put_fact(change)
            case EndFact():
                element = self.references.resolve(change.element)
                self.facts.end(element, change.at)
                return element
            case RemoveKeys():
                element = self.references.resolve(change.element)
                self.tracker.meet(element, is_new=False)
                attributes = _keys(change.attributes, "attributes")
                metadata = _keys(change.metadata, "metadata")
                for key in metadata:
                    removable_key(key, "metadata")
                content = without_keys(element.content, attributes, metadata)
                self._unit.set_content(element, content)
                return element
            case Delete():
                return self._delete(change)
            case Merge():
                return self._merge(change)
            case Unmerge():
                self._unit.flush()
                concept = take_back(self._unit, identifier(change.id, "id"))
                self.tracker.meet(concept, is_new=True)
                self.references.forget_ends()
                return concept
            case Retype():
                return self._retype(change)
            case _:
                assert_never(change)

    def _put_concept(self, change: PutConcept) -> Element:
        type_, name = identifier(change.type, "type"), identifier(change.name, "name")
        wanted = Meant(type_, name, _id(change.id))
        attributes = members(change.attributes, "attributes")
        metadata = members(change.metadata, "metadata")
        own = metadata if change.own_metadata is None else _own(metadata, change.own_metadata)
        new_metadata = members(change.new_metadata, "new_metadata")
        new_id = _id(change.new_id, "new id")
        concept, is_new = match_or_create(self._unit, wanted, in_any_spelling=True, new_id=new_id)
        self._refuse_other_id(wanted, concept, is_new=is_new)
        self._meet(concept, change.expect_version, is_new=is_new)
        if is_new and new_metadata:
            metadata = {**new_metadata, **metadata}
        self._unit.put(concept, attributes, metadata, own)
        if change.source is not None:
            self._unit.add_source(concept, change.source)
        self.references.name(change.handle, concept)
        return concept

    def _refuse_other_id(self, wanted: Meant, concept: ConceptElement, *, is_new: bool) -> None:
        """Refuse an id that the concept does not have, or that a closed fact has."""
        if wanted.id is None:
            return
        own = wanted.id if is_new else self._unit.public_id(concept)
        if own != wanted.id:
            raise DUPLICATE_EXISTS.error(
                f'{Meant(wanted.type, concept.name)} has the id "{own}", not "{wanted.id}"',
                f'use "{own}", or leave the id out',
                known=(own,),
            )
        closed = self._unit.directory.closed_link(wanted.id) if is_new else None
        if closed is not None and is_fact(closed):
            raise DUPLICATE_EXISTS.error(
                f'the id "{wanted.id}" belongs to a fact that was closed',
                "leave the id out, or give another",
                known=(wanted.id,),
            )

    def _put(self, change: Put) -> Element:
        attributes = members(change.attributes, "attributes")
        metadata = members(change.metadata, "metadata")
        own = metadata if change.own_metadata is None else _own(metadata, change.own_metadata)
        reference, is_new = change.element, False
        if isinstance(reference, Meant) and not reference.is_link:
            wanted = normal(reference)
            element: Element
            element, is_new = concept, _ = match_or_create(self._unit, wanted)
            if wanted.id is not None and wanted.id != self._unit.public_id(concept):
                self._not_adopted.append((wanted, concept))
        else:
            element = self.references.resolve(reference)
        self._meet(element, change.expect_version, is_new=is_new)
        self._unit.put(element, attributes, metadata, own)
        self.references.name(change.handle, element)
        return element

    def _put_link(self, change: PutLink) -> Element | None:
        attributes = members(change.attributes, "attributes")
        metadata = members(change.metadata, "metadata")
        triple = self.references.triple(change)
        if triple is None:
            if change.if_missing == "skip":
                return None
            raise self.references.missing_end(change)
        link, is_new = self._match_or_create_link(triple, change)
        self._meet(link, change.expect_version, is_new=is_new)
        self._unit.put(link, attributes, metadata, metadata)
        if change.replaces is not None:
            self.facts.replace(change.replaces, link)
        self.references.name(change.handle, link)
        return link

    def _put_fact(self, change: PutFact) -> Element:
        predicate, key = self.references.plain(change.predicate), _key(change.key)
        stored = replace(change, predicate=predicate, key=key, id=_id(change.id))
        ends = self.references.resolve_both(change.subject, change.object)
        fact, _ = self.facts.put(stored, *ends)
        self.references.name(change.handle, fact)
        return fact

    def _delete(self, change: Delete) -> Element | None:
        element = self.references.find(change.element)
        if element is None:
            if change.if_missing == "skip":
                return None
            raise self.references.missing(change.element)
        if change.metadata:
            self._unit.put(element, {}, members(change.metadata, "metadata"), {})
            self.deleted += self._unit.supersede(element, element.content)
        else:
            self.deleted += self._unit.close([element])
        self.references.forget_ends()
        return element

    def _merge(self, change: Merge) -> Element:
        source, target = self.references.resolve_both(change.source, change.target)
        if not isinstance(source, ConceptElement) or not isinstance(target, ConceptElement):
            raise refused("a Merge of the batch names a link", "name two concepts of one type")
        self.tracker.meet(target, is_new=False)
        if source is not target:
            self.merged.append(merge_concepts(self._unit, source, target))
            self.references.forget_ends()
            self._joined[target] = None
        return target

    def _retype(self, change: Retype) -> Element:
        concept = self.references.resolve(change.element)
        if not isinstance(concept, ConceptElement):
            raise refused("a Retype of the batch names a link", "name a concept")
        type_ = identifier(change.type, "type")
        self.tracker.meet(concept, is_new=False)
        if self._unit.terms.text(concept.type) != type_:
            concept = bear_anew(self._unit, concept, type_)
            self.references.forget_ends()
        return concept

    def _meet(self, element: Element, expected: int | None, *, is_new: bool) -> None:
        """Note an element before it is changed; KIP_3005 where another version was expected."""
        self.tracker.meet(element, is_new)
        if expected is not None:
            check_version(
                self._unit, element, _version(expected), self.tracker.first_content(element)
            )

    def _match_or_create_link(self, triple: Triple, change: PutLink) -> tuple[LinkElement, bool]:
        given_id, new_id = _id(change.id), _id(change.new_id, "new id")
        if change.key is None:
            key, link = "", match_link(self._unit, triple)
        else:
            key = _key(change.key)
            link = self._unit.directory.link(triple, key)
        if given_id is not None and self._unit.directory.by_public_id(given_id) is not link:
            raise DUPLICATE_EXISTS.error(
                f'the id "{given_id}" belongs to another element, or the link has another id',
                "leave the id out",
                known=(given_id,),
            )
        if link is not None:
            return link, False
        if new_id is not None:
            if self._unit.directory.by_public_id(new_id) is not None:
                raise taken_id(new_id)
            given_id = given_id or self._unit.adopted(new_id)
        return self._unit.create_link(triple, key, given_id), True


def _id(given: str | None, what: str = "id") -> str | None:
    """Return an id as it is stored, if one is given."""
    return None if given is None else identifier(given, what)


def _key(given: str) -> str:
    """Return the key of a link as it is stored; most have none."""
    return "" if given == "" else identifier(given, "key")


def _version(expected: object) -> int:
    """Return the version that a change expects."""
    if type(expected) is int and expected >= 0:
        return expected
    raise refused(
        f"expect_version is {expected!r}, not a version", "pass a whole number, zero or more"
    )


def _own(metadata: Attributes, own: Attributes) -> Attributes:
    """Return the part of the metadata that moves the fact clock."""
    part = own if type(own) is dict else members(own, "own_metadata")
    if part.items() <= metadata.items():
        return part
    raise refused(
        "own_metadata holds what metadata does not", "repeat in metadata what own_metadata holds"
    )


def _keys(keys: object, section: str) -> frozenset[str]:
    """Return the keys that a change removes."""
    if type(keys) is frozenset and not keys:
        return keys
    if isinstance(keys, Set | list | tuple) and all(isinstance(key, str) for key in keys):
        return frozenset(keys)
    raise unknown(f"set of {section}", keys, "a frozenset of str")


def known_changes(written: object) -> Sequence[Change] | None:
    """Return the changes that are known before they are written; None for a text."""
    if isinstance(written, Decision):
        return ()
    is_batch = isinstance(written, Sequence) and not isinstance(written, str | bytes | bytearray)
    return cast("Sequence[Change]", written) if is_batch else None


def decide_changes(unit: Unit, changes: Sequence[Change] | Decision) -> Sequence[Change]:
    """Return the changes of a batch, or those that a decision makes of what is there."""
    if not isinstance(changes, Decision):
        return changes
    # They are gone through more than once, which an iterator does not survive.
    group = unit.group.group_id, unit.group.id_bits  # the one may be undone, the other restored
    return tuple(changes.decide(Present(unit.at, _living(unit, changes.ids), group)))


def _living(unit: Unit, ids: Collection[str]) -> dict[str, Concept | Link]:
    """Return the living elements by the ids asked for, as they stand; the others are left out."""
    normal = {one: canonical_name(one) for one in ids if one}
    unit.directory.expect_public_ids(normal.values())
    found = {one: unit.directory.by_public_id(name) for one, name in normal.items()}
    return {
        one: _present_element(unit, element)
        for one, element in found.items()
        if element is not None
    }


def _present_element(unit: Unit, element: Element) -> Concept | Link:
    content, id_ = element.content, unit.public_id(element)
    if isinstance(element, ConceptElement):
        type_ = unit.terms.text(element.type)
        return Concept(id_, type_, element.name, content.attributes, content.metadata)
    assert isinstance(element, LinkElement)
    subject, target = (_id_of(unit, end) for end in (element.subject, element.object))
    predicate = unit.terms.text(element.predicate)
    return Link(id_, subject, predicate, target, content.attributes, content.metadata)


def _id_of(unit: Unit, end: int) -> str:
    element = unit.directory.by_id(end)
    assert element is not None  # what ends in a closed element is closed with it
    return unit.public_id(element)


def check_version(
    unit: Unit, element: Element, expected: int, found: ElementContent | None
) -> None:
    """Raise KIP_3005 for an element whose version is not the expected one.

    `found` is what a batch found it to say; what the batch itself makes has version 0.
    """
    version = 0 if found is None else unit.version(element, found)
    if version == expected:
        return
    if version == 0:
        message = f"{_named(unit, element)} is not there, and its version {expected} is expected"
        hint = "look for it again; EXPECT VERSION 0 creates it"
    elif expected == 0:
        message = f"{_named(unit, element)} is there already, at version {version}"
        hint = f"read it, then write EXPECT VERSION {version}"
    else:
        message = f"{_named(unit, element)} is at version {version}, not {expected}"
        hint = f"read it again, then write EXPECT VERSION {version}"
    raise VERSION_CONFLICT.error(message, hint, details={"version": version, "expected": expected})


def _named(unit: Unit, element: Element) -> str:
    if isinstance(element, ConceptElement):
        return str(Meant(unit.terms.text(element.type), element.name))
    assert isinstance(element, LinkElement)
    if element.before is None:
        return f'the link "{unit.terms.text(element.predicate)}"'
    return f'(id: "{unit.public_id(element)}")'
