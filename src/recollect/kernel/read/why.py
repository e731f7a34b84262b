"""Why a row is in an answer: every concept and link it stands on, and where each comes from.

The rule: the query runs again with a name for everything it matches; the solutions that make
the row are those that show its cells, read from the same elements.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import cast

from recollect.errors import refused
from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.ir import owners
from recollect.kernel.plan.pipeline import plan_find, plan_solutions
from recollect.kernel.plan.scope import Naming, TargetNames, Walked, resolve_kinds
from recollect.kernel.read.cells import Page, comparable
from recollect.kernel.read.history import lives
from recollect.kernel.read.reader import Reader, check_patterns
from recollect.kernel.read.walk import links_walked
from recollect.kernel.sql.compile import compile_plan
from recollect.kernel.sql.output import Compiled, Shape
from recollect.kernel.store.cells import SqlValue, json_value
from recollect.kernel.store.port import SqlRow
from recollect.model import LIVING, Ground, Operation, Rows, Value, Why
from recollect.node import dataclass, replace

_ALL = 2**62  # solutions, more than there are: no engine refuses such a limit

MOST_GROUNDS = 100
"""Elements shown for one row; `omitted` counts the others."""

MOST_OF_ROWS = 2_000
"""The same for all rows of a page."""

MOST_ROWS = 1_000
"""Rows of a page that are looked at."""


Identity = tuple[object, ...]
"""What identifies the solutions that make a row of the answer."""


@dataclass(frozen=True, slots=True)
class IdentifiedQuery:
    """A compiled query whose rows tell which row of the answer they are, or belong to."""

    compiled: Compiled
    parameters: dict[str, SqlValue]
    keys: tuple[tuple[int, Shape], ...]  # the columns that tell it

    def identity(self, row: SqlRow) -> Identity:
        """Return what a row tells: ids of elements, values, and what these were read from."""
        return tuple(
            comparable(
                json_value(row[at])
                if shape is Shape.JSON and row[at] is not None
                else cast(Value, row[at])
            )
            for at, shape in self.keys
        )


def why(reader: Reader, find: ast.Find, bindings: Bindings, row: int | None) -> Why:
    """Return what a row of a FIND stands on, or with None what all rows of its page do.

    Rows count from 0, after OFFSET or CURSOR. A row that aggregates stands on all of its group.
    INVALID_ARGUMENT for a row that is not there. Cost: the query twice, without its LIMIT, and
    the history of what is shown; of the solutions only the elements are kept.
    """
    if row is not None and type(row) is not int:  # whatever the caller's types say
        raise refused(
            f"the row is of type {type(row).__name__}, not a whole number",
            "pass the place of a row of the answer, from 0",
        )
    page = Page.of(find, bindings)
    with reader.at_page(page):
        return _why(reader, find, bindings, reader.counted_page(find, bindings, page), row)


def _why(reader: Reader, find: ast.Find, bindings: Bindings, page: Page, row: int | None) -> Why:
    """Return what a row of a page stands on, whose rows before it are counted."""
    limit, offset = page.limit, page.offset
    if row is None:
        limit = MOST_ROWS if limit is None else min(limit, MOST_ROWS)
        answer, identities = _rows(reader, find, bindings, Page(limit, offset))
        stands = _Standing(reader, bindings, MOST_OF_ROWS)
    else:
        is_within = 0 <= row < LIVING - offset and (limit is None or row < limit)
        one = Page(1, offset + row) if is_within else Page(0, 0)
        answer, identities = _rows(reader, find, bindings, one)
        stands = _Standing(reader, bindings, MOST_GROUNDS)
        if not identities:
            raise refused(
                "the answer has no such row", "run the query, and name one of the rows it shows"
            )
    stands.add_solutions(find, identities)
    cells = () if row is None else answer.rows[0]
    grounds = tuple(_grounds(reader, stands.shown))
    return Why(answer.columns, cells, stands.solutions, grounds, len(stands.others))


def _rows(
    reader: Reader, find: ast.Find, bindings: Bindings, page: Page
) -> tuple[Rows, frozenset[Identity]]:
    """Return the rows of a page, and what identifies them."""
    lifting = Lifting(bindings)
    shape = ast.Find(find.columns, lifting.clauses(find.where), find.order_by)
    plan = plan_find(shape, reader.statistics())
    check_patterns(lifting.patterns, lifting.values, reader.deadline)
    read_from = () if plan.is_grouped else owners(plan)
    query = identified(reader, find, replace(plan, columns=(*plan.columns, *read_from)), lifting)
    rows = reader.run(query.compiled, query.parameters, page)
    shown = reader.shown(query.compiled, lifting.values, page, rows, has_more=False)
    width = len(plan.columns)
    answer = replace(shown, rows=[one[:width] for one in shown.rows])
    if reader.is_doubtful(query.compiled, rows):
        reader.warn_of_keys(find, bindings, answer)
    return answer, frozenset(map(query.identity, rows))


def identified(reader: Reader, find: ast.Find, plan: ir.Plan, lifting: Lifting) -> IdentifiedQuery:
    """Return the SQL of a plan, whose rows tell what identifies them."""
    compiled = compile_plan(plan, reader.statistics(), reader.moment.clock, reader.session.dialect)
    keys: list[tuple[int, Shape]] = []
    start = 0
    for column, output in zip(plan.columns, compiled.outputs, strict=True):
        if isinstance(column, ir.Plain):
            keys.append((start, output.shape))
        start += output.shape.width
    return IdentifiedQuery(compiled, reader.parameters(compiled, lifting.values, find), tuple(keys))


def _in_order(plan: ir.Plan, names: Sequence[str]) -> ir.Plan:
    """Return the plan ordered by these variables first, so that the others only break ties."""
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


class NamedSolutions:
    """The solutions of a FIND, with a name for everything that they match, in order."""

    def __init__(self, reader: Reader, find: ast.Find, bindings: Bindings) -> None:
        naming = Naming()
        asked = TargetNames().name_targets(find.where)
        where, names = naming.clauses(asked), list(resolve_kinds(asked))
        columns = tuple(one for one in find.columns if not isinstance(one, ast.Aggregate))
        is_grouped = len(columns) < len(find.columns)
        lifting = Lifting(bindings)
        order_by = () if is_grouped else find.order_by
        shape = ast.Find(columns, lifting.clauses(where), order_by)
        plan = _in_order(plan_solutions(shape, reader.statistics()), names)
        elements = [at for at, var in enumerate(plan.variables) if var.is_element]
        telling = plan.columns if is_grouped else (*plan.columns, *owners(plan))
        plan = replace(plan, columns=(*map(ir.Plain, elements), *telling))
        query = identified(reader, find, plan, lifting)
        self._reader = reader
        self._query = replace(query, keys=query.keys[len(elements) :])
        self._variables = [plan.variables[at].name for at in elements]
        self.walks = [(one, tuple(_path_steps(one.path, bindings))) for one in naming.walks]

    def each(self) -> Generator[tuple[Identity, dict[str, SqlValue]]]:
        """Yield what identifies each solution, and the elements by the names that hold them."""
        query = self._query
        every = query.parameters | {"limit": _ALL, "offset": 0}
        with closing(self._reader.session.each(query.compiled.sql, every)) as solutions:
            for solution in solutions:
                held = dict(zip(self._variables, solution, strict=False))
                yield query.identity(solution), held


class _Standing:
    """Gathers what the solutions of rows stand on, and keeps none of the solutions."""

    def __init__(self, reader: Reader, bindings: Bindings, most: int) -> None:
        self._most = most
        self._reader = reader
        self._bindings = bindings
        self.solutions = 0
        self.shown: dict[int, dict[str, None]] = {}
        """The first elements in order, each with the variables that hold it."""
        self.others: set[int] = set()
        """The elements after those."""
        self._walked: set[tuple[Walked, int, int]] = set()

    def add_solutions(self, find: ast.Find, identities: Collection[Identity]) -> None:
        """Add every solution of a FIND that belongs to a row of these identities, in order."""
        solutions = NamedSolutions(self._reader, find, self._bindings)
        with closing(solutions.each()) as found:
            for told, held in found:
                if told in identities:
                    self._add(held, solutions.walks)

    def _add(
        self, held: Mapping[str, SqlValue], walks: Iterable[tuple[Walked, tuple[ir.PathStep, ...]]]
    ) -> None:
        self.solutions += 1
        for name, element in held.items():
            if isinstance(element, int):
                names = self._names(element)
                if names is not None and not name.startswith("#"):
                    names[name] = None
        if self.others:
            return
        for walked, path in walks:
            start, end = held[walked.subject], held[walked.object]
            if not isinstance(start, int) or not isinstance(end, int):
                continue
            if (walked, start, end) not in self._walked:
                self._walked.add((walked, start, end))
                for link in links_walked(self._reader, start, end, path):
                    self._names(link)

    def _names(self, element: int) -> dict[str, None] | None:
        """Add an element; return the variables that hold it, if it is one of those shown."""
        names = self.shown.get(element)
        if names is None and len(self.shown) < self._most:
            names = self.shown[element] = {}
        elif names is None:
            self.others.add(element)
        return names


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
