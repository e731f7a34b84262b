"""Plan to SQL: the branches into rows, the rows into an answer."""

from __future__ import annotations

from dataclasses import replace

from recollect.kernel.plan import ir
from recollect.kernel.plan.determined import classes, values_read
from recollect.kernel.plan.statistics import Statistics
from recollect.kernel.sql import nodes
from recollect.kernel.sql.bindings import JsonValue, ReadFrom
from recollect.kernel.sql.clock import Clock
from recollect.kernel.sql.dialect import Dialect
from recollect.kernel.sql.folds import Folds
from recollect.kernel.sql.output import Compiled, Output, Paging
from recollect.kernel.sql.paging import Keyed
from recollect.kernel.sql.reads import value_of
from recollect.kernel.sql.rows import Context, Rows
from recollect.kernel.sql.size import fits
from recollect.kernel.sql.solutions import Solutions
from recollect.kernel.sql.steps import run_steps
from recollect.kernel.sql.united import United

_BRANCH = "branch"


def compile_plan(
    plan: ir.Plan,
    statistics: Statistics,
    clock: Clock,
    dialect: Dialect,
    paging: Paging | None = None,
) -> Compiled:
    """Return the SQL of a plan. Pure: the same arguments give the same text."""
    context = Context(clock, statistics)
    statement, outputs, page = _answer(plan, context, paging)
    text = statement.sql(dialect)
    if not fits(statement, text):
        context = Context(clock, statistics, is_row_by_row=True)
        statement, outputs, page = _answer(plan, context, paging)
        text = statement.sql(dialect)
    return Compiled(
        text,
        dict(context.terms),
        frozenset(context.predicates),
        outputs,
        plan.names,
        frozenset(var.name for branch in plan.branches for var in values_read(branch)),
        page.places,
        page.layout,
        all(isinstance(column, ir.Fold) for column in plan.columns),
    )


def _answer(
    plan: ir.Plan, context: Context, paging: Paging | None
) -> tuple[nodes.Statement, tuple[Output, ...], Keyed]:
    """Return the statement of a plan, what its columns show, and the keys of its pages."""
    branches = [run_steps(Rows(context), branch.steps) for branch in plan.branches]
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
    return nodes.Statement(query, context.ctes), outputs, page


def _taken_once(rows: Rows, branch: ir.Branch) -> Rows:
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
    return Rows(rows.context, [nodes.From(taken, name)], [], bindings)


def _united(plan: ir.Plan, context: Context, branches: list[Rows]) -> Solutions:
    """Put the branches of a UNION beside each other in one CTE."""
    united = United(branches, [branch.exports for branch in plan.branches])
    name = context.fresh("u")
    bindings = {var: united.binding(at, name) for at, var in enumerate(plan.variables)}
    selects = tuple(
        rows.select((nodes.Number(number), _BRANCH), *columns)
        for number, (rows, columns) in enumerate(zip(branches, united.columns(), strict=True))
    )
    context.ctes.append(nodes.Cte(name, nodes.Compound(selects, is_all=True)))
    rows = Rows(context, [nodes.From(name, name)], [], bindings)
    return Solutions(plan, rows, None, nodes.Column(name, _BRANCH))
