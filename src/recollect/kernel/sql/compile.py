"""Plan to SQL: the branches into rows, the rows into an answer."""

from __future__ import annotations

from recollect.kernel.plan import ir
from recollect.kernel.plan.determined import values_read
from recollect.kernel.plan.statistics import Statistics
from recollect.kernel.sql import nodes
from recollect.kernel.sql.bindings import Binding, Element, Held, json_of
from recollect.kernel.sql.clock import Clock
from recollect.kernel.sql.dialect import Dialect
from recollect.kernel.sql.folds import Folds
from recollect.kernel.sql.output import Compiled
from recollect.kernel.sql.reads import value_of
from recollect.kernel.sql.render import Renderer
from recollect.kernel.sql.rows import Context, Rows
from recollect.kernel.sql.solutions import Solutions
from recollect.kernel.sql.steps import owner_id, run_steps

_BRANCH = "branch"


def compile_plan(plan: ir.Plan, statistics: Statistics, clock: Clock, dialect: Dialect) -> Compiled:
    """Return the SQL of a plan. Pure: the same arguments give the same text."""
    context = Context(clock, statistics)
    branches = [run_steps(Rows(context), branch.steps) for branch in plan.branches]
    if len(branches) == 1:
        solutions = Solutions(plan, branches[0], plan.branches[0], None)
    else:
        solutions = _united(plan, context, branches)
    if plan.is_grouped:
        query, outputs = Folds(solutions).query()
    else:
        query, outputs = solutions.query()
    text = Renderer(dialect).statement(nodes.Statement(query, context.ctes))
    return Compiled(
        text,
        dict(context.terms),
        frozenset(context.predicates),
        outputs,
        plan.names,
        frozenset(var.name for branch in plan.branches for var in values_read(branch)),
    )


def _united(plan: ir.Plan, context: Context, branches: list[Rows]) -> Solutions:
    """Put the branches of a UNION beside each other in one CTE, values held as JSON text."""
    selects = []
    for number, (rows, branch) in enumerate(zip(branches, plan.branches, strict=True)):
        columns: list[tuple[nodes.Expr, str]] = [(nodes.Number(number), _BRANCH)]
        for at, var in enumerate(branch.exports):
            if var.is_element:
                columns.append((rows.element(var).id, f"v{at}"))
            else:
                value = value_of(rows, var)
                columns += [(json_of(value), f"v{at}"), (owner_id(rows, var), f"w{at}")]
        selects.append(rows.select(*columns))
    name = context.with_query("u", nodes.Compound(tuple(selects), is_all=True))
    bindings: dict[ir.Var, Binding] = {}
    for at, var in enumerate(plan.variables):
        column = nodes.Column(name, f"v{at}")
        if var.is_element:
            bindings[var] = Element(column, is_nullable=True)
        else:
            bindings[var] = Held(column, nodes.Column(name, f"w{at}"))
    rows = Rows(context, [nodes.From(name, name)], [], bindings)
    return Solutions(plan, rows, None, nodes.Column(name, _BRANCH))
