"""Shape to plan: resolve names, lower, then apply the rewrites in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.errors import INVALID_SYNTAX, RecollectError
from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.determined import look_once
from recollect.kernel.plan.listed import look_up_listed
from recollect.kernel.plan.lower import Lowering
from recollect.kernel.plan.order import order_branch
from recollect.kernel.plan.scope import TargetNames, not_bound, resolve_kinds
from recollect.kernel.plan.statistics import Statistics
from recollect.node import dataclass, replace


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
        raise RecollectError(
            INVALID_SYNTAX,
            f"two columns of FIND are named {column.name}",
            hint=(
                f"write ?{column.name} once"
                if is_repeated
                else f"write AS ?{column.name}_2 for one of them"
            ),
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
                raise RecollectError(
                    INVALID_SYNTAX,
                    "ORDER BY has an aggregate and FIND has none",
                    hint="put the aggregate in FIND as well",
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
        raise RecollectError(
            INVALID_SYNTAX,
            f"the WHERE of a DELETE has {len(found)} candidates for what to delete from",
            hint=f"name one {what}, or write FROM ?x",
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
