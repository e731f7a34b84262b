"""Typed change batches: what faces write, applied in order to one transaction.

Names are looked up in bulk first; the changes then run one after another, each seeing those
before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import assert_never

from recollect.errors import (
    DUPLICATE_EXISTS,
    INVALID_ARGUMENT,
    NOT_FOUND,
    REFERENCE_ERROR,
    RecollectError,
    nearest,
)
from recollect.kernel.write.element import ConceptElement, Element, LinkElement, Triple
from recollect.kernel.write.identity import (
    ConceptName,
    find_concept,
    match_or_create,
    missing_concept,
)
from recollect.kernel.write.merge import without_keys
from recollect.kernel.write.tracker import Tracker
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier, members, plain_predicate
from recollect.model import (
    Attributes,
    BatchReport,
    Change,
    Delete,
    Key,
    Local,
    PutConcept,
    PutLink,
    Reference,
    RemoveKeys,
)


def apply_changes(unit: Unit, changes: Sequence[Change]) -> BatchReport:
    """Apply the changes in order and return what they did.

    KIP_3001 for an unknown handle, KIP_3002 for an element that is not there, KIP_3003 for an
    id or a handle that is taken; whoever opened the transaction then rolls all of it back.
    """
    batch = _Batch(unit)
    batch.expect(changes)
    touched = [batch.apply(change) for change in changes]
    return BatchReport(
        ids=tuple(unit.public_id(element) for element in touched),
        created=batch.tracker.created,
        updated=batch.tracker.updated,
        closed=batch.closed,
    )


class _Batch:
    """The handles and counts of one batch as it is applied."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._handles: dict[str, Element] = {}
        self._named: dict[tuple[str, str], ConceptElement] = {}  # found once, and alive then
        self._predicates: dict[str, int] = {}  # those that were checked
        self.tracker = Tracker()
        self.closed = 0

    def expect(self, changes: Iterable[Change]) -> None:
        """Look up all that the changes name, with a few statements for the whole batch."""
        unit, ids, links = self._unit, list[str | None](), list[PutLink]()
        keys: dict[tuple[str, str], None] = {}
        for change in changes:
            match change:
                case PutConcept():
                    keys[identifier(change.type, "type"), identifier(change.name, "name")] = None
                    ids.append(change.id)
                    references: tuple[Reference, ...] = ()
                case PutLink():
                    identifier(change.predicate, "predicate")
                    links.append(change)
                    ids.append(change.id)
                    references = (change.subject, change.object)
                case RemoveKeys() | Delete():
                    references = (change.element,)
                case _:
                    raise _unknown("change", change, "PutConcept, PutLink, RemoveKeys or Delete")
            for one in references:
                match one:
                    case Key():
                        keys[identifier(one.type, "type"), identifier(one.name, "name")] = None
                    case str():
                        ids.append(one)
                    case Local(str()):
                        continue
                    case _:
                        raise _unknown("reference", one, "an id, a Key or a Local")
        coded = [(unit.terms.code(kind), name) for kind, name in keys]
        unit.directory.expect_concepts((code, name) for code, name in coded if code is not None)
        unit.directory.expect_public_ids(identifier(one, "id") for one in ids if one is not None)
        triples = map(self._known_triple, links)
        unit.directory.expect_triples(triple for triple in triples if triple is not None)

    def apply(self, change: Change) -> Element:
        """Apply one change and return the element it is about."""
        match change:
            case PutConcept():
                return self._put_concept(change)
            case PutLink():
                return self._put_link(change)
            case RemoveKeys():
                element = self._resolve(change.element)
                self.tracker.meet(element, is_new=False)
                attributes = _keys(change.attributes, "attributes")
                metadata = _keys(change.metadata, "metadata")
                content = without_keys(element.content, attributes, metadata)
                self._unit.set_content(element, content)
                return element
            case Delete():
                element = self._resolve(change.element)
                self.closed += len(self._unit.close([element]))
                return element
            case _:
                assert_never(change)

    def _put_concept(self, change: PutConcept) -> Element:
        wanted = ConceptName(
            type=identifier(change.type, "type"),
            name=identifier(change.name, "name"),
            id=None if change.id is None else identifier(change.id, "id"),
        )
        attributes = members(change.attributes, "attributes")
        metadata = members(change.metadata, "metadata")
        own = _own(metadata, change.own_metadata)
        concept, is_new = match_or_create(self._unit, wanted)
        self.tracker.meet(concept, is_new)
        self._unit.put(concept, attributes, metadata, own)
        self._name(change.handle, concept)
        return concept

    def _put_link(self, change: PutLink) -> Element:
        predicate = self._predicate(change.predicate)
        key = identifier(change.key, "key") if change.key else ""
        given_id = None if change.id is None else identifier(change.id, "id")
        attributes = members(change.attributes, "attributes")
        metadata = members(change.metadata, "metadata")
        subject, target = self._resolve(change.subject), self._resolve(change.object)
        triple = subject.id, predicate, target.id
        link, is_new = self._match_or_create_link(triple, key, given_id)
        self.tracker.meet(link, is_new)
        self._unit.put(link, attributes, metadata, metadata)
        self._name(change.handle, link)
        return link

    def _match_or_create_link(
        self, triple: Triple, key: str, given_id: str | None
    ) -> tuple[LinkElement, bool]:
        links = self._unit.directory.links(triple)
        link = next((one for one in links if one.key == key), None)
        if given_id is not None:
            holder = self._unit.directory.by_public_id(given_id)
            if holder is not link or (holder is None and link is not None):
                raise RecollectError(
                    DUPLICATE_EXISTS,
                    f'the id "{given_id}" belongs to another element, or the link has another id',
                    hint="leave the id out",
                    known=(given_id,),
                )
        if link is not None:
            return link, False
        return self._unit.create_link(triple, key, given_id), True

    def _resolve(self, reference: Reference) -> Element:
        match reference:
            case Local():
                return self._local(reference.handle)
            case Key():
                return self._concept(reference)
            case str():
                element = self._unit.directory.by_public_id(identifier(reference, "id"))
                if element is None:
                    raise RecollectError(NOT_FOUND, f'no element has the id "{reference}"')
                return element
            case _:
                assert_never(reference)

    def _concept(self, key: Key) -> ConceptElement:
        name = key.type, key.name
        known = self._named.get(name)
        if known is not None and known.is_living:
            return known
        wanted = ConceptName(identifier(key.type, "type"), identifier(key.name, "name"))
        concept = find_concept(self._unit, wanted)
        if concept is None:
            raise missing_concept(self._unit, wanted)
        self._named[name] = concept
        return concept

    def _predicate(self, text: str) -> int:
        """Return the code of a predicate that may be written."""
        code = self._predicates.get(text)
        if code is None:
            code = self._predicates[text] = self._unit.terms.intern(plain_predicate(text))
        return code

    def _local(self, handle: str) -> Element:
        element = self._handles.get(handle)
        if element is None:
            known = nearest(handle, self._handles)
            raise RecollectError(
                REFERENCE_ERROR,
                f'the handle "{handle}" is not put earlier in the batch',
                hint=f'use "{known[0]}"' if known else "put the element first",
                known=known,
            )
        if not element.is_living:
            raise RecollectError(NOT_FOUND, f'the element of the handle "{handle}" is deleted')
        return element

    def _name(self, handle: str | None, element: Element) -> None:
        if handle is None:
            return
        if not isinstance(handle, str):
            raise _unknown("handle", handle, "a str")
        if handle in self._handles:
            raise RecollectError(
                DUPLICATE_EXISTS,
                f'the handle "{handle}" is given twice',
                hint="give each element its own handle",
            )
        self._handles[handle] = element

    def _known_triple(self, link: PutLink) -> Triple | None:
        """Return the triple of a link whose parts are all in the graph already."""
        subject, target = self._known(link.subject), self._known(link.object)
        if subject is None or target is None:
            return None
        return subject.id, self._predicate(link.predicate), target.id

    def _known(self, reference: Reference) -> Element | None:
        match reference:
            case Local():
                return None
            case Key():
                name = reference.type, reference.name
                return self._named.get(name) or self._known_concept(name)
            case str():
                return self._unit.directory.by_public_id(reference)
            case _:
                assert_never(reference)

    def _known_concept(self, name: tuple[str, str]) -> ConceptElement | None:
        code = self._unit.terms.code(name[0])
        concept = None if code is None else self._unit.directory.concept((code, name[1]))
        if concept is not None:
            self._named[name] = concept
        return concept


def _own(metadata: Attributes, own: Attributes | None) -> Attributes:
    """Return the metadata that moves the fact clock: all of it, or the part that is named."""
    if own is None:
        return metadata
    part = members(own, "own_metadata")
    if part.items() <= metadata.items():
        return part
    raise RecollectError(
        INVALID_ARGUMENT,
        "own_metadata is no part of the metadata",
        hint="repeat in metadata what own_metadata holds",
    )


def _keys(keys: object, section: str) -> frozenset[str]:
    """Return the keys that a change removes."""
    if isinstance(keys, Set | list | tuple) and all(isinstance(key, str) for key in keys):
        return frozenset(keys)
    raise _unknown(f"set of {section}", keys, "a frozenset of str")


def _unknown(what: str, given: object, expected: str) -> RecollectError:
    """Return the error for what is of another type than the caller's types say."""
    return RecollectError(
        INVALID_ARGUMENT,
        f"a {what} of the batch is a {type(given).__name__}",
        hint=f"pass {expected}",
    )
