"""What goes on being true beside what was written: the reader decides whether it should.

The rule: links of the same subject and predicate to another object, at a time that both share;
structure is kept by the calls that make it, and never stands beside anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.kernel.schema.definitions import functional_predicates
from recollect.kernel.search.document import called
from recollect.kernel.store.holding import Stay, held_beside
from recollect.kernel.write.element import ConceptElement, LinkElement
from recollect.kernel.write.unit import Unit
from recollect.model import (
    BEGINNING,
    FOREVER,
    AlsoHolds,
    normal_text,
)

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
    most = MOST_HELD + len(stays)
    ids = held_beside(unit.session, unit.group.group_id, stays, unit.at, most)
    new = {one.id for one in made}
    found = [one for one in unit.directory.living(ids) if one.id not in new][:MOST_HELD]
    links = [one for one in found if isinstance(one, LinkElement)]
    unit.directory.expect_ids(end for one in links for end in (one.subject, one.object))
    return tuple(
        _held(unit, one) for one in links if not is_kept(unit, one.subject, _predicate(unit, one))
    )


def also_holds_once(unit: Unit, links: Iterable[LinkElement]) -> tuple[AlsoHolds, ...]:
    """Return what goes on beside links of functional predicates, which KML does not end.

    Cost: a statement, and those of `also_holds` where one of the links is of such a predicate.
    """
    put = tuple(links)
    if not put:
        return ()
    functional = functional_predicates(unit.session, unit.group.group_id)
    met = [one for one in put if normal_text(_predicate(unit, one)) in functional]
    if met:
        unit.flush()
    return also_holds(unit, met)


def _held(unit: Unit, link: LinkElement) -> AlsoHolds:
    start, end = link.content.valid_at, link.content.invalid_at
    return AlsoHolds(
        unit.public_id(link),
        line_of(unit, link),
        None if start == BEGINNING else start,
        None if end == FOREVER else end,
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
