"""What goes on being true beside what was written, told so that the reader decides.

The rule: it is links of the same subject and predicate to another object, at a time that both
share. Structure is kept by the calls that make it, and never stands beside anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from recollect.errors import Notice, forget_as
from recollect.kernel.read.known_keys import PROPOSITION_TYPE
from recollect.kernel.search.tokens import called
from recollect.kernel.store.cells import SqlValue, text
from recollect.kernel.store.holding import Stay, held_beside
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.declared import FLAGGED
from recollect.kernel.write.element import ConceptElement, LinkElement
from recollect.kernel.write.unit import Unit
from recollect.model import (
    BEGINNING,
    FOREVER,
    FUNCTIONAL,
    LIVING,
    AlsoHolds,
    bound_text,
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


def functional_predicates(session: Session, group: int) -> frozenset[str]:
    """Return the functional predicates of a group as names are compared; one statement."""
    parameters: dict[str, SqlValue] = {
        "group": group,
        "meta": PROPOSITION_TYPE,
        "living": LIVING,
        "attribute": FUNCTIONAL,
    }
    return frozenset([normal_text(text(name)) for (name,) in session.rows(FLAGGED, parameters)])


def also_holds_once(unit: Unit, links: Iterable[LinkElement]) -> tuple[AlsoHolds, ...]:
    """Return what goes on beside links of functional predicates, which KML does not end.

    Cost: a statement, and those of `also_holds` where one of the links is of such a predicate.
    """
    put = tuple(links)
    if not put:
        return ()
    functional = functional_predicates(unit.session, unit.group.group_id)
    met = [one for one in put if normal_text(_predicate(unit, one)) in functional]
    return also_holds(unit, met)


def told_of_both(unit: Unit, subject: int) -> Iterator[Notice]:
    """Yield a notice of each fact that goes on beside a newer one, where one holds at a time.

    They are those of a subject, under functional predicates. Cost: its links, and a statement.
    """
    facts = defaultdict[int, list[LinkElement]](list)
    functional = functional_predicates(unit.session, unit.group.group_id)
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
            told = f"{line_of(unit, older)} ({id}) goes on beside {line_of(unit, newer)}"
            message = f"{told}, which is newer, and one holds at a time"
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
