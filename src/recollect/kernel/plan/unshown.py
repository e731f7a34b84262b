"""The rewrite that looks once for what no column shows and nothing shown is joined to.

The rule: such a part of a branch multiplies its solutions, each row being one of them only by what
it shows; so that the part has any solution is all that is asked. Its variables are null from then
on. Where solutions are counted, nothing is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import compress
from operator import is_

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir

_TELLS_NO_TIMES = (ast.Function.MIN, ast.Function.MAX)


def look_once(plan: ir.Plan) -> ir.Plan:
    """Return a plan as it was lowered with tests in the place of what it does not show."""
    columns = [*plan.columns, *[one.key for one in plan.order_by]]
    if any(map(_counts, columns)):
        return plan
    shown = {one.variable for one in columns}
    branches = tuple(
        [_looking_once(branch, {branch.exports[at] for at in shown}) for branch in plan.branches]
    )
    return plan if all(map(is_, branches, plan.branches)) else replace(plan, branches=branches)


def _counts(column: ir.Column) -> bool:
    """Whether a column says how many solutions there are."""
    return isinstance(column, ir.Fold) and not (
        column.is_distinct or column.function in _TELLS_NO_TIMES
    )


def _looking_once(branch: ir.Branch, wanted: Set[ir.Var]) -> ir.Branch:
    """Return a branch of which only the wanted variables, some bound outside, say anything.

    It is the same one where nothing in it is apart from them.
    """
    joined, apart = _reached(branch.steps, wanted)
    steps = [_inside(one, branch, wanted) for one in joined]
    for part in _parts(apart):
        if any(isinstance(one, (*ir.ATOMS, ir.Extend)) for one in part):
            inner = ir.Branch(tuple([_inside(one, branch, wanted) for one in part]))
            bound = {var for one in part for var in one.binds()}
            steps.append(ir.Require((inner,)))
            steps += [ir.BindNull(var) for var in dict.fromkeys(branch.exports) if var in bound]
        else:
            steps += part
    if len(steps) == len(branch.steps) and all(map(is_, steps, branch.steps)):
        return branch
    return ir.Branch(tuple(steps), branch.exports)


def _inside(step: ir.Step, around: ir.Branch, wanted: Set[ir.Var]) -> ir.Step:
    """Return a step with its own branches rewritten, for what the rest of its branch reads."""
    if isinstance(step, ir.Exclude):
        shared = set(step.shared)
        blocks = tuple([_looking_once(one, shared) for one in step.branches])
    elif isinstance(step, ir.Extend):
        read = {var for one in around.steps if one is not step for var in _variables(one)}
        needed = [output in read or output in wanted for output in step.outputs]
        blocks = tuple(
            [
                _looking_once(one, {*step.shared, *compress(one.exports, needed)})
                for one in step.branches
            ]
        )
    else:
        return step
    return step if all(map(is_, blocks, step.branches)) else replace(step, branches=blocks)


def _variables(step: ir.Step) -> Sequence[ir.Var]:
    """Return what a step reads and binds."""
    return step.binds() if isinstance(step, ir.ATOMS) else (*step.needs(), *step.binds())


def _reached(
    steps: Iterable[ir.Step], wanted: Iterable[ir.Var]
) -> tuple[list[ir.Step], list[ir.Step]]:
    """Return the steps that some variables are joined to, however far, in order; and the others.

    A step without a variable is one of the first, and so is a null by itself.
    """
    known = set(wanted)
    named = [(step, _variables(step)) for step in steps]
    apart: list[tuple[ir.Step, Sequence[ir.Var]]] = named
    before = -1
    while apart and len(apart) != before:
        before, left = len(apart), []
        for one in apart:
            step, variables = one
            if not variables or isinstance(step, ir.BindNull) or not known.isdisjoint(variables):
                known.update(variables)
            else:
                left.append(one)
        apart = left
    if not apart:
        return [step for step, _ in named], []
    others = [step for step, _ in apart]
    return [step for step, _ in named if not any(step is one for one in others)], others


def _parts(steps: list[ir.Step]) -> Iterator[list[ir.Step]]:
    """Yield the steps in parts that share no variable."""
    while steps:
        part, steps = _reached(steps, _variables(steps[0]))
        yield part
