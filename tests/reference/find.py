"""FIND: solutions in order, then rows; with aggregates, one row for each group.

The order of solutions is: the branch of the UNION, then the elements by birth in the order
the WHERE first mentions their variables, then the values likewise; nulls last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, assert_never, cast

from tests.reference.evaluate import FRESH, Evaluator, bound, unbound
from tests.reference.graph import Graph
from tests.reference.mentions import Kind, is_hidden, kinds, name_targets, names
from tests.reference.values import (
    Binding,
    Parameters,
    Read,
    Row,
    group_key,
    identity,
    is_null,
    is_number,
    resolve,
    sort_key,
)

from recollect.errors import INVALID_SYNTAX, REFERENCE_ERROR, RecollectError
from recollect.kernel.lang import ast
from recollect.model import Cell, Value

Column = ast.Variable | ast.Field | ast.Aggregate
Answer = Binding | list[Binding]


def solutions(
    where: Sequence[ast.Clause], evaluator: Evaluator
) -> tuple[frozenset[str], list[Row]]:
    """Return the variables of the solutions, and the distinct solutions in order."""
    kind_of = kinds(where)
    branches = evaluator.block(where, FRESH)
    scope = bound(branches)
    mentioned = [name for name in names(where) if name in scope]
    mentioned.sort(key=is_hidden)
    elements = [name for name in mentioned if kind_of[name] is Kind.ELEMENT]
    values = [name for name in mentioned if kind_of[name] is Kind.VALUE]
    kept: dict[object, Row] = {}
    for branch in branches:
        for row in sorted(branch.rows, key=lambda r: [sort_key(r[n]) for n in elements + values]):
            kept.setdefault(tuple(identity(row[name]) for name in mentioned), row)
    return scope, list(kept.values())


def find(graph: Graph, query: ast.Find, parameters: Parameters) -> list[tuple[Cell, ...]]:
    """Answer a query: one tuple a row, in order."""
    evaluator = Evaluator(graph, parameters)
    scope, rows = solutions(name_targets(query.where), evaluator)
    for field in _fields(query):
        _check(field.variable, scope)
        rows = [{**row, field.name: evaluator.field(row, field)} for row in rows]
        scope |= {field.name}
    for column in query.columns:
        _check(column, scope)
    is_grouped = any(isinstance(column, ast.Aggregate) for column in query.columns)
    answers = (_grouped if is_grouped else _projected)(query, rows, scope)
    first = _size(query.offset, parameters) or 0
    limit = _size(query.limit, parameters)
    last = None if limit is None else first + limit
    return [tuple(_cell(one, graph) for one in row) for row in answers[first:last]]


def _fields(query: ast.Find) -> list[ast.Field]:
    named = (*query.columns, *(one.key for one in query.order_by))
    read = (one.variable if isinstance(one, ast.Aggregate) else one for one in named)
    return list(dict.fromkeys(one for one in read if isinstance(one, ast.Field)))


def _check(column: Column, scope: frozenset[str]) -> None:
    name = column.variable.name if isinstance(column, ast.Aggregate) else column.name
    if name not in scope:
        raise unbound([name])


def _cell(answer: Answer, graph: Graph) -> Cell:
    match answer:
        case None:
            return None
        case int():
            return graph.shown(graph.element(answer))
        case Read():
            return answer.value
        case list():
            return cast(Cell, [_cell(one, graph) for one in answer])
        case _:
            assert_never(answer)


def _size(node: ast.Size | None, parameters: Parameters) -> int | None:
    if node is None:
        return None
    size = resolve(node, parameters)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise RecollectError(INVALID_SYNTAX, "LIMIT and OFFSET want a whole number")
    return size


Sorted = TypeVar("Sorted")


def _ordered(
    rows: list[Sorted], key: Callable[[Sorted], Answer], is_descending: bool
) -> list[Sorted]:
    """Sort by one key, nulls last in both directions; what is equal stays as it was."""

    def place(row: Sorted) -> tuple[bool, int, object]:
        answer = key(row)
        if isinstance(answer, list):
            answer = Read([one.value for one in answer if isinstance(one, Read)], None)
        return sort_key(answer)

    known = [row for row in rows if not place(row)[0]]
    known.sort(key=place, reverse=is_descending)
    return known + [row for row in rows if place(row)[0]]


def _projected(query: ast.Find, rows: list[Row], scope: frozenset[str]) -> list[tuple[Answer, ...]]:
    for one in reversed(query.order_by):
        if isinstance(one.key, ast.Aggregate):
            raise RecollectError(INVALID_SYNTAX, "ORDER BY has an aggregate and FIND has none")
        _check(one.key, scope)
        name = one.key.name
        rows = _ordered(rows, lambda row: row[name], one.is_descending)  # noqa: B023
    kept: dict[object, tuple[Answer, ...]] = {}
    for row in rows:
        bindings = [row[column.name] for column in query.columns]
        kept.setdefault(tuple(map(identity, bindings)), tuple(bindings))
    return list(kept.values())


def _grouped(query: ast.Find, rows: list[Row], scope: frozenset[str]) -> list[tuple[Answer, ...]]:
    keys = [one.name for one in query.columns if not isinstance(one, ast.Aggregate)]
    groups: dict[object, list[Row]] = {} if keys else {(): []}
    for row in rows:
        groups.setdefault(tuple(group_key(row[name]) for name in keys), []).append(row)
    ordered = list(groups.values())
    for one in reversed(query.order_by):
        column = _sorting_column(query, one.key)
        _check(column, scope)
        ordered = _ordered(ordered, lambda group: _answer(column, group), one.is_descending)  # noqa: B023
    return [tuple(_answer(column, group) for column in query.columns) for group in ordered]


def _sorting_column(query: ast.Find, key: Column) -> Column:
    """Return what a key of a grouped ORDER BY means: an alias, a group key, or itself."""
    if isinstance(key, ast.Aggregate):
        return key
    for column in sorted(query.columns, key=lambda one: not isinstance(one, ast.Aggregate)):
        if column.name == key.name:
            return column
    raise RecollectError(REFERENCE_ERROR, f"?{key.name} is not a column")


def _answer(column: Column, group: list[Row]) -> Answer:
    if not isinstance(column, ast.Aggregate):
        return group[0][column.name]
    bindings = [row[column.variable.name] for row in group]
    return aggregate(column.function, column.distinct, bindings)


def aggregate(function: ast.Function, is_distinct: bool, bindings: list[Binding]) -> Answer:
    """Apply an aggregate to what a variable holds in the solutions of a group, in order."""
    present = [one for one in bindings if not is_null(one)]
    if is_distinct:
        firsts: dict[object, Binding] = {}
        for one in present:
            firsts.setdefault(group_key(one), one)
        present = list(firsts.values())
    values = [one.value for one in present if isinstance(one, Read)]
    numbers = [one for one in values if isinstance(one, int | float) and is_number(one)]
    match function:
        case ast.Function.COLLECT:
            return present
        case ast.Function.COUNT:
            return Read(len(present), None)
        case ast.Function.SUM:
            return Read(sum(numbers), None)
        case ast.Function.AVG:
            return Read(sum(numbers) / len(numbers) if numbers else None, None)
    ordered = [one for one in present if isinstance(one, Read) and _is_ordered(one.value)]
    pick = min if function is ast.Function.MIN else max
    return pick(ordered, key=sort_key, default=Read(None, None))


def _is_ordered(value: Value) -> bool:
    return is_number(value) or isinstance(value, str)
