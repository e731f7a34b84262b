"""Shape to plan: resolve names, lower, then apply the rewrites in their order.

The rule: a rewrite changes what is done and never what is found, and follows from the plan alone,
coarse counts, and what these and a pattern determine. There are three.

One looks concepts up by a list of names, where all of a type would be tested: FILTER(IN(?x.name,
[...])) over strings says which names a concept of its own branch may have, and nothing else, so the
pattern of the concept takes the list, and the FILTER goes.

One looks once for what no column shows and nothing shown is joined to: such a part multiplies the
solutions of a branch, each row being one of them only by what it shows; so that it has any solution
is all that is asked. Its variables are null from then on. Where solutions are counted, nothing is
rewritten.

One gives steps their order, anchors first, then outward from bound ends. Patterns, reads and tests
commute, since every variable is bound by exactly one step of its branch or checked for equality, so
they may run as soon as what they read is bound. OPTIONAL runs when nothing cheaper is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import compress
from operator import is_
from typing import assert_never

from recollect.errors import INVALID_SYNTAX
from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import class_of
from recollect.kernel.plan.ir import Lowering, Statistics
from recollect.kernel.plan.scope import TargetNames, not_bound, resolve_kinds
from recollect.node import dataclass, replace

_SILENT = (ir.Filter, ir.Exclude, ir.Require, ir.MatchPath)  # from these nothing follows


def all_steps(branch: ir.Branch) -> Iterator[ir.Step]:
    """Yield the steps of a branch and of the OPTIONAL blocks in it, not of its NOTs."""
    for step in branch.steps:
        yield step
        if isinstance(step, ir.Extend):
            for inner in step.branches:
                yield from all_steps(inner)


def values_read(branch: ir.Branch) -> Iterator[ir.Var]:
    """Yield the variables that a branch reads from elements, in every block of it."""
    for step in branch.steps:
        if isinstance(step, ir.ReadValue):
            yield step.value
        elif isinstance(step, ir.BLOCKS):
            for inner in step.branches:
                yield from values_read(inner)


def owners(branch: ir.Branch) -> dict[ir.Var, ir.Var]:
    """Return value variable -> the element variable it is read from.

    What OPTIONAL reads from an element of the rows before has no owner here: where the block
    finds nothing the value is null, and nulls of different elements are one.
    """
    found: dict[ir.Var, ir.Var] = {}
    for step in all_steps(branch):
        if isinstance(step, ir.ReadValue):
            found[step.value] = step.target
    for step in all_steps(branch):
        if isinstance(step, ir.Extend) and len(step.branches) == 1:
            for output, export in zip(step.outputs, step.branches[0].exports, strict=True):
                if export in found and found[export] not in step.shared:
                    found[output] = found[export]
    return found


def determined(
    branch: ir.Branch, keys: Iterable[ir.Var], statistics: Statistics
) -> frozenset[ir.Var]:
    """Return the variables whose values follow from those of `keys`: a least fixed point.

    What an OPTIONAL block says of the rows before it follows only where it finds something, so
    nothing outside is determined by what is inside.
    """
    known = set(keys)
    waiting = list(_telling(branch, frozenset()))
    before = -1
    while before != len(known):
        before = len(known)
        silent = []
        for step, outer in waiting:
            implied = _implied(step, known, statistics)
            known.update([var for var in implied if var not in outer] if outer else implied)
            if not implied or isinstance(step, ir.Extend):  # others tell all at once
                silent.append((step, outer))
        waiting = silent
    return frozenset(known)


def _telling(
    branch: ir.Branch, outer: frozenset[ir.Var]
) -> Iterator[tuple[ir.Step, frozenset[ir.Var]]]:
    """Yield the steps that determine something, each with the variables from outside its block."""
    for step in branch.steps:
        if not isinstance(step, _SILENT):
            yield step, outer
        if isinstance(step, ir.Extend):
            for inner in step.branches:
                yield from _telling(inner, outer.union(step.shared))


def _implied(step: ir.Step, known: set[ir.Var], statistics: Statistics) -> Iterable[ir.Var]:
    match step:
        case ir.MatchLink():
            return _implied_by_link(step, known, statistics)
        case ir.ReadValue():
            return (step.value,) if step.target in known else ()
        case ir.MatchConcept():
            is_anchored = step.id is not None or (step.type is not None and step.name is not None)
            return (step.var,) if is_anchored else ()
        case ir.MatchLinkId():
            return (step.var,)
        case ir.BindNull():
            return (step.var,)
        case ir.Unify() if step.left in known or step.right in known:
            return (step.left, step.right)
        case ir.Extend() if len(step.branches) == 1:
            return _implied_by_block(step, known)
    return ()


def _implied_by_block(step: ir.Extend, known: set[ir.Var]) -> list[ir.Var]:
    """Return what follows inside an OPTIONAL block from what it gives, and the other way round.

    What is the same wherever the block finds something is null elsewhere: it follows from what
    decides whether the block finds anything.
    """
    (branch,) = step.branches
    pairs = list(zip(step.outputs, branch.exports, strict=True))
    is_decided = known.issuperset(step.shared)
    if not is_decided:
        found = {var for one in branch.steps if isinstance(one, ir.ATOMS) for var in one.binds()}
        is_decided = any(output in known and export in found for output, export in pairs)
    implied = [export for output, export in pairs if output in known]
    if is_decided:
        implied += [output for output, export in pairs if export in known or export in implied]
    return implied


def _implied_by_link(
    step: ir.MatchLink, known: set[ir.Var], statistics: Statistics
) -> Iterable[ir.Var]:
    ends = (step.subject, step.object)
    predicate = () if step.predicate is None else (step.predicate,)
    if step.var in known:
        return (*ends, *predicate)
    is_one = len(step.predicates) == 1 or not known.isdisjoint(predicate)
    if is_one and known.issuperset(ends) and statistics.triples_are_single(step.predicates):
        return (step.var,)
    return ()


def is_unique(branch: ir.Branch, known: frozenset[ir.Var]) -> bool:
    """Whether a row of the branch is named by the known variables alone."""
    for step in all_steps(branch):
        match step:
            case ir.MatchConcept() | ir.MatchLink() | ir.MatchLinkId() if step.var not in known:
                return False
            case ir.MatchPath() if not known.issuperset((step.subject, step.object)):
                return False
            case ir.Extend() if len(step.branches) != 1:
                return False
    return True


def classes(branch: ir.Branch) -> dict[ir.Var, str]:
    """Return value variable -> the class its FILTERs leave: `number` or `string`, never null."""
    found: dict[ir.Var, str] = {}
    for step in branch.steps:
        if isinstance(step, ir.Filter):
            scope = dict(step.scope)
            found.update((scope[name], class_) for name, class_ in _tested(step.expression))
    return found


def _tested(expression: ast.Expression) -> Iterator[tuple[str, str]]:
    """Yield the variables that are compared with a constant wherever the expression is true."""
    if isinstance(expression, ast.And):
        for operand in expression.operands:
            yield from _tested(operand)
    elif isinstance(expression, ast.Compare) and expression.operator is not ast.Comparison.NE:
        for one, other in (
            (expression.left, expression.right),
            (expression.right, expression.left),
        ):
            if isinstance(one, ast.READS) and isinstance(other, ast.Parameter):
                class_ = class_of(other)
                if class_ in ("number", "string"):
                    yield one.name, class_


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
    steps = [_rewritten_inside(one, branch, wanted) for one in joined]
    for part in _parts(apart):
        if any(isinstance(one, (*ir.ATOMS, ir.Extend)) for one in part):
            inner = ir.Branch(tuple([_rewritten_inside(one, branch, wanted) for one in part]))
            bound = {var for one in part for var in one.binds()}
            steps.append(ir.Require((inner,)))
            steps += [ir.BindNull(var) for var in dict.fromkeys(branch.exports) if var in bound]
        else:
            steps += part
    if len(steps) == len(branch.steps) and all(map(is_, steps, branch.steps)):
        return branch
    return ir.Branch(tuple(steps), branch.exports)


def _rewritten_inside(step: ir.Step, around: ir.Branch, wanted: Set[ir.Var]) -> ir.Step:
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
        is_grouped=any(isinstance(one, ast.Aggregate) for one in find.columns),
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
            sorts.append(ir.Sort(self.column(key), sort.is_descending))
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
