"""Which living element a change means: match by key, id or plain name, or learn that there is none.

Where several elements fit, none is guessed: KIP_3003 with their ids. A plain name means one thing:
what it made becomes what it is said to be, and two of one name come about only where both types
are said; that is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from recollect.errors import (
    DUPLICATE_EXISTS,
    NOT_FOUND,
    Notice,
    RecollectError,
    Span,
    join,
    may_be_one,
    nearest,
)
from recollect.kernel.read.known_keys import declared_names
from recollect.kernel.schema.definitions import SERVES
from recollect.kernel.search.meant import By, best_of, how_called, ids_meant
from recollect.kernel.search.tokens import ALIASES
from recollect.kernel.store.cells import whole
from recollect.kernel.store.port import Parameters
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.living import ID_BY_NAME, ID_BY_TYPE, NAMES
from recollect.kernel.write.element import ConceptElement, Element, LinkElement, Tracker, Triple
from recollect.kernel.write.merge_concepts import bear_anew
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier, name_key
from recollect.model import LIVING, ElementKind, Meant, Named
from recollect.node import replace

_PERSON = "Person"
_SHOWN = 10  # ids or names an error lists
_LISTED = 2000  # names a suggestion is chosen from
_LONGEST_ID = 200  # characters of a name that is an id too


def matching_concepts(unit: Unit, wanted: Meant) -> list[int]:
    """Return the integer ids of the living concepts that have all the given parts, ascending.

    By id or by type and name it costs a look-up; by type or name alone it flushes first.
    """
    if wanted.id is not None:
        found = unit.directory.by_public_id(wanted.id)
        fits = isinstance(found, ConceptElement) and _fits(unit, found, wanted)
        return [found.id] if found is not None and fits else []
    if wanted.type is None:
        return _scan(unit, ID_BY_NAME, wanted.name or "")
    code = unit.terms.code(wanted.type)
    if code is None:
        return []
    if wanted.name is None:
        return _scan(unit, ID_BY_TYPE, code)
    concept = unit.directory.concept((code, wanted.name))
    return [] if concept is None else [concept.id]


def find_concept(unit: Unit, wanted: Meant) -> ConceptElement | None:
    """Return the one living concept meant, None when there is none, KIP_3003 for several."""
    if wanted.id is None and wanted.type is not None and wanted.name is not None:
        code = unit.terms.code(wanted.type)
        return None if code is None else unit.directory.concept((code, wanted.name))
    ids = matching_concepts(unit, wanted)
    found = [unit.directory.by_id(one) for one in ids[:_SHOWN]]
    concepts = [concept for concept in found if isinstance(concept, ConceptElement)]
    if len(ids) > 1:
        raise _several(unit, f"{len(ids)} concepts match {wanted}", concepts, wanted.span)
    return concepts[0] if concepts else None


def match_or_create(
    unit: Unit, wanted: Meant, *, in_any_spelling: bool = False, new_id: str | None = None
) -> tuple[ConceptElement, bool]:
    """Return the concept of that type and name, and whether it was made just now.

    An id that is given is adopted on creation; KIP_3003 when another element has it. Where the
    names of a type are unique, another spelling of a name is KIP_3003 too, or matches.
    `new_id` is adopted too, unless the memory may give it out itself, and says nothing of a
    concept that is there.
    """
    if wanted.type is None or wanted.name is None:
        concept = find_concept(unit, wanted)
        if concept is None:
            is_nameless = wanted.name is None and wanted.id is None
            raise _nameless(wanted) if is_nameless else missing_concept(unit, wanted)
        return concept, False
    code = unit.terms.code(wanted.type)
    concept = None if code is None else unit.directory.concept((code, wanted.name))
    if concept is None:
        concept = _spelled_otherwise(unit, wanted)
        if concept is not None and not in_any_spelling:
            raise _name_taken(wanted, concept.name)
    check_id(unit, wanted, concept)
    if concept is not None:
        _note_id(unit, wanted, concept)
        return concept, False
    if wanted.id is None and new_id is None:
        new_id = _name_as_id(unit, wanted.type, wanted.name)
    if wanted.id is None and new_id is not None:
        check_id(unit, replace(wanted, id=new_id), None)
    return unit.create_concept(wanted.type, wanted.name, wanted.id or unit.adopted(new_id)), True


def names_itself(unit: Unit, type: object, name: object) -> bool:
    """Whether a new concept takes its name for its id, where that is free."""
    return (
        isinstance(type, str)
        and isinstance(name, str)
        and unit.session.kinds.of(type).gives_ids
        and len(name) <= _LONGEST_ID
    )


def _name_as_id(unit: Unit, type: str, name: str) -> str | None:
    """Return the name, where it is to be the id too, and no element has that id."""
    if not names_itself(unit, type, name):
        return None
    return None if unit.directory.by_public_id(name) is not None else name


def _nameless(wanted: Meant) -> RecollectError:
    return NOT_FOUND.error(
        f"no concept matches {wanted}, and a new concept needs a name",
        f"name it: {replace(wanted, name='...')}",
        span=wanted.span,
    )


def _spelled_otherwise(unit: Unit, wanted: Meant) -> ConceptElement | None:
    """Return the concept that has the name in another spelling, where names are unique."""
    key = name_key(unit.session.kinds, wanted.type or "", wanted.name or "")
    code = None if key is None else unit.terms.code(wanted.type or "")
    return None if key is None or code is None else unit.directory.by_name_key((code, key))


def _name_taken(wanted: Meant, name: str) -> RecollectError:
    return DUPLICATE_EXISTS.error(
        f'the name "{wanted.name}" is that of {{type: "{wanted.type}", name: "{name}"}}',
        f'use "{name}"',
        span=wanted.span,
        known=(name,),
    )


def check_id(unit: Unit, wanted: Meant, concept: ConceptElement | None) -> None:
    """Raise KIP_3003 when the id that is given belongs to another element than `concept`."""
    holder = None if wanted.id is None else unit.directory.by_public_id(wanted.id)
    if holder is not None and holder is not concept:
        raise taken_id(str(wanted.id), wanted.span)


def taken_id(given_id: str, span: Span | None = None) -> RecollectError:
    """Return KIP_3003 for an id that belongs to another element."""
    return DUPLICATE_EXISTS.error(
        f'the id "{given_id}" belongs to another element',
        "leave the id out, or give another",
        span=span,
        known=(given_id,),
    )


def match_link(unit: Unit, triple: Triple, span: Span | None = None) -> LinkElement | None:
    """Return the link that a bare triple means: the one without a key, else the only one.

    KIP_3003 with the ids when there are several and all have keys.
    """
    links = unit.directory.links(triple)
    for link in links:
        if not link.key:
            return link
    if len(links) > 1:
        raise _several(
            unit, f"{len(links)} links have this subject, predicate and object", links, span
        )
    return links[0] if links else None


def missing_concept(unit: Unit, wanted: Meant) -> RecollectError:
    """Return KIP_3002 for a concept that is not there, with the names most like it."""
    known = _suggestions(unit, wanted)
    part = "name" if wanted.name is not None else "type" if wanted.id is None else "id"
    hint = f'use "{known[0]}"' if known else f"create it first, or correct the {part}"
    return NOT_FOUND.error(f"no concept matches {wanted}", hint, span=wanted.span, known=known)


def _fits(unit: Unit, concept: ConceptElement, wanted: Meant) -> bool:
    return (wanted.name is None or wanted.name == concept.name) and (
        wanted.type is None or wanted.type == unit.terms.text(concept.type)
    )


def _scan(unit: Unit, statement: Statement, wanted: int | str) -> list[int]:
    unit.flush()
    asked: Parameters = {"group": unit.group.group_id, "wanted": wanted, "living": LIVING}
    return [whole(one) for (one,) in unit.session.rows(statement, asked)]


def _note_id(unit: Unit, wanted: Meant, concept: ConceptElement) -> None:
    """Tell that an id given to a concept that has one already is not adopted."""
    if wanted.id is not None and unit.directory.by_public_id(wanted.id) is None:
        own = unit.public_id(concept)
        message = f'{Meant(wanted.type, wanted.name)} keeps the id "{own}"'
        hint = f'leave the id out, or write id: "{own}"'
        unit.notices.append(Notice("id_not_adopted", message, hint, wanted.span))


def _several(
    unit: Unit, message: str, found: Sequence[Element], span: Span | None
) -> RecollectError:
    ids = tuple(unit.public_id(element) for element in found[:_SHOWN])
    return DUPLICATE_EXISTS.error(
        message, f'name one by its id: {{id: "{ids[0]}"}}', span=span, known=ids
    )


def _suggestions(unit: Unit, wanted: Meant) -> tuple[str, ...]:
    if wanted.id is not None:
        return ()
    code = None if wanted.type is None else unit.terms.code(wanted.type)
    if wanted.type is not None and code is None:
        declared = declared_names(
            unit.session, unit.group.group_id, ElementKind.CONCEPT, wanted.type
        )
        if wanted.type in declared[:1]:
            return ()
        return nearest(wanted.type, (*unit.terms.all(), *declared))
    if wanted.name is None or code is None:
        return ()
    asked = {"group": unit.group.group_id, "type": code, "living": LIVING, "most": _LISTED}
    rows = unit.session.rows(NAMES, asked)
    names: Iterable[str] = (str(name) for (name,) in rows)
    return nearest(wanted.name, names)


def tell_namesakes(unit: Unit) -> None:
    """Tell of new concepts of free kinds whose names others of another such kind have.

    The first ten are named, and how many more there are. Cost: a statement where the name of a new
    one was not looked up.
    """
    kinds, text, directory = unit.session.kinds, unit.terms.text, unit.directory
    new = {
        one.id: one
        for one in unit.changed()
        if isinstance(one, ConceptElement) and one.is_living and one.before is None
        if kinds.is_free(text(one.type))
    }
    directory.expect_names(one.name for one in new.values())
    told: list[tuple[ConceptElement, list[ConceptElement]]] = []
    for _, one in sorted(new.items()):
        older = directory.older_namesakes(one)
        if others := [other for other in older if kinds.is_free(text(other.type))]:
            told.append((one, others))
    for at, (one, others) in enumerate(told[:_SHOWN], 1):
        more = f"; and {len(told) - _SHOWN} more" if at == _SHOWN < len(told) else ""
        unit.notices.append(_name_of_two(unit, one, others, more))


def _name_of_two(
    unit: Unit, concept: ConceptElement, others: list[ConceptElement], more: str = ""
) -> Notice:
    """Return the notice that others of another type have the name of a new concept."""
    message = f"{_told(unit, [concept])} is new beside {_told(unit, others)} of that name{more}"
    made, one = unit.session.kinds.made, others[0]
    pair = (concept, one) if unit.terms.text(concept.type) == made else (one, concept)
    ids = [unit.public_id(each) for each in pair]
    is_joined = unit.terms.text(pair[0].type) == made
    hint = join(*ids) if is_joined else f'say which is meant: {{id: "{ids[0]}"}}'
    return Notice("name_of_two", message, hint=hint)


def _told(unit: Unit, found: list[ConceptElement]) -> str:
    return ", ".join(
        str(Meant(unit.terms.text(one.type), one.name, unit.public_id(one)))
        for one in found[:_SHOWN]
    )


class PlainNames:
    """The concepts that the plain names of one batch mean; `reborn` is told of one born anew."""

    def __init__(self, unit: Unit, tracker: Tracker, reborn: Callable[[], None]) -> None:
        self._unit = unit
        self._tracker = tracker
        self._reborn = reborn
        self._known: dict[tuple[str, str | None], ConceptElement] = {}

    def concept(self, named: Named) -> ConceptElement:
        """Return the concept that a plain name means, made or born anew if need be.

        KIP_3003 where several are meant, KIP_3002 where none is and none can be made.
        """
        name = identifier(named.name, "name")
        type_ = None if named.type is None else identifier(named.type, "type")
        known = self._known.get((name, type_))
        if known is not None and known.is_living:
            return known
        found = self._one(name) if type_ is None else self._of_type(name, type_)
        self._known[name, type_] = found
        return found

    def _one(self, name: str) -> ConceptElement:
        unit, (found, by) = self._unit, self._called(name, None)
        is_meant = by != "first name"
        if is_meant and len(found) > 1:
            raise self._ambiguous(name, found)
        if is_meant and found:
            return found[0]
        made = unit.session.kinds.made
        if made is None:
            raise missing_concept(unit, Meant(name=name))
        concept, (first, *others) = self._made(Meant(made, name)), name.split()
        alone, by = self._called(first, None) if others and others[-1][0].isupper() else ([], None)
        for one in alone if by == "name" else ():
            if self._is_person(one):
                unit.notices.append(may_be_one(one.name, self._id(one), name, self._id(concept)))
        persons = [one for one in found if name[0].isupper() and self._is_person(one)]
        if persons:
            unit.notices.append(self._first_name_of(persons, concept))
        return concept

    def _is_person(self, concept: ConceptElement) -> bool:
        """Whether a concept is a person, or something that does what only its facts tell."""
        unit, type_ = self._unit, self._type(concept)
        links = unit.directory.links_at([concept.id]) if type_ == unit.session.kinds.made else []
        serves = unit.terms.code(SERVES)  # whom the agent serves is somebody
        return type_ == _PERSON or any(
            one.subject == concept.id or one.predicate == serves for one in links
        )

    def _first_name_of(self, persons: list[ConceptElement], concept: ConceptElement) -> Notice:
        """Return the notice that a new concept is called by the first name of known persons."""
        own, known = self._id(concept), _told(self._unit, persons)
        one, *others = map(self._id, persons)
        who, whom = (f"each of {known}", "WHOM") if others else (f"{known} alone", one)
        message = f'"{concept.name}" ({own}) is new, and is the first name of {who}'
        return Notice("first_name", message, hint=join(own, whom))

    def _of_type(self, name: str, type_: str) -> ConceptElement:
        unit, wanted = self._unit, Meant(type_, name)
        kinds = unit.session.kinds
        there = find_concept(unit, wanted)
        if there is not None:
            return there
        if not kinds.is_free(type_):
            if type_ in kinds.owned:
                raise missing_concept(unit, wanted)
            return self._made(wanted)
        found, _ = self._meant(name, type_)
        if len(found) > 1:
            raise self._ambiguous(name, found)
        if found:
            return found[0]
        others, by = self._meant(name, None)
        if len(others) == 1 and self._type(others[0]) == kinds.made:
            return self._become(others[0], type_)
        concept = self._made(wanted)
        if others and by != "name":  # those of one spelling are told of together, at the end
            unit.notices.append(_name_of_two(unit, concept, others))
        return concept

    def _become(self, concept: ConceptElement, type_: str) -> ConceptElement:
        unit, was = self._unit, self._type(concept)
        born = bear_anew(unit, concept, type_)
        self._reborn()
        self._tracker.meet(born, is_new=False)
        message = f'"{born.name}" was of the type "{was}" and is of the type "{type_}" from now on'
        unit.notices.append(Notice("kind_known", message))
        return born

    def _made(self, wanted: Meant) -> ConceptElement:
        concept, is_new = match_or_create(self._unit, wanted, in_any_spelling=True)
        self._tracker.meet(concept, is_new)
        return concept

    def _meant(self, name: str, type_: str | None) -> tuple[list[ConceptElement], By | None]:
        found, by = self._called(name, type_)
        return ([], None) if by == "first name" else (found, by)

    def _called(self, name: str, type_: str | None) -> tuple[list[ConceptElement], By | None]:
        """Return what a name means, what this transaction made and closed included, and how."""
        unit = self._unit
        found: dict[int, By] = {}
        for one, by in ids_meant(unit.session, unit.group, name, type_).items():
            element = unit.directory.by_id(one)
            if isinstance(element, ConceptElement) and element.is_living:
                found[one] = by
        found |= dict(self._touched(name, type_))
        best = best_of(found.items())
        elements = map(unit.directory.by_id, best)
        called = [one for one in elements if isinstance(one, ConceptElement)]
        return called, found[best[0]] if best else None

    def _touched(self, name: str, type_: str | None) -> Iterator[tuple[int, By]]:
        kinds = self._unit.session.kinds
        for one in self._unit.changed():
            if isinstance(one, ConceptElement) and one.is_living:
                type = self._type(one)
                aliases = one.content.attributes.get(ALIASES)
                listed = aliases if isinstance(aliases, list) else [aliases]
                by = how_called(name, one.name, listed)
                if by is not None and kinds.is_free(type) and type_ in (None, type):
                    yield one.id, by

    def _ambiguous(self, name: str, found: list[ConceptElement]) -> RecollectError:
        first = {"type": self._type(found[0]), "name": found[0].name}
        return DUPLICATE_EXISTS.error(
            f'the name "{name}" means {len(found)} concepts: {_told(self._unit, found)}',
            f'say which: {{"type": "{first["type"]}", "name": "{first["name"]}"}}',
            known=tuple(self._id(one) for one in found[:_SHOWN]),
            details={
                "candidates": [
                    {"id": self._id(one), "type": self._type(one), "name": one.name}
                    for one in found[:_SHOWN]
                ]
            },
        )

    def _type(self, concept: ConceptElement) -> str:
        return self._unit.terms.text(concept.type)

    def _id(self, concept: ConceptElement) -> str:
        return self._unit.public_id(concept)
