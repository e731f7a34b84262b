"""Which living element a change means: match by key or id, or learn that there is none.

Where several elements fit, none is guessed: KIP_3003 with their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recollect.errors import (
    DUPLICATE_EXISTS,
    NOT_FOUND,
    Notice,
    RecollectError,
    Span,
    nearest,
)
from recollect.kernel.read.declared import declared_names
from recollect.kernel.store.cells import whole
from recollect.kernel.store.port import Parameters
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.living import ID_BY_NAME, ID_BY_TYPE, NAMES
from recollect.kernel.write.element import ConceptElement, Element, LinkElement, Triple
from recollect.kernel.write.own_types import name_key
from recollect.kernel.write.unit import Unit
from recollect.model import LIVING, ElementKind
from recollect.node import node

_SHOWN = 10  # ids or names an error lists
_LONGEST_ID = 200  # characters of a name that is an id too
_LISTED = 2000  # names a suggestion is chosen from


@node(frozen=True, slots=True)
class ConceptName:
    """The parts of a concept that a text or a change gives, checked and normal."""

    type: str | None = None
    name: str | None = None
    id: str | None = None
    span: Span | None = None

    def __str__(self) -> str:
        parts = (("type", self.type), ("name", self.name), ("id", self.id))
        return "{" + ", ".join(f'{key}: "{part}"' for key, part in parts if part is not None) + "}"


def matching_concepts(unit: Unit, wanted: ConceptName) -> list[int]:
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


def find_concept(unit: Unit, wanted: ConceptName) -> ConceptElement | None:
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
    unit: Unit,
    wanted: ConceptName,
    *,
    in_any_spelling: bool = False,
    new_id: str | None = None,
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


def _name_as_id(unit: Unit, type: str, name: str) -> str | None:
    """Return the name, where it is to be the id too, and no element has that id."""
    if not unit.session.kinds.of(type).gives_ids or len(name) > _LONGEST_ID:
        return None
    return None if unit.directory.by_public_id(name) is not None else name


def _nameless(wanted: ConceptName) -> RecollectError:
    return RecollectError(
        NOT_FOUND,
        f"no concept matches {wanted}, and a new concept needs a name",
        hint=f"name it: {replace(wanted, name='...')}",
        span=wanted.span,
    )


def _spelled_otherwise(unit: Unit, wanted: ConceptName) -> ConceptElement | None:
    """Return the concept that has the name in another spelling, where names are unique."""
    key = name_key(unit.session.kinds, wanted.type or "", wanted.name or "")
    code = None if key is None else unit.terms.code(wanted.type or "")
    return None if key is None or code is None else unit.directory.by_name_key((code, key))


def _name_taken(wanted: ConceptName, name: str) -> RecollectError:
    return RecollectError(
        DUPLICATE_EXISTS,
        f'the name "{wanted.name}" is that of {{type: "{wanted.type}", name: "{name}"}}',
        hint=f'use "{name}"',
        span=wanted.span,
        known=(name,),
    )


def check_id(unit: Unit, wanted: ConceptName, concept: ConceptElement | None) -> None:
    """Raise KIP_3003 when the id that is given belongs to another element than `concept`."""
    holder = None if wanted.id is None else unit.directory.by_public_id(wanted.id)
    if holder is not None and holder is not concept:
        raise taken_id(str(wanted.id), wanted.span)


def taken_id(given_id: str, span: Span | None = None) -> RecollectError:
    """Return KIP_3003 for an id that belongs to another element."""
    return RecollectError(
        DUPLICATE_EXISTS,
        f'the id "{given_id}" belongs to another element',
        hint="leave the id out, or give another",
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


def missing_concept(unit: Unit, wanted: ConceptName) -> RecollectError:
    """Return KIP_3002 for a concept that is not there, with the names most like it."""
    known = _suggestions(unit, wanted)
    part = "id" if wanted.name is None else "name"
    return RecollectError(
        NOT_FOUND,
        f"no concept matches {wanted}",
        hint=f'use "{known[0]}"' if known else f"create it first, or correct the {part}",
        span=wanted.span,
        known=known,
    )


def _fits(unit: Unit, concept: ConceptElement, wanted: ConceptName) -> bool:
    return (wanted.name is None or wanted.name == concept.name) and (
        wanted.type is None or wanted.type == unit.terms.text(concept.type)
    )


def _scan(unit: Unit, statement: Statement, wanted: int | str) -> list[int]:
    unit.flush()
    asked: Parameters = {"group": unit.group.group_id, "wanted": wanted, "living": LIVING}
    return [whole(one) for (one,) in unit.session.rows(statement, asked)]


def _note_id(unit: Unit, wanted: ConceptName, concept: ConceptElement) -> None:
    """Tell that an id given to a concept that has one already is not adopted."""
    if wanted.id is not None and unit.directory.by_public_id(wanted.id) is None:
        own = unit.public_id(concept)
        unit.notices.append(
            Notice(
                "id_not_adopted",
                f'{ConceptName(wanted.type, wanted.name)} keeps the id "{own}"',
                hint=f'leave the id out, or write id: "{own}"',
                span=wanted.span,
            )
        )


def _several(
    unit: Unit, message: str, found: Sequence[Element], span: Span | None
) -> RecollectError:
    ids = tuple(unit.public_id(element) for element in found[:_SHOWN])
    return RecollectError(
        DUPLICATE_EXISTS,
        message,
        hint=f'name one by its id: {{id: "{ids[0]}"}}',
        span=span,
        known=ids,
    )


def _suggestions(unit: Unit, wanted: ConceptName) -> tuple[str, ...]:
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
