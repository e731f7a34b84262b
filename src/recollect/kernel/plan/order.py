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

Pattern = tuple[ir.Atom, Sequence[ir.Var]]
"""An atom, and the elements at its ends."""

Test = tuple[
    ir.ReadValue | ir.BindNull | ir.Unify | ir.Filter | ir.Exclude | ir.Require, Sequence[ir.Var]
]
"""A step that makes no more rows of one, and what must be bound before it."""


def order_branch(
    branch: ir.Branch, statistics: Statistics, bound: Set[ir.Var] = frozenset()
) -> ir.Branch:
    """Return the branch with its steps, and those of its inner branches, in running order."""
    done = set(bound)
    patterns: list[Pattern] = []
    tests: list[Test] = []
    extensions: list[ir.Extend] = []
    owned: set[ir.Var] = set()  # what other steps than patterns bind that have not run yet
    for step in branch.steps:
        if isinstance(step, ir.ATOMS):
            patterns.append((step, step.ends()))
            continue
        owned.update(step.binds())
        if isinstance(step, ir.Extend):
            extensions.append(step)
        else:
            tests.append((step, step.needs()))
    ordered: list[ir.Step] = []
    for _ in branch.steps:
        step = _take_ready(tests, done) or _take_cheapest(
            patterns, extensions, done, owned, statistics
        )
        bound_now = step.binds()
        owned.difference_update(bound_now)
        ordered.append(_order_inner(step, statistics, done))
        done.update(bound_now)
    return ir.Branch(tuple(ordered), branch.exports)


def _order_inner(step: ir.Step, statistics: Statistics, bound: Set[ir.Var]) -> ir.Step:
    if not isinstance(step, ir.BLOCKS):
        return step
    if isinstance(step, ir.Require):
        return ir.Require((order_branch(step.branches[0], statistics),))
    inner = tuple([order_branch(one, statistics, bound) for one in step.branches])
    if isinstance(step, ir.Exclude):
        return ir.Exclude(inner, step.shared)
    return ir.Extend(inner, step.outputs, step.shared)


def _take_ready(tests: list[Test], done: set[ir.Var]) -> ir.Step | None:
    """Take the first test or read that can run."""
    for at, (step, needed) in enumerate(tests):
        if done.issuperset(needed):
            del tests[at]
            return step
    return None


def _take_cheapest(
    patterns: list[Pattern],
    extensions: list[ir.Extend],
    done: set[ir.Var],
    owned: set[ir.Var],
    statistics: Statistics,
) -> ir.Step:
    """Take the cheapest pattern, or the next OPTIONAL where that pattern is a scan, or is none."""
    best: int | None = None
    lowest = 0.0
    for at, (atom, ends) in enumerate(patterns):
        if owned.isdisjoint(ends):
            cost = _cost(atom, done, statistics)
            if best is None or cost < lowest:
                best, lowest = at, cost
    is_scan = best is not None and done and done.isdisjoint(patterns[best][1]) and lowest > 1
    if best is None or is_scan:
        for at, extension in enumerate(extensions):
            if done.issuperset(extension.needs()):
                return extensions.pop(at)
    assert best is not None, "every step is bound by one before it"
    return patterns.pop(best)[0]


def _cost(atom: ir.Atom, done: Set[ir.Var], statistics: Statistics) -> float:
    """Return about how many rows the atom makes of one, given what is bound."""
    match atom:
        case ir.MatchLink():
            bound = (atom.subject in done) + (atom.object in done)
            if atom.var in done or bound == 2:
                return 0.2
            total = float(statistics.link_count(atom.predicates))
            if bound == 1:
                return 1.0 + min(_DEGREE + (atom.object in done), total)
            return 4.0 + total
        case ir.MatchConcept():
            if atom.var in done:
                return 0.1
            if atom.id is not None or (atom.name is not None and atom.type is not None):
                return 0.5
            if atom.name is not None:
                return 0.9
            if atom.names is not None:
                return 1.5
            return 2.0 + statistics.type_count(atom.type)
        case ir.MatchLinkId():
            return 0.1 if atom.var in done else 0.5
        case ir.MatchPath():
            bound = (atom.subject in done) + (atom.object in done)
            if bound == 0:
                return _UNBOUND_PATH
            return 4 * _DEGREE if bound == 1 else 2 * _DEGREE
        case _:
            assert_never(atom)
