"""The rewrite that looks once for what no column shows and nothing shown is joined to.

The rule: such a part of a branch multiplies its solutions, each row being one of them only by what
it shows; so that the part has any solution is all that is asked. Its variables are null from then
on. Where solutions are counted, nothing is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir

_TELLS_NO_TIMES = (ast.Function.MIN, ast.Function.MAX)


def look_once(plan: ir.Plan) -> ir.Plan:
    """Return a plan as it was lowered with tests in the place of what it does not show."""
    columns = [*plan.columns, *[one.key for one in plan.order_by]]
    if any(_counts(one) for one in columns):
        return plan
    shown = {one.variable for one in columns}
    branches = []
    for branch in plan.branches:
        wanted = {var for at, var in enumerate(branch.exports) if at in shown}
        branches.append(_looking_once(branch, wanted))
    return replace(plan, branches=tuple(branches))


def _counts(column: ir.Column) -> bool:
    """Whether a column says how many solutions there are."""
    return isinstance(column, ir.Fold) and not (
        column.is_distinct or column.function in _TELLS_NO_TIMES
    )


def _looking_once(branch: ir.Branch, wanted: Set[ir.Var]) -> ir.Branch:
    """Return a branch of which only the wanted variables, some bound outside, say anything."""
    root = _joined(branch.steps)
    kept = {root[var] for var in wanted if var in root}
    apart: dict[ir.Var, list[ir.Step]] = {}
    steps: list[ir.Step] = []
    for step in branch.steps:
        var = next(iter(_variables(step)), None)
        if var is None or root[var] in kept:
            steps.append(_inside(step, branch, wanted))
        else:
            apart.setdefault(root[var], []).append(step)
    for part in apart.values():
        if any(isinstance(one, (*ir.ATOMS, ir.Extend)) for one in part):
            inner = ir.Branch(tuple([_inside(one, branch, wanted) for one in part]))
            bound = {var for one in part for var in one.binds()}
            steps.append(ir.Require((inner,)))
            steps += [ir.BindNull(var) for var in dict.fromkeys(branch.exports) if var in bound]
        else:
            steps += part
    return ir.Branch(tuple(steps), branch.exports)


def _inside(step: ir.Step, around: ir.Branch, wanted: Set[ir.Var]) -> ir.Step:
    """Return a step with its own branches rewritten, for what the rest of its branch reads."""
    if isinstance(step, ir.Exclude):
        shared = set(step.shared)
        return replace(step, branches=tuple([_looking_once(one, shared) for one in step.branches]))
    if not isinstance(step, ir.Extend):
        return step
    read = {var for one in around.steps if one is not step for var in _variables(one)}
    inner = []
    for branch in step.branches:
        pairs = zip(step.outputs, branch.exports, strict=True)
        needed = {export for output, export in pairs if output in read or output in wanted}
        inner.append(_looking_once(branch, needed.union(step.shared)))
    return replace(step, branches=tuple(inner))


def _variables(step: ir.Step) -> list[ir.Var]:
    """Return what a step reads and binds."""
    read = step.ends() if isinstance(step, ir.ATOMS) else step.needs()
    return [*read, *step.binds()]


def _joined(steps: Iterable[ir.Step]) -> dict[ir.Var, ir.Var]:
    """Return one variable for each that steps join it to, the same for all of them."""
    above: dict[ir.Var, ir.Var] = {}

    def root(var: ir.Var) -> ir.Var:
        while (over := above.setdefault(var, var)) is not var:
            var = over
        return var

    for step in steps:
        variables = _variables(step)
        for var in variables:
            above[root(var)] = root(variables[0])
    return {var: root(var) for var in list(above)}
