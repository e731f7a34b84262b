"""Shape to plan: resolve names, lower, then apply the rewrites in their order.

With them two rewrites. One looks concepts up by a list of names, where all of a type would be
tested: FILTER(IN(?x.name, [...])) over strings says which names a concept of its own branch may
have, and nothing else, so the pattern of the concept takes the list, and the FILTER goes. The other
gives steps their order, anchors first, then outward from bound ends: a pure function of the plan
and of coarse counts. Patterns, reads and tests commute, since every variable is bound by exactly
one step of its branch or checked for equality, so they may run as soon as what they read is bound.
OPTIONAL runs when nothing cheaper is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from operator import is_
from typing import assert_never

from recollect.errors import INVALID_SYNTAX
from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import class_of
from recollect.kernel.plan.determined import Statistics, look_once
from recollect.kernel.plan.lower import Lowering
from recollect.kernel.plan.scope import TargetNames, not_bound, resolve_kinds
from recollect.node import dataclass, replace

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
        and one.part in (ir.ElementPart.NAMED, ir.ElementPart.FIELDS)
    }
    for at, one in enumerate(steps):
        if isinstance(one, ir.MatchConcept) and one.var in targets:
            return at if one.name is None and one.id is None and one.names is None else None
    return None


def plan_find(find: ast.Find, statistics: Statistics) -> ir.Plan:
    """Return the plan of a FIND whose WHERE has been lifted, its steps in running order.

    Raises KIP_3001 for a variable nothing binds, KIP_1001 for one of two kinds.
    """
    return _ordered(look_up_listed(look_once(plan_as_written(find))), statistics)


def plan_solutions(find: ast.Find, statistics: Statistics) -> ir.Plan:
    """Return a plan that gives every solution of a FIND with all its variables, shown or not."""
    return _ordered(look_up_listed(plan_as_written(find)), statistics)


def _ordered(plan: ir.Plan, statistics: Statistics) -> ir.Plan:
    branches = tuple([order_branch(one, statistics) for one in plan.branches])
    return replace(plan, branches=branches)


def plan_as_written(find: ast.Find) -> ir.Plan:
    """Return the plan of a FIND before any rewrite: its steps stand as in the text."""
    where = TargetNames().name_targets(find.where)
    kinds = resolve_kinds(where)
    branches = Lowering(kinds).lower(where, kinds, tuple(_fields(find)))
    variables = branches[0].exports
    _refuse_equal_names(find)
    places = {var.name: at for at, var in enumerate(variables)}
    columns = _Columns(places, variables, where)
    return ir.Plan(
        branches=tuple(branches),
        variables=variables,
        columns=tuple([columns.column(one) for one in find.columns]),
        names=tuple([one.name for one in find.columns]),
        order_by=columns.sorts(find),
        is_grouped=_is_grouped(find),
    )


def _fields(find: ast.Find) -> Iterable[ast.Field]:
    """Return the fields that FIND and ORDER BY name, each once."""
    named = [*find.columns, *[sort.key for sort in find.order_by]]
    read = [one.variable if isinstance(one, ast.Aggregate) else one for one in named]
    return dict.fromkeys([one for one in read if isinstance(one, ast.Field)])


def _refuse_equal_names(find: ast.Find) -> None:
    """Refuse two columns of one name, one of which no caller could reach: KIP_1001."""
    seen: dict[str, ast.Variable | ast.Field | ast.Aggregate] = {}
    for column in find.columns:
        if (first := seen.setdefault(column.name, column)) is column:
            continue
        is_repeated = not isinstance(column, ast.Aggregate) and first == column
        raise INVALID_SYNTAX.error(
            f"two columns of FIND are named {column.name}",
            f"write ?{column.name} once"
            if is_repeated
            else f"write AS ?{column.name}_2 for one of them",
            span=column.span,
        )


def _is_grouped(find: ast.Find) -> bool:
    return any(isinstance(one, ast.Aggregate) for one in find.columns)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Resolves what FIND and ORDER BY name to positions among the solution variables."""

    places: Mapping[str, int]
    variables: Sequence[ir.Var]
    where: Sequence[ast.Clause]

    def column(self, column: ast.Variable | ast.Field | ast.Aggregate) -> ir.Column:
        if isinstance(column, ast.Aggregate):
            return ir.Fold(column.function, self._place(column.variable), column.distinct)
        return ir.Plain(self._place(column))

    def sorts(self, find: ast.Find) -> tuple[ir.Sort, ...]:
        aliases = {one.name: one for one in find.columns if isinstance(one, ast.Aggregate)}
        keys = {one.name for one in find.columns if not isinstance(one, ast.Aggregate)}
        sorts = []
        for sort in find.order_by:
            key = sort.key
            if isinstance(key, ast.Variable):
                key = aliases.get(key.name, key)
            if isinstance(key, ast.Aggregate) and not aliases:
                raise INVALID_SYNTAX.error(
                    "ORDER BY has an aggregate and FIND has none",
                    "put the aggregate in FIND as well",
                    span=key.span,
                )
            if not isinstance(key, ast.Aggregate) and aliases and key.name not in keys:
                raise not_bound(key, [*keys, *aliases])
            sorts.append(ir.Sort(self.column(key), sort.descending))
        return tuple(sorts)

    def _place(self, variable: ast.Variable | ast.Field) -> int:
        if variable.name not in self.places:
            raise not_bound(variable, self.places, self.where)
        return self.places[variable.name]


def select_target(
    where: Iterable[ast.Clause], target: ast.Variable | None, *, links_only: bool
) -> ast.Find:
    """Return the FIND of the elements a DELETE means.

    The target is the one that is named, else the only clause of the WHERE that matches an
    element, else the only one with a variable. Raises KIP_1001 when that is not one.
    """
    clauses = TargetNames().name_targets(tuple(where))
    if target is None:
        clauses, target = _only_target(clauses, links_only=links_only)
    return ast.Find((target,), clauses)


def _only_target(
    clauses: tuple[ast.Clause, ...], *, links_only: bool
) -> tuple[tuple[ast.Clause, ...], ast.Variable]:
    wanted = ast.LinkClause if links_only else ast.ConceptClause | ast.LinkClause
    found = [at for at, clause in enumerate(clauses) if isinstance(clause, wanted)]
    if len(found) > 1:
        named = [at for at in found if _is_named(clauses[at])]
        found = named if len(named) == 1 else found
    if len(found) != 1:
        what = "link clause" if links_only else "concept or link clause"
        raise INVALID_SYNTAX.error(
            f"the WHERE of a DELETE has {len(found)} candidates for what to delete from",
            f"name one {what}, or write FROM ?x",
            span=clauses[found[1]].span if found else (clauses[0].span if clauses else None),
        )
    clause = clauses[found[0]]
    variable = _variable(clause)
    if variable is not None:
        return clauses, variable
    variable = ast.Variable("#target", span=clause.span)
    assert isinstance(clause, ast.ConceptClause | ast.LinkClause)
    if isinstance(clause, ast.ConceptClause):
        named_clause: ast.Clause = ast.ConceptClause(variable, clause.pattern, span=clause.span)
    else:
        named_clause = ast.LinkClause(variable, clause.pattern, span=clause.span)
    at = found[0]
    return (*clauses[:at], named_clause, *clauses[at + 1 :]), variable


def _variable(clause: ast.Clause) -> ast.Variable | None:
    assert isinstance(clause, ast.ConceptClause | ast.LinkClause)
    return clause.variable


def _is_named(clause: ast.Clause) -> bool:
    """Whether the text names the element; what stands in place in ATTR or META it does not."""
    variable = _variable(clause)
    return variable is not None and not variable.name.startswith("#")
