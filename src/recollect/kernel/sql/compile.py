"""Plan to SQL: the steps of a branch into rows, the branches beside each other, into an answer.

Plain patterns, reads, tests and most NOTs and OPTIONALs stay in one flat SELECT. The others
start a new stage: the rows so far become a CTE whose rows are numbered, the block runs on that
CTE, and its rows are joined back by number. So no CTE is ever correlated.

The branches of a UNION stand beside each other: a value is carried as JSON text, beside the id of
the element it was read from; as a string where every branch has a string; and a column that says
the same in every branch stands once.

A CTE may be copied to each place that reads it, even where it runs only once, and there may be no
more of them once a statement has a thousand tables. So stages that stand on stages double. A
statement that would be too large for that (`nodes.fits`) is made anew, row by row: each block is a
subquery of its own that sees the row, CTEs and all, and gives a JSON array of what it finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from recollect.kernel.plan import ir
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.plan.pipeline import classes, values_read
from recollect.kernel.sql import nodes
from recollect.kernel.sql.filters import FilterCompiler, items_of, owner_id, value_of
from recollect.kernel.sql.folds import Folds
from recollect.kernel.sql.output import Compiled, Keyed, OutputColumn, Paging, Solutions
from recollect.kernel.sql.paths import join_path
from recollect.kernel.sql.rows import (
    Binding,
    BoundElement,
    Clock,
    CompileContext,
    HeldValue,
    JoinedTables,
    JsonValue,
    Nothing,
    PredicateName,
    ReadFrom,
    Stage,
    TextValue,
    are_same,
    bare,
    comparable,
    json_of,
    of_group,
    open_since,
    open_then,
)
from recollect.kernel.store.port import Dialect, JsonPart
from recollect.model import ElementKind

_BRANCH = "branch"


def compile_plan(
    plan: ir.Plan,
    statistics: Statistics,
    clock: Clock,
    dialect: Dialect,
    paging: Paging | None = None,
) -> Compiled:
    """Return the SQL of a plan. Pure: the same arguments give the same text."""
    context = CompileContext(clock, statistics, dialect)
    statement, outputs, page = _answer(plan, context, paging)
    text = statement.sql(dialect)
    if not nodes.fits(statement, text):
        context = CompileContext(clock, statistics, dialect, is_row_by_row=True)
        statement, outputs, page = _answer(plan, context, paging)
        text = statement.sql(dialect)
    return Compiled(
        text,
        dict(context.terms),
        frozenset(context.predicates),
        frozenset(context.patterns),
        outputs,
        plan.names,
        frozenset(var.name for branch in plan.branches for var in values_read(branch)),
        page.places,
        page.layout,
        all(isinstance(column, ir.Fold) for column in plan.columns),
    )


def _answer(
    plan: ir.Plan, context: CompileContext, paging: Paging | None
) -> tuple[nodes.SqlStatement, tuple[OutputColumn, ...], Keyed]:
    """Return the statement of a plan, what its columns show, and the keys of its pages."""
    branches = [_run_steps(JoinedTables(context), branch.steps) for branch in plan.branches]
    if len(branches) == 1:
        (branch,) = plan.branches
        rows = _taken_once(branches[0], branch) if plan.is_grouped else branches[0]
        solutions = Solutions(plan, rows, branch, None, classes(branch))
    else:
        solutions = _united(plan, context, branches)
    page = Keyed(())
    if plan.is_grouped:
        query, outputs = Folds(solutions).query()
    else:
        query, outputs, page = solutions.query(paging)
    return nodes.SqlStatement(query, context.ctes), outputs, page


def _taken_once(rows: JoinedTables, branch: ir.Branch) -> JoinedTables:
    """Return rows that hold their values, where each look into a document costs a look-up.

    As of the past a document may be another row's, and a group reads a value several times.
    """
    if not rows.context.clock.has_known:
        return rows
    rows.is_read_once = True
    reads = [var for var in branch.exports if isinstance(rows.bindings[var], ReadFrom)]
    if not any(isinstance(value_of(rows, var), JsonValue) for var in reads):
        return rows
    united = _United([rows], [branch.exports])
    name = rows.context.fresh("u")
    bindings = {var: united.binding(at, name) for at, var in enumerate(branch.exports)}
    (columns,) = united.columns()
    taken = replace(rows.select(*columns), is_apart=True)
    return JoinedTables(rows.context, [nodes.From(taken, name)], [], bindings)


def _united(plan: ir.Plan, context: CompileContext, branches: list[JoinedTables]) -> Solutions:
    """Put the branches of a UNION beside each other in one CTE."""
    united = _United(branches, [branch.exports for branch in plan.branches])
    name = context.fresh("u")
    bindings = {var: united.binding(at, name) for at, var in enumerate(plan.variables)}
    selects = tuple(
        rows.select((nodes.Number(number), _BRANCH), *columns)
        for number, (rows, columns) in enumerate(zip(branches, united.columns(), strict=True))
    )
    context.ctes.append(nodes.Cte(name, nodes.Compound(selects, is_all=True)))
    rows = JoinedTables(context, [nodes.From(name, name)], [], bindings)
    return Solutions(plan, rows, None, nodes.Column(name, _BRANCH))


_Across = tuple[nodes.Expr, ...]  # one expression a branch


class _United:
    """The columns of several branches, whose variables stand at the same places."""

    def __init__(
        self, branches: Sequence[JoinedTables], exports: Sequence[Sequence[ir.Var]]
    ) -> None:
        self._branches = branches
        self._variables = list(zip(*exports, strict=True))  # by place, one a branch
        self._names: dict[_Across, str] = {}

    def binding(self, place: int, table: str) -> Binding:
        """Add the columns of a variable, and return where it is found in `table`."""
        pairs = list(zip(self._branches, self._variables[place], strict=True))
        if self._variables[place][0].is_element:
            elements = [rows.element(var) for rows, var in pairs]
            kinds = {None if one.is_nullable else one.kind for one in elements}
            kind = kinds.pop() if len(kinds) == 1 else None
            column = self._column(tuple(one.id for one in elements), table)
            return BoundElement(column, kind, is_nullable=kind is None)
        values = [value_of(rows, var) for rows, var in pairs]
        texts = tuple(one.expr for one in values if isinstance(one, TextValue))
        is_text = len(texts) == len(values)
        shown = texts if is_text else tuple(json_of(one) for one in values)
        owner = self._column(tuple(owner_id(rows, var) for rows, var in pairs), table)
        is_of_owner = _is_of_owner([rows.bindings[var] for rows, var in pairs])
        return HeldValue(self._column(shown, table), owner, is_text, is_of_owner)

    def columns(self) -> list[list[tuple[nodes.Expr, str]]]:
        """Return the columns of each branch."""
        return [
            [(across[at], name) for across, name in self._names.items()]
            for at in range(len(self._branches))
        ]

    def _column(self, across: _Across, table: str) -> nodes.Expr:
        return nodes.Column(table, self._names.setdefault(across, f"v{len(self._names)}"))


def _is_of_owner(bindings: Sequence[Binding]) -> bool:
    """Whether every branch reads the same of the element that a value comes from."""
    reads = {
        (one.part, one.key) if isinstance(one, ReadFrom) else None
        for one in bindings
        if not isinstance(one, Nothing)
    }
    return len(reads) == 1 and None not in reads


# How steps become SQL. Rows are a SELECT under construction: tables, conditions, and for every
# variable where it is found. A pattern adds a table and the conditions that tie it to what is
# bound; a read adds nothing until its value is wanted; a test adds a condition. A NOT of plain
# patterns is a NOT EXISTS in the same SELECT, and an OPTIONAL of one link a LEFT JOIN. Any other
# block starts a stage: the SELECT so far becomes a CTE with numbered rows, the block runs on that
# CTE as on a table, and what it finds is joined back by the number.
def _run_steps(rows: JoinedTables, steps: tuple[ir.Step, ...]) -> JoinedTables:
    """Return the rows after all the steps; the rows given may have become a CTE."""
    for step in steps:
        rows = _run(rows, step)
    return rows


def _run(rows: JoinedTables, step: ir.Step) -> JoinedTables:
    match step:
        case ir.MatchConcept():
            _match_concept(rows, step)
        case ir.MatchLink():
            _match_link(rows, step)
        case ir.ReadValue():
            rows.bindings[step.value] = ReadFrom(step.target, step.part, step.key)
        case ir.Filter():
            rows.where.append(FilterCompiler(rows, dict(step.scope)).compile(step.expression))
        case ir.Extend():
            return _extend(rows, step)
        case ir.Exclude():
            return _exclude(rows, step)
        case ir.MatchPath():
            return join_path(rows, step)
        case ir.Require():
            _require(rows, step)
        case ir.MatchLinkId():
            _match_link_id(rows, step)
        case ir.BindNull():
            rows.bindings[step.var] = _nothing(step.var)
        case ir.Unify():
            rows.where.append(nodes.equal(*_identities(rows, step)))
        case _:
            assert_never(step)
    return rows


def _nothing(var: ir.Var) -> Binding:
    return BoundElement(nodes.Null("bigint"), is_nullable=True) if var.is_element else Nothing()


def _identities(rows: JoinedTables, step: ir.Unify) -> tuple[nodes.Expr, nodes.Expr]:
    """Return what two variables share: an element's id, or a comparable value."""
    if step.left.is_element:
        return rows.element(step.left).id, rows.element(step.right).id
    return are_same(value_of(rows, step.left), value_of(rows, step.right))


def _match_concept(rows: JoinedTables, step: ir.MatchConcept) -> None:
    alias = rows.join("concept", "c")
    rows.where += _concept_conditions(rows, alias, step)
    found = BoundElement(nodes.Column(alias, "id"), ElementKind.CONCEPT, concept=alias)
    rows.bind_element(step.var, found)


def _concept_conditions(rows: JoinedTables, alias: str, step: ir.MatchConcept) -> list[nodes.Expr]:
    conditions = list(rows.context.clock.alive(alias))
    if step.name is not None:
        given = (nodes.Column(alias, "name"), nodes.Param(step.name, "text"))
        conditions.append(nodes.SqlCall("equals_text", given))
    if step.names is not None:
        listed = nodes.Scalar(items_of(step.names, "each_text"))
        conditions.append(nodes.SqlCall("among_texts", (nodes.Column(alias, "name"), listed)))
    if step.type is not None:
        code = rows.context.term(step.type, is_predicate=False)
        type_: nodes.Expr = nodes.Column(alias, "type")
        # Written `+type`, the column cannot use the index by type, where far more rows are.
        if step.name is not None or step.names is not None:  # keeps the engine on that index
            type_ = nodes.SqlCall("hidden", (type_,))
        conditions.append(nodes.equal(type_, code))
    if step.id is not None:
        conditions = _by_id(conditions, _is_called(rows, alias, "concept", step.id))
    return conditions


def _by_id(conditions: list[nodes.Expr], is_called: nodes.Expr) -> list[nodes.Expr]:
    """Keep the engine on the row's id: without statistics it would walk an index of the group."""
    guard, *others = conditions
    assert isinstance(guard, nodes.Binary)
    return [nodes.equal(bare(guard.left), guard.right), *others, is_called]


def _is_called(rows: JoinedTables, alias: str, table: str, id_: str) -> nodes.Expr:
    """Return whether a row has a public id: one that it was given, or else the computed one."""
    # Two look-ups instead of one condition with OR, so that each has an index of its own.
    given = rows.context.fresh(table[0])
    by_public_id = nodes.Select(
        ((nodes.Column(given, "id"), ""),),
        (nodes.From(table, given),),
        (
            of_group(given),
            nodes.SqlCall(
                "equals_text", (nodes.Column(given, "public_id"), nodes.Param(id_, "text"))
            ),
        ),
    )
    own = rows.context.fresh(table[0])
    computed = nodes.Select(
        ((nodes.Column(own, "id"), ""),),
        (nodes.From(table, own),),
        (
            of_group(own),
            nodes.equal(nodes.Column(own, "id"), nodes.Param(f"{id_}_element", "bigint")),
            nodes.IsNull(nodes.Column(own, "public_id")),
        ),
    )
    candidates = nodes.Compound((by_public_id, computed), is_all=True)
    return nodes.InSelect(nodes.Column(alias, "id"), candidates)


def _match_link_id(rows: JoinedTables, step: ir.MatchLinkId) -> None:
    alias = rows.join("link", "l")
    conditions = list(rows.context.clock.alive(alias))
    rows.where += _by_id(conditions, _is_called(rows, alias, "link", step.id))
    rows.bind_element(
        step.var, BoundElement(nodes.Column(alias, "id"), ElementKind.LINK, link=alias)
    )


def _match_link(rows: JoinedTables, step: ir.MatchLink) -> None:
    alias = rows.join("link", "l")
    rows.where += _link_conditions(rows, alias, step)
    _bind_link(rows, alias, step)


def _link_conditions(rows: JoinedTables, alias: str, step: ir.MatchLink) -> list[nodes.Expr]:
    predicate = nodes.Column(alias, "predicate")
    conditions = list(rows.context.clock.alive(alias))
    codes = [rows.context.term(one, is_predicate=True) for one in step.predicates]
    if len(codes) == 1:
        conditions.append(nodes.equal(predicate, codes[0]))
    elif codes:
        conditions.append(nodes.InList(predicate, tuple(codes)))
    return conditions


def _bind_link(rows: JoinedTables, alias: str, step: ir.MatchLink) -> None:
    subject = BoundElement(
        nodes.Column(alias, "subject"), rows.context.subject_kind(step.predicates)
    )
    object_ = BoundElement(nodes.Column(alias, "object"), rows.context.object_kind(step.predicates))
    rows.bind_element(step.subject, subject)
    rows.bind_element(step.object, object_)
    rows.bind_element(
        step.var, BoundElement(nodes.Column(alias, "id"), ElementKind.LINK, link=alias)
    )
    if step.predicate is not None:
        rows.bindings[step.predicate] = PredicateName(nodes.Column(alias, "predicate"))


def _exclude(rows: JoinedTables, step: ir.Exclude) -> JoinedTables:
    # The short way: a subquery for each branch that sees the row, and must find nothing.
    if rows.context.is_row_by_row or all(_is_flat(branch.steps) for branch in step.branches):
        conditions: list[nodes.Expr] = []
        for branch in step.branches:
            inner = _run_steps(rows.inner(rows.context.nested()), branch.steps)
            for one in _looked_up(inner, rows.bindings, branch):
                block = nodes.SqlStatement(one, inner.context.ctes)
                conditions.append(nodes.Exists(block, is_negated=True))
    else:
        # The long way: the numbers of the rows for which the block can be satisfied, left out.
        rows, stage = rows.on_stage(step.shared)
        selects = []
        for branch in step.branches:
            inner = _run_steps(_alone(rows, stage), branch.steps)
            selects.append(inner.select((_number_of(inner), "n")))
        excluded = nodes.Compound(tuple(selects), is_all=True)
        number = nodes.Column(stage.name, "n")
        conditions = [nodes.InSelect(number, excluded, is_negated=True)]
    # A null in a shared place is equal to nothing, so the row stays whatever the block finds.
    nullable = (_null_test(rows, var) for var in step.shared)
    guards = [test for test in nullable if test is not None]
    condition: nodes.Expr = nodes.All(tuple(conditions))
    rows.where.append(nodes.Any((*guards, condition)) if guards else condition)
    return rows


def _require(rows: JoinedTables, step: ir.Require) -> None:
    """Keep the rows where the branch has one: a subquery that sees nothing of them, run once."""
    inner = _run_steps(JoinedTables(rows.context.nested()), step.branches[0].steps)
    block = nodes.SqlStatement(inner.select((nodes.Number(1), "")), inner.context.ctes)
    rows.where.append(nodes.Exists(block))


def _looked_up(
    rows: JoinedTables, outer: Iterable[ir.Var], branch: ir.Branch
) -> list[nodes.Select]:
    """Return the SELECTs of which one has a row where a block has one.

    An index ends in the range that the past is. So a link whose ends are both bound is looked
    up among the living, where that range is one value, and among the few closed since.
    """
    # `expired_at > n` in the middle of an index key ends what can be looked up by it. Living rows
    # all have one value there, so an equality keeps the rest of the key; what was closed since is
    # little, and is asked by itself.
    block = rows.select((nodes.Number(1), ""))
    bound = set(outer)
    last: ir.MatchLink | None = None
    for step in branch.steps:
        if isinstance(step, ir.MatchLink) and bound.issuperset((step.subject, step.object)):
            last = step
        bound.update(step.binds())
    alias = None if last is None else rows.element(last.var).link
    if alias is None or not rows.context.clock.has_known:
        return [block]
    is_open = open_then(alias)
    return [
        replace(block, where=tuple([era if one == is_open else one for one in block.where]))
        for era in open_since(alias)
    ]


def _null_test(rows: JoinedTables, var: ir.Var) -> nodes.Expr | None:
    """Return the test that spares a row from NOT, for a shared variable that can be null."""
    binding = rows.bindings[var]
    if isinstance(binding, BoundElement):
        return nodes.IsNull(binding.id) if binding.is_nullable else None
    value = value_of(rows, var)
    if isinstance(value, TextValue) and not value.is_nullable:
        return None
    return nodes.IsNull(comparable(value))


ROW_NUMBER = ir.Var(0, "#n", is_element=True)
"""Stands for the number of a stage's row while a block runs on that stage."""


def _alone(rows: JoinedTables, stage: Stage) -> JoinedTables:
    """Return rows over a stage alone, which carry its number through further stages."""
    table = nodes.From(stage.name, stage.name)
    alone = JoinedTables(rows.context, [table], [], dict(stage.bindings), stage)
    alone.bindings[ROW_NUMBER] = BoundElement(nodes.Column(stage.name, "n"))
    return alone


def _number_of(rows: JoinedTables) -> nodes.Expr:
    return rows.element(ROW_NUMBER).id


def _is_flat(steps: tuple[ir.Step, ...]) -> bool:
    """Whether a block's steps fit in the SELECT of an EXISTS."""
    for step in steps:
        match step:
            case ir.MatchPath():
                return False
            case ir.Exclude() if not all(_is_flat(one.steps) for one in step.branches):
                return False
            case ir.Extend() if _simple_optional(step) is None:
                return False
    return True


def _extend(rows: JoinedTables, step: ir.Extend) -> JoinedTables:
    if rows.context.is_row_by_row:
        _extend_each(rows, step)
        return rows
    # Measured: a LEFT JOIN of one table is far quicker than a stage, one of a join inside
    # parentheses 800 times slower than either. So only what one link says takes the short way.
    simple = _simple_optional(step)
    if simple is not None:
        _extend_flat(rows, step, simple)
        return rows
    rows, stage = rows.on_stage(step.shared)
    # A value that one read gives is carried out as the id of its owner and read again outside,
    # where it costs nothing if nobody shows it; any other is carried as JSON.
    held = [_carrier(step, at) for at in range(len(step.outputs))]
    selects = []
    for branch in step.branches:
        inner = _run_steps(_alone(rows, stage), branch.steps)
        columns: list[tuple[nodes.Expr, str]] = [(_number_of(inner), "n")]
        for at, export in enumerate(branch.exports):
            columns += _export(inner, export, at, is_held=held[at])
        selects.append(inner.select(*columns))
    name = rows.context.with_query("o", nodes.Compound(tuple(selects), is_all=True))
    on = nodes.equal(nodes.Column(name, "n"), nodes.Column(stage.name, "n"))
    rows.left_join(name, name, on)
    for at, output in enumerate(step.outputs):
        rows.bindings[output] = _import(rows, step, at, name, is_held=held[at])
    return rows


def _extend_each(rows: JoinedTables, step: ir.Extend) -> None:
    """Join what the block finds for each row, carried out of a subquery as JSON objects."""
    context = rows.context.nested()
    selects = []
    for branch in step.branches:
        inner = _run_steps(rows.inner(context), branch.steps)
        columns: list[tuple[nodes.Expr, str]] = []
        for at, export in enumerate(branch.exports):
            if export.is_element:
                columns.append((inner.element(export).id, f"v{at}"))
            else:
                value = nodes.SqlCall("json", (json_of(value_of(inner, export)),))
                columns += [(value, f"v{at}"), (owner_id(inner, export), f"w{at}")]
        selects.append(inner.select((nodes.Object(tuple(columns)), "found")))
    name = context.fresh("o")
    one = nodes.Column(name, "found")
    found = nodes.Select(
        ((nodes.SqlCall("array", (nodes.FoldOf("json_group_array", one),)), ""),),
        (nodes.From(nodes.Compound(tuple(selects), is_all=True), name),),
    )
    each = nodes.SqlCall("each_row", (nodes.Scalar(nodes.SqlStatement(found, context.ctes)),))
    rows.left_join(each, name, nodes.All(()))
    row = nodes.Column(name, "value")
    for at, output in enumerate(step.outputs):
        # An object has null for what is missing, which is no value to those who look for one.
        held = nodes.SqlCall("json_or_null", (nodes.Json(JsonPart.JSON, row, f"v{at}"),))
        own = nodes.Json(JsonPart.ID, row, f"{'v' if output.is_element else 'w'}{at}")
        element = BoundElement(own, is_nullable=True)
        rows.bindings[output] = element if output.is_element else HeldValue(held, own)


def _carrier(step: ir.Extend, at: int) -> bool:
    """Whether a value must be held as JSON text, since no single read gives it."""
    if step.outputs[at].is_element:
        return False
    return len(step.branches) != 1 or _read_of(step.branches[0], at) is None


def _read_of(branch: ir.Branch, at: int) -> ir.ReadValue | None:
    for step in branch.steps:
        if isinstance(step, ir.ReadValue) and step.value == branch.exports[at]:
            return step
    return None


def _export(
    rows: JoinedTables, var: ir.Var, at: int, *, is_held: bool
) -> list[tuple[nodes.Expr, str]]:
    """Return the columns that carry one variable out of a block."""
    if var.is_element:
        return [(rows.element(var).id, f"v{at}")]
    owner = owner_id(rows, var)
    if is_held:
        return [(json_of(value_of(rows, var)), f"v{at}"), (owner, f"w{at}")]
    return [(owner, f"v{at}")]


def _import(rows: JoinedTables, step: ir.Extend, at: int, name: str, *, is_held: bool) -> Binding:
    column = nodes.Column(name, f"v{at}")
    if step.outputs[at].is_element:
        return BoundElement(column, is_nullable=True)
    if is_held:
        return HeldValue(column, nodes.Column(name, f"w{at}"))
    read = _read_of(step.branches[0], at)
    assert read is not None
    owner = rows.context.fresh_var()
    rows.bindings[owner] = BoundElement(column, is_nullable=True)
    return ReadFrom(owner, read.part, read.key)


def _simple_optional(step: ir.Extend) -> tuple[ir.MatchLink | None, list[ir.MatchConcept]] | None:
    """Return the parts of a block that one LEFT JOIN can say, or None for any other block.

    It holds one link at most, checks on concepts that the link or the rows before bind, and
    reads; a read must be of what the link binds, so that it is null when the link is.
    """
    if len(step.branches) != 1:
        return None
    links = [one for one in step.branches[0].steps if isinstance(one, ir.MatchLink)]
    if len(links) > 1:
        return None
    # `new` is what only the block binds. A read of something bound outside would give a value where
    # the link is missing, and a check before the link would test the row, not the block.
    new = {*step.outputs, *(var for one in links for var in (one.var, one.subject, one.object))}
    reachable = new | set(step.shared)
    new -= set(step.shared)
    checks: list[ir.MatchConcept] = []
    seen_link = False
    for one in step.branches[0].steps:
        match one:
            case ir.MatchLink():
                seen_link = True
            case ir.MatchConcept() if seen_link and one.var in reachable:
                checks.append(one)
            case ir.ReadValue() if one.target in new or not links:
                pass
            case _:
                return None
    return (links[0] if links else None), checks


def _extend_flat(
    rows: JoinedTables, step: ir.Extend, simple: tuple[ir.MatchLink | None, list[ir.MatchConcept]]
) -> None:
    link, checks = simple
    branch = step.branches[0]
    if link is not None:
        _left_join_link(rows, link, checks, set(step.shared))
    for one in branch.steps:
        if isinstance(one, ir.ReadValue):
            rows.bindings[one.value] = ReadFrom(one.target, one.part, one.key)
    for output, export in zip(step.outputs, branch.exports, strict=True):
        rows.bindings[output] = rows.bindings[export]


def _left_join_link(
    rows: JoinedTables, link: ir.MatchLink, checks: list[ir.MatchConcept], bound: set[ir.Var]
) -> None:
    alias = rows.context.fresh("l")
    inside = rows.inner()
    inside.where += _link_conditions(rows, alias, link)
    _bind_link(inside, alias, link)
    conditions = list(inside.where)
    # A check is a condition of the join: in WHERE it would drop the row instead of the link.
    for check in checks:
        one = inside.inner()
        _match_concept(one, check)
        conditions.append(nodes.Exists(one.select((nodes.Number(1), ""))))
    rows.left_join("link", alias, nodes.All(tuple(conditions)))
    for var in (link.subject, link.object, link.var):
        if var not in bound:
            rows.bindings[var] = inside.element(var).or_null()
    if link.predicate is not None:
        code = nodes.Column(alias, "predicate")
        rows.bindings[link.predicate] = PredicateName(code, is_nullable=True)
