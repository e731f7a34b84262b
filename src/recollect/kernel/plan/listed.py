"""The rewrite that looks concepts up by a list of names, where all of a type would be tested.

The rule: FILTER(IN(?x.name, [...])) over strings says which names a concept of its own branch may
have, and nothing else. So the pattern of the concept takes the list, and the FILTER goes.
"""

from __future__ import annotations

from dataclasses import replace
from operator import is_

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.lift import class_of


def look_up_listed(plan: ir.Plan) -> ir.Plan:
    """Return a plan in which lists of names are looked up; the same one where there are none."""
    branches = tuple([_listed(one) for one in plan.branches])
    return plan if all(map(is_, branches, plan.branches)) else replace(plan, branches=branches)


def _listed(branch: ir.Branch) -> ir.Branch:
    steps = [_inside(one) for one in branch.steps]
    for step in branch.steps:
        if isinstance(step, ir.Filter) and (names := _names(step)) is not None:
            value, parameter = names
            at = _place_of(steps, value)
            if at is not None:
                matched = steps[at]
                assert isinstance(matched, ir.MatchConcept)
                steps[at] = ir.MatchConcept(matched.var, matched.type, None, None, parameter)
                steps.remove(step)
    if len(steps) == len(branch.steps) and all(map(is_, steps, branch.steps)):
        return branch
    return ir.Branch(tuple(steps), branch.exports)


def _inside(step: ir.Step) -> ir.Step:
    match step:
        case ir.Exclude():
            return ir.Exclude(tuple([_listed(one) for one in step.branches]), step.shared)
        case ir.Extend():
            inner = tuple([_listed(one) for one in step.branches])
            return ir.Extend(inner, step.outputs, step.shared)
        case ir.Require():
            return ir.Require((_listed(step.branches[0]),))
        case _:
            return step


def _names(step: ir.Filter) -> tuple[ir.Var, str] | None:
    """Return what a FILTER tests, and the parameter with the strings it may be."""
    test = step.expression
    if not isinstance(test, ast.TestIn) or not isinstance(test.value, ast.READS):
        return None
    if not isinstance(test.choices, ast.ArrayValue) or len(test.choices.items) != 1:
        return None
    (choice,) = test.choices.items
    if not isinstance(choice, ast.Parameter) or class_of(choice) != "strings":
        return None
    return dict(step.scope)[test.value.name], choice.name


def _place_of(steps: list[ir.Step], value: ir.Var) -> int | None:
    """Return where the concept is matched whose name a variable is."""
    targets = {
        one.target
        for one in steps
        if isinstance(one, ir.ReadValue)
        and one.value is value
        and one.key == "name"
        and one.part in (ir.Part.NAMED, ir.Part.FIELDS)
    }
    for at, one in enumerate(steps):
        if isinstance(one, ir.MatchConcept) and one.var in targets:
            return at if one.name is None and one.id is None and one.names is None else None
    return None
