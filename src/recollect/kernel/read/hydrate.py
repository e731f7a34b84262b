"""Elements shown whole, from their integer ids."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from recollect.kernel.read.compared import compare
from recollect.kernel.read.moment import NOW, Moment
from recollect.kernel.sql.hydration import hydration_sql
from recollect.kernel.store.cells import members, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.identity import public_id
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.terms import Terms
from recollect.model import LINK_BIT, Concept, Element, ElementKind, Link


def hydrate(
    session: Session, group: Group, terms: Terms, ids: Iterable[int], moment: Moment = NOW
) -> dict[int, Element]:
    """Return the elements by id; an id that is not of this group is left out."""
    concepts: list[int] = []
    links: list[int] = []
    for one in set(ids):
        (links if one & 1 == LINK_BIT else concepts).append(one)
    compare(session, group, concepts + links, is_past=moment.clock.has_known)
    found: dict[int, Element] = {}
    for row in _rows(session, group, ElementKind.CONCEPT, concepts, moment):
        found[whole(row[0])] = shown_concept(session, group, terms, row)
    for row in _rows(session, group, ElementKind.LINK, links, moment):
        found[whole(row[0])] = shown_link(session, group, terms, row)
    return found


def shown_concept(session: Session, group: Group, terms: Terms, row: SqlRow) -> Concept:
    """Return the concept of a row of `hydration_sql`."""
    id_, given, type_, name, attributes, metadata = row
    return Concept(
        str(given) if given is not None else public_id(group.id_bits, whole(id_)),
        terms.text(session, int(str(type_))),
        str(name),
        members(attributes),
        members(metadata),
    )


def shown_link(session: Session, group: Group, terms: Terms, row: SqlRow) -> Link:
    """Return the link of a row of `hydration_sql`."""
    id_, given, predicate, subject, subject_id, object_, object_id, attributes, metadata = row
    return Link(
        str(given) if given is not None else public_id(group.id_bits, whole(id_)),
        _end(group, subject, subject_id),
        terms.text(session, int(str(predicate))),
        _end(group, object_, object_id),
        members(attributes),
        members(metadata),
    )


def _rows(
    session: Session, group: Group, kind: ElementKind, ids: list[int], moment: Moment
) -> list[SqlRow]:
    if not ids:
        return []
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "ids": orjson.dumps(ids).decode(),
        **moment.parameters,
    }
    return session.rows(hydration_sql(kind, moment.clock, session.dialect), parameters)


def _end(group: Group, element: SqlValue, given: SqlValue) -> str:
    if given is not None:
        return str(given)
    return public_id(group.id_bits, whole(element))
