"""Rows become answers: the cells of SQL columns, elements shown whole, each compared now and then.

The rule: what is read is compared with the digests that were logged when it was written; a
difference is damage and is raised, never shown. One statement reads a content and its digest, so
that both are of one moment. What a write has not committed has no digest yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, inf, isfinite
from typing import assert_never, cast

import orjson

from recollect.errors import INVALID_VALUE, STORE_CORRUPT, RecollectError
from recollect.kernel.read.moment import NOW, Moment
from recollect.kernel.sql.hydration import hydration_sql
from recollect.kernel.sql.output import OutputColumn, Shape
from recollect.kernel.store.cells import (
    digest_of_cells,
    json_value,
    members,
    octets,
    public_id,
    text,
    whole,
)
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statements.elements import CURRENT, PAST
from recollect.kernel.store.terms import Terms
from recollect.model import LINK_BIT, Cell, Concept, Element, ElementKind, Link, Value


def compare(session: Session, group: Group, elements: Sequence[int], *, is_past: bool) -> None:
    """Compare those of some elements whose turn it is; STORE_CORRUPT names the first difference.

    `is_past` tells whether what they said before was read.
    """
    chosen = session.sampling.of(elements) if not session.is_writing else ()
    if chosen:
        refuse_different(session, group, chosen, is_past=is_past)


def refuse_different(
    session: Session, group: Group, elements: Sequence[int], *, is_past: bool
) -> None:
    """Compare elements; STORE_CORRUPT names the first that is not what was logged."""
    for table, bit in (("concept", 0), ("link", LINK_BIT)):
        ids = [one for one in elements if one & LINK_BIT == bit]
        for statements in ((CURRENT, PAST) if is_past else (CURRENT,)) if ids else ():
            parameters: dict[str, SqlValue] = {
                "group": group.group_id,
                "ids": orjson.dumps(ids).decode(),
            }
            for row in session.rows(statements[table], parameters):
                if not _is_logged(row):
                    session.sampling.suspect()
                    raise _different(group, row)


def _is_logged(row: SqlRow) -> bool:
    id_, _, salt, digest, *cells = row
    try:
        identity = (whole(id_), *map(_part, cells[4:]))
        return digest_of_cells(octets(salt), identity, cells[:4]) == digest
    except RecollectError:  # a cell of another type
        return False


def _part(cell: SqlValue) -> int | str | None:
    return cell if cell is None or isinstance(cell, int) else text(cell)


def _different(group: Group, row: SqlRow) -> RecollectError:
    id_, given, *_ = row
    name = given if isinstance(given, str) else public_id(group.id_bits, whole(id_))
    return RecollectError(
        STORE_CORRUPT,
        f"the element {name} is not what was written",
        hint="see what else is damaged: recollect doctor",
        details={"element": name},
    )


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


def element_ids(rows: Sequence[SqlRow], outputs: Sequence[OutputColumn]) -> set[int]:
    """Return the integer ids of every element the rows show."""
    ids: set[int] = set()
    start = 0
    for output in outputs:
        if output.shape is Shape.ELEMENT:
            ids.update(cast(int, row[start]) for row in rows if row[start] is not None)
        elif output.shape is Shape.ELEMENTS:
            for row in rows:
                ids.update(orjson.loads(cast(str, row[start])))
        start += output.shape.width
    return ids


def collected(rows: Sequence[SqlRow], outputs: Sequence[OutputColumn]) -> int:
    """Return how many values COLLECT has put into the rows."""
    count = 0
    start = 0
    for output in outputs:
        if output.shape in (Shape.ELEMENTS, Shape.VALUES):
            count += sum(len(orjson.loads(cast(str, row[start]))) for row in rows)
        start += output.shape.width
    return count


def decode_rows(
    rows: Sequence[SqlRow], outputs: Sequence[OutputColumn], elements: Mapping[int, Element]
) -> list[tuple[Cell, ...]]:
    """Return the rows with each column's cell decoded."""
    columns: list[list[Cell]] = []
    start = 0
    for output in outputs:
        columns.append(_column(rows, start, output, elements))
        start += output.shape.width
    return list(zip(*columns, strict=True))


def _column(
    rows: Sequence[SqlRow], at: int, output: OutputColumn, elements: Mapping[int, Element]
) -> list[Cell]:
    match output.shape:
        case Shape.TEXT | Shape.PLAIN:
            return [cast(Value, row[at]) for row in rows]
        case Shape.ELEMENT:
            return [None if row[at] is None else _element(row[at], elements) for row in rows]
        case Shape.JSON:
            return [None if row[at] is None else json_value(row[at]) for row in rows]
        case Shape.ELEMENTS | Shape.VALUES | Shape.SUM | Shape.AVG | Shape.EXTREME:
            end = at + output.shape.width
            return [_folded(row[at:end], output, elements) for row in rows]
        case _:
            assert_never(output.shape)


def _folded(parts: SqlRow, output: OutputColumn, elements: Mapping[int, Element]) -> Cell:
    if output.shape is Shape.SUM:
        return _sum(parts)
    if output.shape is Shape.AVG:
        count = cast(int, parts[4])
        return None if count == 0 else float(_sum(parts)) / count
    if output.shape is Shape.EXTREME:
        return _extreme(parts, output.reduces)
    if output.shape is Shape.VALUES:
        return _reduced(_listed(parts[0]), output.reduces)
    if output.reduces in ("sum", "avg"):  # an element is not a number
        return _reduced([], output.reduces)
    ids = orjson.loads(cast(str, parts[0]))
    shown = dict.fromkeys(ids) if output.reduces else ids
    return [_element(one, elements) for one in shown]


def _element(one: SqlValue, elements: Mapping[int, Element]) -> Element:
    element = elements.get(whole(one))
    if element is None:
        raise RecollectError(
            STORE_CORRUPT, "an element is not in the table of its kind", hint="run recollect doctor"
        )
    return element


def _listed(cell: SqlValue) -> list[Value]:
    held = json_value(cell)
    assert isinstance(held, list)
    return held


def _extreme(parts: SqlRow, reduces: str) -> Value:
    """Return the least or greatest of a whole number, a real one and a string: numbers first."""
    *said, text = parts
    numbers = [cast("int | float", one) for one in said if one is not None]
    if reduces == "min":
        return min(numbers) if numbers else cast("str | None", text)
    return cast(str, text) if text is not None else max(numbers, default=None)


def _sum(parts: SqlRow) -> int | float:
    high, low = (cast(int, part or 0) for part in parts[:2])
    whole, real = (high << 32) + low, parts[2]
    if not parts[3]:
        return whole
    if isinstance(real, str):  # the real numbers themselves
        try:
            real = fsum(orjson.loads(real))
        except OverflowError:
            real = inf
    return _finite(whole + cast(float, real))


def _finite(total: float) -> float:
    if not isfinite(total):
        raise RecollectError(
            INVALID_VALUE,
            "the sum is beyond the range of a number",
            hint="filter the values, or use MIN and MAX",
        )
    return total


def _reduced(values: list[Value], reduces: str) -> Value:
    if not reduces:
        return values
    firsts: dict[object, Value] = {}
    for value in values:
        firsts.setdefault(comparable(value), value)
    distinct = list(firsts.values())
    if reduces == "distinct":
        return distinct
    numbers = [
        value
        for value in distinct
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    total = sum(numbers)
    if isinstance(total, float):
        _finite(total)
    if reduces == "sum":
        return total
    return total / len(numbers) if numbers else None


def comparable(value: Value) -> object:
    """Return a hashable that is equal for equal values: 1 is 1.0, and true is not 1."""
    match value:
        case bool():
            return (bool, value)
        case list():
            return (list, tuple(comparable(item) for item in value))
        case dict():
            return (dict, frozenset((key, comparable(item)) for key, item in value.items()))
        case _:
            return value
