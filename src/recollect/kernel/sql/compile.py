"""Plan to SQL: the branches into rows, the rows into an answer.

The branches of a UNION stand beside each other: a value is carried as JSON text, beside the id of
the element it was read from; as a string where every branch has a string; and a column that says
the same in every branch stands once.

A CTE may be copied to each place that reads it, even where it runs only once, and there may be no
more of them once a statement has a thousand tables. So stages that stand on stages double.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.kernel.plan import ir
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.plan.pipeline import classes, values_read
from recollect.kernel.sql import nodes
from recollect.kernel.sql.filters import value_of
from recollect.kernel.sql.folds import Folds
from recollect.kernel.sql.output import Compiled, Keyed, OutputColumn, Paging, Solutions
from recollect.kernel.sql.rows import (
    Binding,
    BoundElement,
    Clock,
    CompileContext,
    HeldValue,
    JoinedTables,
    JsonValue,
    Nothing,
    ReadFrom,
    TextValue,
    json_of,
)
from recollect.kernel.sql.steps import owner_id, run_steps
from recollect.kernel.store.port import Dialect

_MOST_TABLES = 950
_MOST_JOINED = 64  # in one FROM
_FEW_TABLES = 16  # which make 633 at most, however they read one another
_LEAVES = frozenset({nodes.Column, nodes.Param, nodes.Number, nodes.Null, str, bool, type(None)})


def fits(statement: nodes.SqlStatement, sql: str) -> bool:
    """Whether an engine takes the statement, whose text is given: most texts are short."""
    if sql.count("FROM ") + sql.count("JOIN ") <= _FEW_TABLES:
        return True
    return _tables(statement, {}) <= _MOST_TABLES


def _tables(part: object, ctes: Mapping[str, int]) -> int:
    """Return how many tables are read, given how many each CTE reads; too many for too wide."""
    if isinstance(part, tuple):
        return sum([_tables(one, ctes) for one in part if type(one) not in _LEAVES])
    if isinstance(part, nodes.SqlStatement):
        known = dict(ctes)
        for cte in part.ctes:
            known[cte.name] = _tables(cte.query, known)
        return _tables(part.query, known)
    if isinstance(part, nodes.Select) and len(part.tables) > _MOST_JOINED:
        return _MOST_TABLES + 1
    slots: tuple[str, ...] = getattr(part, "__slots__", ())
    parts = [getattr(part, slot) for slot in slots]
    tables = sum([_tables(one, ctes) for one in parts if type(one) not in _LEAVES])
    if isinstance(part, nodes.From):
        tables += 1 + (ctes.get(part.source, 0) if isinstance(part.source, str) else 0)
    return tables


_Across = tuple[nodes.Expr, ...]  # one expression a branch


class United:
    """The columns of several branches, whose variables stand at the same places."""

    def __init__(
        self, branches: Sequence[JoinedTables], exports: Sequence[Sequence[ir.Var]]
    ) -> None:
        self._branches = branches
        self._variables = list(zip(*exports, strict=True))  # by place, one a branch
        self._names: dict[_Across, str] = {}

    def binding(self, place: int, table: str) -> Binding:
        """Add the columns of a variable, and return where it is found in `table`."""
        pairs = list(zip(self._branches, self._variables[place], strict=True))
        if self._variables[place][0].is_element:
            elements = [rows.element(var) for rows, var in pairs]
            kinds = {None if one.is_nullable else one.kind for one in elements}
            kind = kinds.pop() if len(kinds) == 1 else None
            column = self._column(tuple(one.id for one in elements), table)
            return BoundElement(column, kind, is_nullable=kind is None)
        values = [value_of(rows, var) for rows, var in pairs]
        texts = tuple(one.expr for one in values if isinstance(one, TextValue))
        is_text = len(texts) == len(values)
        shown = texts if is_text else tuple(json_of(one) for one in values)
        owner = self._column(tuple(owner_id(rows, var) for rows, var in pairs), table)
        is_of_owner = _is_of_owner([rows.bindings[var] for rows, var in pairs])
        return HeldValue(self._column(shown, table), owner, is_text, is_of_owner)

    def columns(self) -> list[list[tuple[nodes.Expr, str]]]:
        """Return the columns of each branch."""
        return [
            [(across[at], name) for across, name in self._names.items()]
            for at in range(len(self._branches))
        ]

    def _column(self, across: _Across, table: str) -> nodes.Expr:
        return nodes.Column(table, self._names.setdefault(across, f"v{len(self._names)}"))


def _is_of_owner(bindings: Sequence[Binding]) -> bool:
    """Whether every branch reads the same of the element that a value comes from."""
    reads = {
        (one.part, one.key) if isinstance(one, ReadFrom) else None
        for one in bindings
        if not isinstance(one, Nothing)
    }
    return len(reads) == 1 and None not in reads


_BRANCH = "branch"


def compile_plan(
    plan: ir.Plan,
    statistics: Statistics,
    clock: Clock,
    dialect: Dialect,
    paging: Paging | None = None,
) -> Compiled:
    """Return the SQL of a plan. Pure: the same arguments give the same text."""
    context = CompileContext(clock, statistics, dialect)
    statement, outputs, page = _answer(plan, context, paging)
    text = statement.sql(dialect)
    if not fits(statement, text):
        context = CompileContext(clock, statistics, dialect, is_row_by_row=True)
        statement, outputs, page = _answer(plan, context, paging)
        text = statement.sql(dialect)
    return Compiled(
        text,
        dict(context.terms),
        frozenset(context.predicates),
        frozenset(context.patterns),
        outputs,
        plan.names,
        frozenset(var.name for branch in plan.branches for var in values_read(branch)),
        page.places,
        page.layout,
        all(isinstance(column, ir.Fold) for column in plan.columns),
    )


def _answer(
    plan: ir.Plan, context: CompileContext, paging: Paging | None
) -> tuple[nodes.SqlStatement, tuple[OutputColumn, ...], Keyed]:
    """Return the statement of a plan, what its columns show, and the keys of its pages."""
    branches = [run_steps(JoinedTables(context), branch.steps) for branch in plan.branches]
    if len(branches) == 1:
        (branch,) = plan.branches
        rows = _taken_once(branches[0], branch) if plan.is_grouped else branches[0]
        solutions = Solutions(plan, rows, branch, None, classes(branch))
    else:
        solutions = _united(plan, context, branches)
    page = Keyed(())
    if plan.is_grouped:
        query, outputs = Folds(solutions).query()
    else:
        query, outputs, page = solutions.query(paging)
    return nodes.SqlStatement(query, context.ctes), outputs, page


def _taken_once(rows: JoinedTables, branch: ir.Branch) -> JoinedTables:
    """Return rows that hold their values, where each look into a document costs a look-up.

    As of the past a document may be another row's, and a group reads a value several times.
    """
    if not rows.context.clock.has_known:
        return rows
    rows.is_read_once = True
    reads = [var for var in branch.exports if isinstance(rows.bindings[var], ReadFrom)]
    if not any(isinstance(value_of(rows, var), JsonValue) for var in reads):
        return rows
    united = United([rows], [branch.exports])
    name = rows.context.fresh("u")
    bindings = {var: united.binding(at, name) for at, var in enumerate(branch.exports)}
    (columns,) = united.columns()
    taken = replace(rows.select(*columns), is_apart=True)
    return JoinedTables(rows.context, [nodes.From(taken, name)], [], bindings)


def _united(plan: ir.Plan, context: CompileContext, branches: list[JoinedTables]) -> Solutions:
    """Put the branches of a UNION beside each other in one CTE."""
    united = United(branches, [branch.exports for branch in plan.branches])
    name = context.fresh("u")
    bindings = {var: united.binding(at, name) for at, var in enumerate(plan.variables)}
    selects = tuple(
        rows.select((nodes.Number(number), _BRANCH), *columns)
        for number, (rows, columns) in enumerate(zip(branches, united.columns(), strict=True))
    )
    context.ctes.append(nodes.Cte(name, nodes.Compound(selects, is_all=True)))
    rows = JoinedTables(context, [nodes.From(name, name)], [], bindings)
    return Solutions(plan, rows, None, nodes.Column(name, _BRANCH))
