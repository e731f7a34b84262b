"""The rewrite that gives steps their order: anchors first, then outward from bound ends.

A pure function of the plan and of coarse counts. Patterns, reads and tests commute, since
every variable is bound by exactly one step of its branch or checked for equality, so they may
run as soon as what they read is bound. OPTIONAL runs when nothing cheaper is left.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import assert_never

from recollect.kernel.plan import ir
from recollect.kernel.plan.statistics import Statistics

_DEGREE = 8.0  # links guessed at one end of a bound element
_UNBOUND_PATH = 1e12
_ATOMS = (ir.MatchConcept, ir.MatchLink, ir.MatchLinkId, ir.MatchPath)  # faster than the union

Rest = ir.ReadValue | ir.BindNull | ir.Unify | ir.Filter | ir.Exclude | ir.Extend

Pattern = tuple[ir.Atom, Sequence[ir.Var], Sequence[ir.Var]]
"""An atom, the elements at its ends, and what it binds."""

Other = tuple[Rest, Sequence[ir.Var], Sequence[ir.Var]]
"""A step that matches nothing, what must be bound before it, and what it binds."""


def order_branch(
    branch: ir.Branch, statistics: Statistics, bound: Set[ir.Var] = frozenset()
) -> ir.Branch:
    """Return the branch with its steps, and those of its inner branches, in running order."""
    done = set(bound)
    patterns: list[Pattern] = []
    others: list[Other] = []
    owned: set[ir.Var] = set()  # what the others bind that have not run yet
    for step in branch.steps:
        bound_by_it = binds(step)
        if isinstance(step, _ATOMS):
            patterns.append((step, _ends(step), bound_by_it))
        else:
            others.append((step, _needs(step), bound_by_it))
            owned.update(bound_by_it)
    ordered: list[ir.Step] = []
    while patterns or others:
        step, _, bound_now = _take_next(patterns, others, done, owned, statistics)
        if not isinstance(step, _ATOMS):
            step = _order_inner(step, statistics, done)
            owned.difference_update(bound_now)
        ordered.append(step)
        done.update(bound_now)
    return ir.Branch(tuple(ordered), branch.exports)


def _order_inner(step: ir.Step, statistics: Statistics, bound: Set[ir.Var]) -> ir.Step:
    match step:
        case ir.Exclude():
            inner = tuple([order_branch(one, statistics, bound) for one in step.branches])
            return ir.Exclude(inner, step.shared)
        case ir.Extend():
            inner = tuple([order_branch(one, statistics, bound) for one in step.branches])
            return ir.Extend(inner, step.outputs, step.needs)
    return step


def _take_next(
    patterns: list[Pattern],
    others: list[Other],
    done: set[ir.Var],
    owned: set[ir.Var],
    statistics: Statistics,
) -> Pattern | Other:
    """Take a test or read that is ready, else the cheapest pattern, else the next OPTIONAL."""
    extension: int | None = None
    for at, (step, needed, _) in enumerate(others):
        if done.issuperset(needed):
            if not isinstance(step, ir.Extend):
                return others.pop(at)
            extension = at if extension is None else extension
    best: int | None = None
    lowest = 0.0
    for at, (atom, ends, _) in enumerate(patterns):
        if owned.isdisjoint(ends):
            cost = _cost(atom, done, statistics)
            if best is None or cost < lowest:
                best, lowest = at, cost
    is_scan = best is not None and done and done.isdisjoint(patterns[best][1]) and lowest > 1
    if extension is not None and (best is None or is_scan):
        return others.pop(extension)
    assert best is not None, "every step is bound by one before it"
    return patterns.pop(best)


def _ends(atom: ir.Atom) -> tuple[ir.Var, ...]:
    """Return the element variables an atom binds or checks."""
    match atom:
        case ir.MatchConcept() | ir.MatchLinkId():
            return (atom.var,)
        case ir.MatchLink():
            return (atom.var, atom.subject, atom.object)
        case ir.MatchPath():
            return (atom.subject, atom.object)
        case _:
            assert_never(atom)


def binds(step: ir.Step) -> tuple[ir.Var, ...]:
    """Return the variables that are bound once the step has run."""
    match step:
        case ir.MatchConcept() | ir.MatchLinkId() | ir.MatchPath():
            return _ends(step)
        case ir.MatchLink():
            return _ends(step) if step.predicate is None else (*_ends(step), step.predicate)
        case ir.ReadValue():
            return (step.value,)
        case ir.BindNull():
            return (step.var,)
        case ir.Extend():
            return step.outputs
        case ir.Unify() | ir.Filter() | ir.Exclude():
            return ()
        case _:
            assert_never(step)


def _needs(step: Rest) -> Sequence[ir.Var]:
    """Return the variables that must be bound before a step that matches nothing may run."""
    match step:
        case ir.ReadValue():
            return (step.target,)
        case ir.Unify():
            return (step.left, step.right)
        case ir.Filter():
            return [var for _, var in step.scope]
        case ir.Exclude():
            return step.shared
        case ir.Extend():
            return step.needs
        case ir.BindNull():
            return ()
        case _:
            assert_never(step)


def _cost(atom: ir.Atom, done: Set[ir.Var], statistics: Statistics) -> float:
    """Return about how many rows the atom makes of one, given what is bound."""
    match atom:
        case ir.MatchConcept():
            if atom.var in done:
                return 0.1
            if atom.id is not None or (atom.name is not None and atom.type is not None):
                return 0.5
            if atom.name is not None:
                return 0.9
            return 2.0 + statistics.type_count(atom.type)
        case ir.MatchLinkId():
            return 0.1 if atom.var in done else 0.5
        case ir.MatchLink():
            bound = (atom.subject in done) + (atom.object in done)
            if atom.var in done or bound == 2:
                return 0.2
            total = float(statistics.link_count(atom.predicates))
            if bound == 1:
                return 1.0 + min(_DEGREE + (atom.object in done), total)
            return 4.0 + total
        case ir.MatchPath():
            bound = (atom.subject in done) + (atom.object in done)
            if bound == 0:
                return _UNBOUND_PATH
            return 4 * _DEGREE if bound == 1 else 2 * _DEGREE
        case _:
            assert_never(atom)
