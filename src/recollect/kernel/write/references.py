"""What the changes of one batch name: looked up in bulk ahead, then found one by one.

The rule: a reference means what it means when its change is applied, after the changes before it;
what was looked up ahead only saves statements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import assert_never

from recollect.errors import (
    DUPLICATE_EXISTS,
    NOT_FOUND,
    REFERENCE_ERROR,
    RecollectError,
    not_among,
    refused,
)
from recollect.kernel.write.element import ConceptKey, Element, LinkElement, Tracker, Triple
from recollect.kernel.write.identity import (
    PlainNames,
    find_concept,
    match_link,
    missing_concept,
    names_itself,
)
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier, name_key, plain_predicate
from recollect.model import (
    Change,
    Delete,
    EndFact,
    Key,
    Local,
    Meant,
    Merge,
    Met,
    Named,
    Put,
    PutConcept,
    PutFact,
    PutLink,
    Reference,
    RemoveKeys,
    Retype,
    Said,
    Unmerge,
)
from recollect.node import replace

_CHANGES = "PutConcept, Put, PutLink, PutFact, EndFact, RemoveKeys, Delete, Merge, Unmerge, Retype"

_FEW = 50
"""Ends of one type whose rows are read together with those of other types, in one statement."""


class References:
    """The elements that one batch names, by its handles and by what the memory knows."""

    def __init__(self, unit: Unit, tracker: Tracker) -> None:
        self._unit = unit
        self._handles: dict[str, Element] = {}
        self._before: dict[str, Element] = {}  # those of handles to come that are there already
        self._ends = defaultdict[str, dict[str, int]](dict)  # ids by type and name as written
        self._triples: dict[int, Triple] = {}  # of links between known concepts, by id(change)
        self._plain: dict[str, str] = {}  # predicates as they are stored, by what is written
        self._predicates: dict[str, int] = {}  # codes of those that were needed
        self._names = PlainNames(unit, tracker, self.forget_ends)

    def expect(self, changes: Iterable[Change]) -> None:
        """Look up all that the changes name, with a few statements for the whole batch."""
        directory, wanted = self._unit.directory, _Wanted(self._expect_predicate)
        links: list[PutLink | PutFact] = []
        deleted: list[Reference] = []
        handles: dict[str, Reference] = {}
        made: list[PutConcept] = []
        for change in changes:
            match change:
                case PutLink():
                    links.append(change)
                    self._expect_predicate(change.predicate)
                    wanted.add(change.subject, wanted.ends)
                    wanted.add(change.object, wanted.ends)
                    wanted.add_id(change.id)
                    wanted.add_id(change.new_id)
                case PutConcept():
                    wanted.concepts.meet(change.type, change.name)
                    if names_itself(self._unit, change.type, change.name):
                        wanted.ids[change.name] = None
                    if isinstance(change.handle, str):
                        made.append(change)
                    wanted.add_id(change.id)
                    wanted.add_id(change.new_id)
                case PutFact():  # of whose ends more than the ids is asked
                    links.append(change)
                    self._expect_predicate(change.predicate)
                    for end in (change.subject, change.object):
                        wanted.add(end, wanted.ends)
                        wanted.add(end, wanted.concepts)
                    wanted.add_id(change.id)
                    wanted.add_id(change.replaces)
                case Delete():
                    wanted.add(change.element, wanted.concepts)
                    deleted.append(change.element)
                case Put():
                    wanted.add(change.element, wanted.concepts)
                    if isinstance(change.handle, str):
                        handles[change.handle] = change.element
                case RemoveKeys() | EndFact() | Retype():
                    wanted.add(change.element, wanted.concepts)
                case Merge():
                    wanted.add(change.source, wanted.concepts)
                    wanted.add(change.target, wanted.concepts)
                case Unmerge():
                    identifier(change.id, "id")
                case _:
                    raise unknown("change", change, _CHANGES)
        types = (identifier(one, "type") for one in (*wanted.concepts, *wanted.ends))
        self._unit.terms.expect((*types, *self._plain.values()))
        self._expect_concepts(wanted.concepts, wanted.ends)
        directory.expect_public_ids(wanted.ids)
        directory.expect_ids(wanted.numbers)
        self._expect_ends(wanted.ends)
        if links or deleted:
            self._expect_handles(handles, made, wanted.concepts)
        if links:
            directory.expect_triples([*self._known_triples(links)])
        if deleted:
            directory.links_at([one.id for one in map(self._at_hand, deleted) if one is not None])

    def resolve(self, reference: Reference) -> Element:
        """Return the element that a reference means; KIP_3002 where it is not there."""
        found = self.find(reference)
        if found is None:
            raise self.missing(reference)
        return found

    def find(self, reference: Reference) -> Element | None:
        """Return the element that a reference means, None where there is none.

        KIP_3001 for an unknown handle, KIP_3003 where several are meant.
        """
        unit = self._unit
        match reference:
            case str():
                return unit.directory.by_public_id(identifier(reference, "id"))
            case Met():
                return unit.directory.by_id(reference.number)
            case Local():
                return self._local(reference.handle)
            case Named():
                return self._names.concept(reference)
            case Key():
                return find_concept(unit, normal(reference))
            case Meant(is_link=True):
                found = unit.directory.by_public_id(identifier(reference.id, "id"))
                return found if isinstance(found, LinkElement) else None
            case Meant():
                return find_concept(unit, normal(reference))
            case Said():
                triple = self.triple(reference)
                return None if triple is None else match_link(unit, triple, reference.span)
            case _:
                assert_never(reference)

    def resolve_both(self, first: Reference, second: Reference) -> tuple[Element, Element]:
        """Return what two references of one change mean when both have been looked up."""
        one, other = self.resolve(first), self.resolve(second)
        # By a plain name something may be born anew, and be what the first means.
        return (self.resolve(first) if isinstance(second, Named) else one), other

    def missing(self, reference: Reference) -> RecollectError:
        """Return KIP_3002 for what a reference means, or for the part of it that is not there."""
        match reference:
            case Key() | Meant(is_link=False):
                return missing_concept(self._unit, normal(reference))
            case Said():
                if self.triple(reference) is None:
                    return self.missing_end(reference)
                return NOT_FOUND.error(
                    "the proposition is not in the graph",
                    "create it first, in a PROPOSITION block",
                    span=reference.span,
                )
            case Meant():
                return self._missing_link(reference)
            case _:
                return NOT_FOUND.error(f'no element has the id "{reference}"')

    def missing_end(self, link: PutLink | Said) -> RecollectError:
        """Return KIP_3002 for the end of a link that is not there."""
        is_there = self.find(link.subject) is not None
        return self.missing(link.object if is_there else link.subject)

    def _missing_link(self, meant: Meant) -> RecollectError:
        id_ = str(meant.id)
        is_concept = self._unit.directory.by_public_id(id_) is not None
        return NOT_FOUND.error(
            f'no link has the id "{id_}"' + (", which belongs to a concept" if is_concept else ""),
            f'use {{id: "{id_}"}}' if is_concept else "look for it again with FIND",
            span=meant.span,
        )

    def triple(self, link: PutLink | Said) -> Triple | None:
        """Return the triple of a link, None where one of its ends is not there."""
        known = self._triples.get(id(link))
        if known is not None:
            return known
        subject = self._end(link.subject)
        target = None if subject is None else self._end(link.object)
        if isinstance(link.object, Named):  # by which the subject may have been born anew
            subject = self._end(link.subject)
        if subject is None or target is None:
            return None
        return subject, self.predicate(link.predicate), target

    def _end(self, reference: Reference) -> int | None:
        """Return the integer id of an end of a link."""
        key = _key_of(reference)
        if key is None:
            found = self.find(reference)
            return None if found is None else found.id
        named = self._ends[key[0]]
        end = named.get(key[1])
        if end is None and (found := self.find(reference)) is not None:
            end = named[key[1]] = found.id
        return end

    def predicate(self, text: str) -> int:
        """Return the code of a predicate that may be written."""
        code = self._predicates.get(text)
        if code is None:
            code = self._predicates[text] = self._unit.terms.intern(self._plain[text])
        return code

    def plain(self, text: str) -> str:
        """Return a predicate as it is stored."""
        return self._plain[text]

    def name(self, handle: str | None, element: Element) -> None:
        """Let a handle, if one is given, name an element from now on."""
        if handle is None:
            return
        if not isinstance(handle, str):
            raise unknown("handle", handle, "a str")
        if handle in self._handles:
            raise DUPLICATE_EXISTS.error(
                f'the handle "{handle}" is given twice', "give each element its own handle"
            )
        self._handles[handle] = element

    def forget_ends(self) -> None:
        """Look ends up anew: what was closed may have been one of them."""
        self._ends.clear()
        self._triples.clear()

    def _local(self, handle: str) -> Element:
        element = self._handles.get(handle)
        if element is None:
            message = f'the handle "{handle}" is not put earlier in the batch'
            otherwise = "put the element first"
            raise not_among(message, handle, self._handles, 'use "{}"', otherwise, REFERENCE_ERROR)
        if not element.present.is_living:
            raise NOT_FOUND.error(f'the element of the handle "{handle}" is deleted')
        return element.present

    def _at_hand(self, reference: Reference) -> Element | None:
        """Return the element of a reference that is there before the batch, if it says enough."""
        match reference:
            case Local():
                handle = reference.handle
                return self._handles.get(handle) or self._before.get(handle)
            case Named() | Said():
                return None
            case Meant(id=None) if reference.type is None or reference.name is None:
                return None  # perhaps one of many
            case _:
                return self.find(reference)

    def _known_triples(self, links: Iterable[PutLink | PutFact]) -> Iterator[Triple]:
        """Yield the triples of those links whose parts are all in the graph already."""
        for link in links:
            subject = self._known(link.subject)
            target = None if subject is None else self._known(link.object)
            if subject is not None and target is not None:
                triple = subject, self.predicate(link.predicate), target
                if _key_of(link.subject) and _key_of(link.object):  # others may come to mean more
                    self._triples[id(link)] = triple
                yield triple

    def _known(self, reference: Reference) -> int | None:
        key = _key_of(reference)
        if key is not None:
            return self._ends[key[0]].get(key[1])
        found = self._at_hand(reference)
        return None if found is None else found.id

    def _expect_predicate(self, text: str) -> None:
        try:
            if text in self._plain:
                return
        except TypeError:  # what cannot be a key is no text
            plain_predicate(text)
            raise
        self._plain[text] = plain_predicate(text)

    def _expect_concepts(self, names: _Names, ends: _Names) -> None:
        """Look up concepts, with ends of which there are too few for a statement of their own."""
        keys: list[ConceptKey] = []
        name_keys: list[ConceptKey] = []
        for kind, named in names.items():
            type_ = identifier(kind, "type")
            code = self._unit.terms.code(type_)
            if code is not None:
                keys += [(code, name) for name in named.values()]
                other = (name_key(self._unit.session.kinds, type_, name) for name in named.values())
                name_keys += [(code, key) for key in other if key is not None]
        for kind, named in ends.items():
            code = self._unit.terms.code(identifier(kind, "type"))
            if code is not None and len(named) <= _FEW:
                keys += [(code, name) for name in named.values()]
        self._unit.directory.expect_concepts(keys)
        if name_keys:
            self._unit.directory.expect_name_keys(name_keys)

    def _expect_handles(
        self, put: Mapping[str, Reference], made: Iterable[PutConcept], names: _Names
    ) -> None:
        """Note which handles name what is there already; of concepts by names that were read."""
        for handle, reference in put.items():
            if (element := self._at_hand(reference)) is not None:
                self._before[handle] = element
        codes = {kind: self._unit.terms.code(identifier(kind, "type")) for kind in names}
        for change in made:
            code, name = codes[change.type], names[change.type][change.name]
            if code is not None and (found := self._unit.directory.concept((code, name))):
                self._before[str(change.handle)] = found

    def _expect_ends(self, names: _Names) -> None:
        for kind, named in names.items():
            code = self._unit.terms.code(identifier(kind, "type"))
            if code is not None:
                found = self._unit.directory.concept_ids(code, named.values())
                self._ends[kind] |= {
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


class _Wanted:
    """What is to be looked up for a batch; of `ends` only the ids are asked."""

    def __init__(self, expect_predicate: Callable[[str], None]) -> None:
        self._expect_predicate = expect_predicate
        self.concepts, self.ends = _Names(), _Names()
        self.ids: dict[str, None] = {}
        self.numbers: list[int] = []

    def add(self, reference: Reference, names: _Names) -> None:
        """Note what a reference says, its names among `names`."""
        match reference:
            case Key():
                names.meet(reference.type, reference.name)
            case str():
                if reference not in self.ids:
                    self.ids[identifier(reference, "id")] = None
            case Met(int()):
                self.numbers.append(reference.number)
            case Local(str()) | Named(str()):
                return
            case Meant():
                self.add_id(reference.id)
                if reference.type is not None and reference.name is not None:
                    names.meet(reference.type, reference.name)
            case Said():
                self._expect_predicate(reference.predicate)
                self.add(reference.subject, self.ends)
                self.add(reference.object, self.ends)
            case _:
                raise unknown("reference", reference, "an id, a Key, a Local or a Named")

    def add_id(self, given: str | None) -> None:
        """Note an id, if one is given."""
        if given is not None:
            self.ids[identifier(given, "id")] = None


def normal(reference: Key | Meant) -> Meant:
    """Return what is given of a concept as it is stored."""
    if isinstance(reference, Meant) and reference.span is not None:
        return reference  # of a text, where it was read as it is stored
    type_, name = reference.type, reference.name
    type_ = None if type_ is None else identifier(type_, "type")
    name = None if name is None else identifier(name, "name")
    if isinstance(reference, Key):
        return Meant(type_, name)
    id_ = None if reference.id is None else identifier(reference.id, "id")
    if (type_, name, id_) == (reference.type, reference.name, reference.id):
        return reference
    return replace(reference, type=type_, name=name, id=id_)


def unknown(what: str, given: object, expected: str) -> RecollectError:
    """Return the error for what is of another type than the caller's types say."""
    return refused(f"a {what} of the batch is of type {type(given).__name__}", f"pass {expected}")


def _key_of(reference: Reference) -> tuple[str, str] | None:
    """Return the type and the name by which alone a concept is named."""
    if isinstance(reference, Key):
        return reference.type, reference.name
    if isinstance(reference, Meant) and reference.id is None:
        type_, name = reference.type, reference.name
        return None if type_ is None or name is None else (type_, name)
    return None
