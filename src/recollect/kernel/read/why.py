"""Why a row is in an answer: every concept and link it stands on, and where each comes from.

The rule: the query runs again with a name for everything it matches; the solutions that make
the row are those that show its cells, read from the same elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.lang import ast, literal
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.plan.lift import Lifting
from recollect.kernel.plan.naming import Naming, Walked
from recollect.kernel.plan.pipeline import plan_find
from recollect.kernel.plan.scope import TargetNames, resolve_kinds
from recollect.kernel.read.cells import comparable
from recollect.kernel.read.history import lives
from recollect.kernel.read.pages import Page
from recollect.kernel.read.reader import Reader
from recollect.kernel.read.walk import links_walked
from recollect.kernel.sql.compile import compile_plan
from recollect.kernel.sql.output import Output, Shape
from recollect.kernel.sql.sqlite import SQLITE
from recollect.kernel.store.cells import json_value
from recollect.kernel.store.protocol import SqlRow
from recollect.model import (
    LIVING,
    Cell,
    Concept,
    Element,
    Ground,
    Link,
    Operation,
    Rows,
    Value,
    Why,
)

MOST_GROUNDS = 100
"""Elements shown for one row; `omitted` counts the others."""


@dataclass(frozen=True, slots=True)
class _Solutions:
    """All solutions of a query in order: the elements of each, then the values it shows.

    `keys` has, for each plain column of FIND, the places of a row that make its cell: the id
    of an element, or a value and the element it was read from.
    """

    rows: list[SqlRow]
    names: tuple[str, ...]  # of the element variables, which stand first in a row
    keys: tuple[tuple[int, ...], ...]
    outputs: tuple[Output, ...]

    def value(self, row: SqlRow, at: int) -> Value:
        held = row[at]
        if self.outputs[at].shape is Shape.JSON and held is not None:
            return json_value(held)
        return cast(Value, held)

    def identity(self, row: SqlRow) -> tuple[object, ...]:
        """Return what two solutions of one row of the answer share."""
        return tuple(comparable(self.value(row, at)) for key in self.keys for at in key)


def why(reader: Reader, find: ast.Find, bindings: Bindings, row: int) -> Why:
    """Return what a row of a FIND stands on; rows count from 0, after OFFSET.

    A row that aggregates stands on all of its group. INVALID_ARGUMENT for a row that is not
    there. Cost: the query twice, without its LIMIT, and the history of what is shown.
    """
    if type(row) is not int:  # whatever the caller's types say
        raise RecollectError(
            INVALID_ARGUMENT,
            f"the row is of type {type(row).__name__}, not a whole number",
            hint="pass the place of a row of the answer, from 0",
        )
    page = Page.of(find, bindings)
    if page.cursor is not None:
        raise RecollectError(
            INVALID_ARGUMENT,
            "CURSOR stands in a query whose rows are counted from its beginning",
            hint="leave CURSOR out, and count the row from the first page on",
            span=page.cursor.span,
        )
    limit, offset = page.limit, page.offset
    answer = Rows((), [])
    if 0 <= row < LIVING - offset and (limit is None or row < limit):
        answer = reader.find(
            replace(find, limit=literal(1), offset=literal(offset + row)), bindings
        )
    if not answer.rows:
        raise RecollectError(
            INVALID_ARGUMENT,
            "the answer has no such row",
            hint="run the query, and name one of the rows it shows",
        )
    naming = Naming()
    asked = TargetNames().name_targets(find.where)
    where, names = naming.clauses(asked), list(resolve_kinds(asked))
    is_grouped = any(isinstance(one, ast.Aggregate) for one in find.columns)
    found = _solutions(reader, find, where, names, bindings, is_grouped=is_grouped)
    if is_grouped:
        rows = _of_group(reader, find, found, answer.rows[0])
    else:
        rows = _of_row(found, offset + row)
    ids = _elements(reader, found, rows, naming.walks, bindings)
    shown = dict(list(ids.items())[:MOST_GROUNDS])
    grounds = tuple(_grounds(reader, shown))
    return Why(answer.columns, answer.rows[0], len(rows), grounds, len(ids) - len(shown))


def _solutions(
    reader: Reader,
    find: ast.Find,
    where: tuple[ast.Clause, ...],
    names: Sequence[str],
    bindings: Bindings,
    *,
    is_grouped: bool,
) -> _Solutions:
    columns = tuple(one for one in find.columns if not isinstance(one, ast.Aggregate))
    lifting = Lifting(bindings)
    order_by = () if is_grouped else find.order_by
    shape = ast.Find(columns, lifting.clauses(where), order_by)
    statistics = reader.statistics()
    plan = _in_order(plan_find(shape, statistics), names)
    elements = [at for at, var in enumerate(plan.variables) if var.is_element]
    shown = [ir.Plain(at) for at in elements]
    keys: list[tuple[int, ...]] = []
    for column in plan.columns:
        assert isinstance(column, ir.Plain)
        if column.variable in elements:
            keys.append((elements.index(column.variable),))
        else:
            keys.append((len(shown), len(shown) + 1))
            shown += [column, ir.Plain(column.variable, shows_owner=True)]
    plan = replace(plan, columns=tuple(shown))
    compiled = compile_plan(plan, statistics, reader.moment.clock, SQLITE)
    parameters = reader.parameters(compiled, lifting.values, find)
    return _Solutions(
        reader.run(compiled, parameters, Page(None, 0)),
        tuple(plan.variables[at].name for at in elements),
        tuple(keys),
        compiled.outputs,
    )


def _in_order(plan: ir.Plan, names: Sequence[str]) -> ir.Plan:
    """Return the plan with these variables first, so that the others only order what is equal."""
    known = {name: at for at, name in enumerate(names)}
    order = sorted(
        range(len(plan.variables)), key=lambda at: known.get(plan.variables[at].name, len(known))
    )
    places = {old: new for new, old in enumerate(order)}

    def moved(column: ir.Column) -> ir.Column:
        return replace(column, variable=places[column.variable])

    return replace(
        plan,
        branches=tuple(
            replace(one, exports=tuple(one.exports[at] for at in order)) for one in plan.branches
        ),
        variables=tuple(plan.variables[at] for at in order),
        columns=tuple(moved(one) for one in plan.columns),
        order_by=tuple(replace(one, key=moved(one.key)) for one in plan.order_by),
    )


def _of_row(found: _Solutions, row: int) -> list[SqlRow]:
    """Return the solutions of the row at a place, counting rows by their first solutions."""
    rows: dict[object, list[SqlRow]] = {}
    for solution in found.rows:
        rows.setdefault(found.identity(solution), []).append(solution)
    return list(rows.values())[row]


def _of_group(
    reader: Reader, find: ast.Find, found: _Solutions, cells: Sequence[Cell]
) -> list[SqlRow]:
    """Return the solutions of the group that shows these cells."""
    plain = [
        cell
        for cell, column in zip(cells, find.columns, strict=True)
        if not isinstance(column, ast.Aggregate)
    ]
    firsts = [key[0] for key in found.keys]
    ids = {
        cast(int, solution[at])
        for solution in found.rows
        for at in firsts
        if found.outputs[at].shape is Shape.ELEMENT and solution[at] is not None
    }
    elements = reader.elements(ids)

    def group(solution: SqlRow) -> list[object]:
        return [_cell_key(_cell(found, solution, at, elements)) for at in firsts]

    wanted = [_cell_key(cell) for cell in plain]
    return [solution for solution in found.rows if group(solution) == wanted]


def _cell(found: _Solutions, row: SqlRow, at: int, elements: dict[int, Element]) -> Cell:
    if found.outputs[at].shape is Shape.ELEMENT:
        return None if row[at] is None else elements[cast(int, row[at])]
    return found.value(row, at)


def _cell_key(cell: Cell) -> object:
    if isinstance(cell, Concept | Link):
        return type(cell), cell.id
    return comparable(cast(Value, cell))


def _elements(
    reader: Reader,
    found: _Solutions,
    rows: Iterable[SqlRow],
    walks: Iterable[Walked],
    bindings: Bindings,
) -> dict[int, dict[str, None]]:
    """Return the elements of the solutions in order, each with the variables that hold it."""
    shown: dict[int, dict[str, None]] = {}
    steps = [(one, tuple(_path_steps(one.path, bindings))) for one in walks]
    for row in rows:
        held = dict(zip(found.names, row, strict=False))
        for name, element in held.items():
            if isinstance(element, int):
                names = shown.setdefault(element, {})
                if not name.startswith("#"):
                    names[name] = None
        if len(shown) > MOST_GROUNDS:
            continue
        for walked, path in steps:
            start, end = held[walked.subject], held[walked.object]
            if isinstance(start, int) and isinstance(end, int):
                for link in links_walked(reader, start, end, path):
                    shown.setdefault(link, {})
    return shown


def _path_steps(path: ast.Path, bindings: Bindings) -> Iterator[ir.PathStep]:
    for one in path.steps:
        predicate = bindings.string(one.predicate, "a predicate")
        yield ir.PathStep(predicate, one.minimum, one.maximum)


def _grounds(reader: Reader, shown: dict[int, dict[str, None]]) -> Iterator[Ground]:
    """Yield each element with its story up to the moment asked about."""
    elements = reader.elements(shown)
    moment = replace(reader.moment, valid=None)
    stories = lives(reader.session, reader.group, reader.terms, tuple(shown), moment)
    for (id_, names), life in zip(shown.items(), stories, strict=True):
        versions = [one for one in life.versions if one.operation is not Operation.CLOSE]
        current = versions[-1]
        assert current.after is not None
        yield Ground(
            names=tuple(names),
            element=elements[id_],
            version=current.number,
            created=versions[0].since,
            written=current.since,
            valid_at=current.after.valid_at,
            invalid_at=current.after.invalid_at,
        )
