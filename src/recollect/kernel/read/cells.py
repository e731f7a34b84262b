"""SQL columns to the cells of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, inf, isfinite
from typing import assert_never, cast

import orjson

from recollect.errors import INVALID_VALUE, STORE_CORRUPT, RecollectError
from recollect.kernel.sql.output import OutputColumn, Shape
from recollect.kernel.store.cells import json_value, whole
from recollect.kernel.store.port import SqlRow, SqlValue
from recollect.model import Cell, Element, Value


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
