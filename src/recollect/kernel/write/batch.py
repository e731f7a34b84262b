"""Typed change batches: what faces write, applied in order to one transaction.

Names are looked up in bulk first; the changes then run one after another, each seeing those
before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import assert_never

from recollect.errors import (
    DUPLICATE_EXISTS,
    INVALID_ARGUMENT,
    NOT_FOUND,
    REFERENCE_ERROR,
    RecollectError,
    nearest,
)
from recollect.kernel.write.directory import ConceptKey
from recollect.kernel.write.element import ConceptElement, Element, LinkElement, Tracker, Triple
from recollect.kernel.write.expectation import check_version
from recollect.kernel.write.facts import Facts, add_source, is_fact
from recollect.kernel.write.holding import also_holds
from recollect.kernel.write.identity import (
    ConceptName,
    find_concept,
    match_or_create,
    missing_concept,
    taken_id,
)
from recollect.kernel.write.merge import without_keys
from recollect.kernel.write.merge_concepts import bear_anew, merge_concepts
from recollect.kernel.write.own_types import name_key
from recollect.kernel.write.plain_names import PlainNames
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.unmerge import take_back
from recollect.kernel.write.validation import (
    identifier,
    members,
    plain_predicate,
    removable_key,
)
from recollect.model import (
    Attributes,
    BatchReport,
    Change,
    Delete,
    EndFact,
    Key,
    Local,
    Merge,
    Named,
    PutConcept,
    PutFact,
    PutLink,
    Reference,
    RemoveKeys,
    Retype,
    Unmerge,
)

_CHANGES = "PutConcept, PutLink, PutFact, EndFact, RemoveKeys, Delete, Merge, Unmerge or Retype"

_TOGETHER = 1_000
"""Changes whose rows are made and written before the next ones: the caches of a core hold them."""


def apply_changes(unit: Unit, changes: Sequence[Change]) -> BatchReport:
    """Apply the changes in order and return what they did.

    KIP_3001 for an unknown handle, KIP_3002 for an element that is not there, KIP_3003 for an
    id or a handle that is taken; whoever opened the transaction then rolls all of it back.
    """
    changes = tuple(changes)  # the same objects each time they are gone through
    batch = _Batch(unit)
    batch.expect(changes)
    touched: list[Element] = []
    for start in range(0, len(changes), _TOGETHER):
        touched += map(batch.apply, changes[start : start + _TOGETHER])
        unit.flush()
    return BatchReport(
        ids=tuple(map(unit.public_id, touched)),
        created=batch.tracker.created,
        updated=batch.tracker.updated,
        closed=batch.closed + batch.facts.closed,
        ended=batch.facts.ended(),
        also_holds=also_holds(unit, batch.facts.made),
    )


class _Batch:
    """The handles and counts of one batch as it is applied."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._handles: dict[str, Element] = {}
        self._ends = defaultdict[str, dict[str, int]](dict)  # ids by type and name as written
        self._triples: dict[int, Triple] = {}  # of links between named ends, by the change's id()
        self._plain: dict[str, str] = {}  # predicates as they are stored, by what is written
        self._predicates: dict[str, int] = {}  # codes of those that were needed
        self.tracker = Tracker()
        self.facts = Facts(unit, self.tracker)
        self._names = PlainNames(unit, self.tracker)
        self.closed = 0

    def expect(self, changes: Iterable[Change]) -> None:
        """Look up all that the changes name, with a few statements for the whole batch."""
        directory, ids = self._unit.directory, dict[str, None]()
        links = list[PutLink | PutFact]()
        concepts, ends = _Names(), _Names()
        for change in changes:
            match change:
                case PutLink():
                    links.append(change)
                    self._check_predicate(change.predicate)
                    _expect_reference(change.subject, ends, ids)
                    _expect_reference(change.object, ends, ids)
                    _expect_id(change.id, ids)
                    _expect_id(change.new_id, ids)
                case PutConcept():
                    concepts.meet(change.type, change.name)
                    _expect_id(change.id, ids)
                    _expect_id(change.new_id, ids)
                case PutFact():  # of whose ends more than the ids is asked
                    links.append(change)
                    self._check_predicate(change.predicate)
                    for end in (change.subject, change.object):
                        _expect_reference(end, ends, ids)
                        _expect_reference(end, concepts, ids)
                    _expect_id(change.id, ids)
                    _expect_id(change.replaces, ids)
                case RemoveKeys() | Delete() | EndFact():
                    _expect_reference(change.element, concepts, ids)
                case Merge():
                    _expect_reference(change.source, concepts, ids)
                    _expect_reference(change.target, concepts, ids)
                case Unmerge():
                    identifier(change.id, "id")
                case Retype():
                    _expect_reference(change.element, concepts, ids)
                case _:
                    raise _unknown("change", change, _CHANGES)
        types = (identifier(one, "type") for one in (*concepts, *ends))
        self._unit.terms.expect((*types, *self._plain.values()))
        self._expect_concepts(concepts)
        directory.expect_public_ids(ids)
        self._expect_ends(ends)
        directory.expect_triples([*self._known_triples(links)])

    def apply(self, change: Change) -> Element:
        """Apply one change and return the element it is about."""
        match change:
            case PutLink():
                return self._put_link(change)
            case PutConcept():
                return self._put_concept(change)
            case PutFact():
                return self._put_fact(change)
            case EndFact():
                element = self._resolve(change.element)
                self.facts.end(element, change.at)
                return element
            case RemoveKeys():
                element = self._resolve(change.element)
                self.tracker.meet(element, is_new=False)
                attributes = _keys(change.attributes, "attributes")
                metadata = _keys(change.metadata, "metadata")
                for key in metadata:
                    removable_key(key, "metadata")
                content = without_keys(element.content, attributes, metadata)
                self._unit.set_content(element, content)
                return element
            case Delete():
                element = self._resolve(change.element)
                self.closed += len(self._unit.close([element]))
                self._forget_ends()
                return element
            case Merge():
                return self._merge(change)
            case Unmerge():
                self._unit.flush()
                concept = take_back(self._unit, identifier(change.id, "id"))
                self.tracker.meet(concept, is_new=True)
                self._forget_ends()
                return concept
            case Retype():
                return self._retype(change)
            case _:
                assert_never(change)

    def _put_concept(self, change: PutConcept) -> Element:
        wanted = ConceptName(
            type=identifier(change.type, "type"),
            name=identifier(change.name, "name"),
            id=_id(change.id),
        )
        attributes = members(change.attributes, "attributes")
        metadata = members(change.metadata, "metadata")
        own = metadata if change.own_metadata is None else _own(metadata, change.own_metadata)
        new_metadata = members(change.new_metadata, "new_metadata")
        new_id = _id(change.new_id, "new id")
        concept, is_new = match_or_create(self._unit, wanted, in_any_spelling=True, new_id=new_id)
        self._refuse_other_id(wanted, concept, is_new=is_new)
        if change.expect_version is not None:
            check_version(self._unit, concept, _version(change.expect_version), is_new=is_new)
        self.tracker.meet(concept, is_new)
        if is_new and new_metadata:
            metadata = {**new_metadata, **metadata}
        self._unit.put(concept, attributes, metadata, own)
        if change.source is not None:
            add_source(self._unit, concept, change.source)
        if change.handle is not None:
            self._name(change.handle, concept)
        return concept

    def _refuse_other_id(
        self, wanted: ConceptName, concept: ConceptElement, *, is_new: bool
    ) -> None:
        """Refuse an id that the concept does not have, or that a closed fact has."""
        if wanted.id is None:
            return
        own = wanted.id if is_new else self._unit.public_id(concept)
        if own != wanted.id:
            raise RecollectError(
                DUPLICATE_EXISTS,
                f'{ConceptName(wanted.type, concept.name)} has the id "{own}", not "{wanted.id}"',
                hint=f'use "{own}", or leave the id out',
                known=(own,),
            )
        closed = self._unit.directory.closed_link(wanted.id) if is_new else None
        if closed is not None and is_fact(closed):
            raise RecollectError(
                DUPLICATE_EXISTS,
                f'the id "{wanted.id}" belongs to a fact that was closed',
                hint="leave the id out, or give another",
                known=(wanted.id,),
            )

    def _put_link(self, change: PutLink) -> Element:
        key, given_id = _key(change.key), _id(change.id)
        attributes = members(change.attributes, "attributes")
        metadata = members(change.metadata, "metadata")
        triple = self._triples.get(id(change)) or self._triple(change)
        new_id = _id(change.new_id, "new id")
        link, is_new = self._match_or_create_link(triple, key, given_id, new_id)
        if change.expect_version is not None:
            check_version(self._unit, link, _version(change.expect_version), is_new=is_new)
        self.tracker.meet(link, is_new)
        self._unit.put(link, attributes, metadata, metadata)
        if change.replaces is not None:
            self.facts.replace(change.replaces, link)
        if change.handle is not None:
            self._name(change.handle, link)
        return link

    def _put_fact(self, change: PutFact) -> Element:
        predicate, key = self._plain[change.predicate], _key(change.key)
        normal = replace(change, predicate=predicate, key=key, id=_id(change.id))
        subject, target = self._resolve(change.subject), self._resolve(change.object)
        fact, _ = self.facts.put(normal, subject, target)
        if change.handle is not None:
            self._name(change.handle, fact)
        return fact

    def _merge(self, change: Merge) -> Element:
        source, target = self._resolve(change.source), self._resolve(change.target)
        if not isinstance(source, ConceptElement) or not isinstance(target, ConceptElement):
            raise RecollectError(
                INVALID_ARGUMENT,
                "a Merge of the batch names a link",
                hint="name two concepts of one type",
            )
        self.tracker.meet(target, is_new=False)
        if source is not target:
            self.closed += (
                1 + merge_concepts(self._unit, source, target, takes_plain=True).links_deduplicated
            )
            self._forget_ends()
        return target

    def _retype(self, change: Retype) -> Element:
        concept = self._resolve(change.element)
        if not isinstance(concept, ConceptElement):
            raise RecollectError(
                INVALID_ARGUMENT, "a Retype of the batch names a link", hint="name a concept"
            )
        type_ = identifier(change.type, "type")
        if self._unit.terms.text(concept.type) != type_:
            concept = bear_anew(self._unit, concept, type_)
            self._forget_ends()
        self.tracker.meet(concept, is_new=False)
        return concept

    def _match_or_create_link(
        self, triple: Triple, key: str, given_id: str | None, new_id: str | None
    ) -> tuple[LinkElement, bool]:
        link = self._unit.directory.link(triple, key)
        if given_id is not None and self._unit.directory.by_public_id(given_id) is not link:
            raise RecollectError(
                DUPLICATE_EXISTS,
                f'the id "{given_id}" belongs to another element, or the link has another id',
                hint="leave the id out",
                known=(given_id,),
            )
        if link is not None:
            return link, False
        if new_id is not None:
            if self._unit.directory.by_public_id(new_id) is not None:
                raise taken_id(new_id)
            given_id = given_id or self._unit.adopted(new_id)
        return self._unit.create_link(triple, key, given_id), True

    def _forget_ends(self) -> None:
        """Look ends up anew: what was closed may have been one of them."""
        self._ends.clear()
        self._triples.clear()

    def _triple(self, change: PutLink) -> Triple:
        predicate = self._predicate(change.predicate)
        return self._end(change.subject), predicate, self._end(change.object)

    def _end(self, reference: Reference) -> int:
        """Return the integer id of an end of a link."""
        if isinstance(reference, Key):
            named = self._ends[reference.type]
            end = named.get(reference.name)
            if end is None:
                end = named[reference.name] = self._concept(reference).id
            return end
        return self._resolve(reference).id

    def _resolve(self, reference: Reference) -> Element:
        match reference:
            case str():
                element = self._unit.directory.by_public_id(identifier(reference, "id"))
                if element is None:
                    raise RecollectError(NOT_FOUND, f'no element has the id "{reference}"')
                return element
            case Local():
                return self._local(reference.handle)
            case Named():
                return self._names.concept(reference)
            case Key():
                return self._concept(reference)
            case _:
                assert_never(reference)

    def _concept(self, key: Key) -> ConceptElement:
        wanted = ConceptName(identifier(key.type, "type"), identifier(key.name, "name"))
        concept = find_concept(self._unit, wanted)
        if concept is None:
            raise missing_concept(self._unit, wanted)
        return concept

    def _predicate(self, text: str) -> int:
        """Return the code of a predicate that may be written."""
        code = self._predicates.get(text)
        if code is None:
            code = self._predicates[text] = self._unit.terms.intern(self._plain[text])
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

    def _name(self, handle: str, element: Element) -> None:
        if not isinstance(handle, str):
            raise _unknown("handle", handle, "a str")
        if handle in self._handles:
            raise RecollectError(
                DUPLICATE_EXISTS,
                f'the handle "{handle}" is given twice',
                hint="give each element its own handle",
            )
        self._handles[handle] = element

    def _known_triples(self, links: Iterable[PutLink | PutFact]) -> Iterator[Triple]:
        """Yield the triples of those links whose parts are all in the graph already."""
        for link in links:
            subject = self._known(link.subject)
            target = None if subject is None else self._known(link.object)
            if subject is not None and target is not None:
                triple = subject, self._predicate(link.predicate), target
                if isinstance(link.subject, Key) and isinstance(link.object, Key):
                    self._triples[id(link)] = triple
                yield triple

    def _known(self, reference: Reference) -> int | None:
        match reference:
            case Key():
                return self._ends[reference.type].get(reference.name)
            case Local() | Named():
                return None
            case str():
                element = self._unit.directory.by_public_id(reference)
                return None if element is None else element.id
            case _:
                assert_never(reference)

    def _check_predicate(self, text: str) -> None:
        try:
            if text in self._plain:
                return
        except TypeError:  # what cannot be a key is no text
            plain_predicate(text)
            raise
        self._plain[text] = plain_predicate(text)

    def _expect_concepts(self, names: _Names) -> None:
        keys: list[ConceptKey] = []
        name_keys: list[ConceptKey] = []
        for kind, named in names.items():
            normal = identifier(kind, "type")
            code = self._unit.terms.code(normal)
            if code is not None:
                keys += [(code, name) for name in named.values()]
                other = (
                    name_key(self._unit.session.kinds, normal, name) for name in named.values()
                )
                name_keys += [(code, key) for key in other if key is not None]
        self._unit.directory.expect_concepts(keys)
        self._unit.directory.expect_name_keys(name_keys)

    def _expect_ends(self, names: _Names) -> None:
        for kind, named in names.items():
            code = self._unit.terms.code(identifier(kind, "type"))
            if code is not None:
                found = self._unit.directory.concept_ids(code, named.values())
                self._ends[kind] = {
                    written: found[name] for written, name in named.items() if name in found
                }


class _Names(dict[str, dict[str, str]]):
    """The names that changes give: normal, by type and name as they are written."""

    def __missing__(self, kind: str) -> dict[str, str]:
        """Begin a type that is met for the first time."""
        identifier(kind, "type")
        named = self[kind] = dict[str, str]()
        return named

    def meet(self, kind: str, name: str) -> None:
        """Note a name; the error for what is none."""
        try:
            named = self[kind]
            if name not in named:
                named[name] = identifier(name, "name")
        except TypeError:  # what cannot be a key is no text
            identifier(kind, "type")
            identifier(name, "name")
            raise


def _expect_reference(reference: Reference, names: _Names, ids: dict[str, None]) -> None:
    match reference:
        case Key():
            names.meet(reference.type, reference.name)
        case str():
            if reference not in ids:
                ids[identifier(reference, "id")] = None
        case Local(str()) | Named(str()):
            return
        case _:
            raise _unknown("reference", reference, "an id, a Key, a Local or a Named")


def _expect_id(given: str | None, ids: dict[str, None]) -> None:
    if given is not None:
        ids[identifier(given, "id")] = None


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
    raise RecollectError(
        INVALID_ARGUMENT,
        f"expect_version is {expected!r}, not a version",
        hint="pass a whole number, zero or more",
    )


def _own(metadata: Attributes, own: Attributes) -> Attributes:
    """Return the part of the metadata that moves the fact clock."""
    part = members(own, "own_metadata")
    if part.items() <= metadata.items():
        return part
    raise RecollectError(
        INVALID_ARGUMENT,
        "own_metadata holds what metadata does not",
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
        f"a {what} of the batch is of type {type(given).__name__}",
        hint=f"pass {expected}",
    )
