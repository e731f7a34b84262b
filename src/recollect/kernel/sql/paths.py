"""Paths: pairs joined by a walk of an allowed length, as one recursion from the bound end.

The recursion is keyed on (start, node, depth), so a cycle ends; with no upper bound the depth
stops at the lower one, and so it does where the upper bound is beyond every walk that could lead
somewhere new. The group stands twice in the recursive step, once for each alias.
KIP 1.0-draft3, "path operators"; walk semantics as docs/kip/decisions.md settles them.
"""

from __future__ import annotations

from recollect.kernel.plan import ir
from recollect.kernel.sql import nodes
from recollect.kernel.sql.rows import (
    GROUP,
    LAST_ID,
    BoundElement,
    CompileContext,
    HeldValue,
    JoinedTables,
    PredicateName,
    of_group,
)
from recollect.model import ElementKind

_FAR = 64  # lengths between the bounds of a path for which it is worth asking whether they are all


def join_path(rows: JoinedTables, step: ir.MatchPath) -> JoinedTables:
    """Return the rows joined with the pairs of the path."""
    is_forward = step.subject in rows.bindings
    is_bound = is_forward or step.object in rows.bindings
    first, last = (step.subject, step.object)
    if is_bound and not is_forward:
        first, last = last, first
    seed: nodes.Select | None = None
    near, far = _kinds(rows, step, first, is_forward=is_forward or not is_bound)
    if is_bound and len(step.steps) == 1 and _holds_only(rows, first):
        seed = _starts(rows, first)
        rows = JoinedTables(rows.context, bindings=dict(rows.bindings))
        del rows.bindings[first]
    elif is_bound and rows.context.is_row_by_row:
        _walk_each(rows, step, far, is_forward=is_forward)
        return rows
    elif is_bound:
        rows, stage = rows.on_stage((first,))
        start = stage.bindings[first]
        assert isinstance(start, BoundElement)
        table = nodes.From(stage.name, stage.name)
        seed = nodes.Select(((start.id, "node"),), (table,), is_distinct=True)
    pairs = _pairs(rows, step, seed, is_forward=is_forward or not is_bound)
    alias = rows.join(pairs, "p")
    rows.bind_element(first, BoundElement(nodes.Column(alias, "start"), near))
    rows.bind_element(last, BoundElement(nodes.Column(alias, "node"), far))
    return rows


def _walk_each(
    rows: JoinedTables, step: ir.MatchPath, far: ElementKind | None, *, is_forward: bool
) -> None:
    """Join the ends of the walks from each row's own start."""
    first, last = (step.subject, step.object) if is_forward else (step.object, step.subject)
    context = rows.context.nested()
    start = rows.element(first).id
    seed = nodes.Select(((start, "node"),))
    pairs = _pairs(JoinedTables(context), step, seed, is_forward=is_forward)
    node = nodes.Column(pairs, "node")
    ends = nodes.Select(
        ((nodes.SqlCall("array", (nodes.FoldOf("json_group_array", node),)), ""),),
        (nodes.From(pairs, pairs),),
        (nodes.equal(nodes.Column(pairs, "start"), start),),
    )
    each = nodes.SqlCall("each", (nodes.Scalar(nodes.SqlStatement(ends, context.ctes)),))
    alias = rows.join(each, "p")
    rows.bind_element(last, BoundElement(nodes.Column(alias, "value"), far))


def _holds_only(rows: JoinedTables, first: ir.Var) -> bool:
    """Whether the rows say nothing but where a path starts, so that it may begin with them."""
    return all(
        var == first
        or not isinstance(binding, BoundElement | PredicateName | HeldValue)
        or (isinstance(binding, BoundElement) and isinstance(binding.id, nodes.Null))
        for var, binding in rows.bindings.items()
    )


def _starts(rows: JoinedTables, first: ir.Var) -> nodes.Select:
    start = rows.element(first)
    if start.is_nullable:
        rows.where.append(nodes.IsNull(start.id, is_negated=True))
    return rows.select((start.id, "node"))


def _kinds(
    rows: JoinedTables, step: ir.MatchPath, first: ir.Var, *, is_forward: bool
) -> tuple[ElementKind | None, ElementKind | None]:
    """Return what stands where a path starts and where it ends, as far as that is known."""
    predicates = tuple(one.predicate for one in step.steps)
    near, far = rows.context.subject_kind(predicates), rows.context.object_kind(predicates)
    if not is_forward:
        near, far = far, near
    if first in rows.bindings:
        near = rows.element(first).kind
    if any(one.minimum == 0 for one in step.steps):  # a start can be its own end
        near = near if first in rows.bindings else None
        far = far if near is ElementKind.CONCEPT else None
    return near, far


def _pairs(
    rows: JoinedTables, step: ir.MatchPath, seed: nodes.Select | None, *, is_forward: bool
) -> str:
    selects = []
    for one in step.steps:
        walk = _walk(rows, one, seed, is_forward=is_forward)
        start, node = nodes.Column(walk, "start"), nodes.Column(walk, "node")
        is_long = nodes.Binary(">=", nodes.Column(walk, "depth"), nodes.Number(one.minimum))
        selects.append(
            nodes.Select(
                ((start, "start"), (node, "node")),
                (nodes.From(walk, walk),),
                (nodes.equal(nodes.Column(walk, "group_id"), GROUP), is_long),
                is_distinct=len(step.steps) == 1,
            )
        )
    return rows.context.with_query("pairs", nodes.Compound(tuple(selects), is_all=False))


def _walk(
    rows: JoinedTables, step: ir.PathStep, seed: nodes.Select | None, *, is_forward: bool
) -> str:
    """Add the recursion of one alternative and return its CTE's name."""
    context = rows.context
    name = context.fresh("walk")
    near, far = ("subject", "object") if is_forward else ("object", "subject")
    base_source = seed or _all_starts(rows, step)
    node = nodes.Column("seed", "node")
    base = nodes.Select(
        ((GROUP, ""), (node, ""), (node, ""), (nodes.Number(0), "")),
        (nodes.From(base_source, "seed"),),
    )
    link = context.fresh("l")
    depth: nodes.Expr = nodes.Binary("+", nodes.Column(name, "depth"), nodes.Number(1))
    where = [nodes.equal(nodes.Column(name, "group_id"), GROUP)]
    code = context.term(step.predicate, is_predicate=True)
    if (deepest := _deepest(context, step, code)) is not None:
        depth = nodes.SqlCall("least", (depth, deepest))
    if step.maximum is not None:
        limit = nodes.Number(step.maximum)
        where.append(nodes.Binary("<", nodes.Column(name, "depth"), limit))
    where += [
        nodes.equal(nodes.Column(link, "group_id"), nodes.Column(name, "group_id")),
        *context.clock.alive(link),
        nodes.equal(nodes.Column(link, "predicate"), code),
        nodes.equal(nodes.Column(link, near), nodes.Column(name, "node")),
    ]
    columns = (
        nodes.Column(name, "group_id"),
        nodes.Column(name, "start"),
        nodes.Column(link, far),
        depth,
    )
    recursion = nodes.Select(
        tuple([(one, "") for one in columns]),
        (nodes.From(name, name), nodes.From("link", link)),
        tuple(where),
    )
    query = nodes.Compound((base, recursion), is_all=False)
    context.ctes.append(nodes.Cte(name, query, ("group_id", "start", "node", "depth")))
    return name


def _deepest(context: CompileContext, step: ir.PathStep, code: nodes.Expr) -> nodes.Expr | None:
    """Return the depth from which on walks are told apart no more; None where all depths count.

    After the least number of links, the shortest way on to anywhere goes over no link twice. So a
    path with room for all links of its predicate is one without an upper bound. Of now they are
    counted; of the past there were at most half as many as ids.
    """
    if step.maximum is None:
        return nodes.Number(step.minimum)
    room = step.maximum - step.minimum
    if room < _FAR:
        return None
    if context.clock.has_known:
        is_all = nodes.Binary("<", LAST_ID, nodes.Number(2 * room))
    elif context.statistics.is_certain:
        tally = context.fresh("a")
        kind, term = nodes.Column(tally, "kind"), nodes.Column(tally, "term")
        count = nodes.Select(
            ((nodes.Column(tally, "count"), ""),),
            (nodes.From("tally", tally),),
            (of_group(tally), nodes.equal(kind, nodes.Bareword("link")), nodes.equal(term, code)),
        )
        is_all = nodes.Binary("<=", nodes.Scalar(count), nodes.Number(room))
    else:  # what a write has not committed is not counted
        return None
    return nodes.Case(((is_all, nodes.Number(step.minimum)),), nodes.Number(step.maximum))


def _all_starts(rows: JoinedTables, step: ir.PathStep) -> nodes.Query:
    """Return where a path with two free ends may start: everywhere, if its length may be 0.

    A walk of no link asks nothing of its element, so neither does it ask whether it is true.
    """
    context = rows.context
    if step.minimum > 0:
        link = context.fresh("l")
        code = context.term(step.predicate, is_predicate=True)
        is_it = nodes.equal(nodes.Column(link, "predicate"), code)
        return nodes.Select(
            ((nodes.Column(link, "subject"), "node"),),
            (nodes.From("link", link),),
            (*context.clock.alive(link), is_it),
            is_distinct=True,
        )
    selects = []
    for table in ("concept", "link"):
        alias = context.fresh(table[0])
        selects.append(
            nodes.Select(
                ((nodes.Column(alias, "id"), "node"),),
                (nodes.From(table, alias),),
                context.clock.held(alias),
            )
        )
    return nodes.Compound(tuple(selects), is_all=True)
