"""The names of a statement resolved without a store: every fault, not only the first.

Its rule: the plan and the write layer say what is wrong, as when the text runs. What they
complain of is set aside, and the rest is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar, assert_never, cast

from recollect.errors import REFERENCE_ERROR, Notice, RecollectError, Span
from recollect.kernel.checking.recovery import SIGILLED
from recollect.kernel.lang import ast
from recollect.kernel.lang.cursor import literal
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.pipeline import plan_as_written, select_target
from recollect.kernel.plan.scope import mentions
from recollect.kernel.store.functions import compile_pattern
from recollect.kernel.write.upsert import handle_faults
from recollect.kernel.write.validation import (
    concept_meant,
    members_value,
    plain_predicate,
    text_value,
)
from recollect.model import Value

NodeT = TypeVar("NodeT", bound=ast.Node)

MOST_FAULTS = 20
UNKNOWN = "?"
"""What a placeholder stands for whose value is not known."""


def statement_faults(
    statement: ast.Statement, values: dict[str, Value], aside: Iterable[str] = ()
) -> Iterator[RecollectError]:
    """Yield what is wrong with the names of a statement; its placeholders take `values`.

    `aside` are names of what could not be read, about which nothing is said.
    """
    filled = fill(statement, values)
    match filled:
        case ast.Find():
            yield from _find_faults(filled, aside)
        case ast.Explain():
            yield from statement_faults(filled.query, values, aside)
        case ast.Export() | ast.DeleteConcepts():
            yield from _find_faults(ast.Find((filled.target,), filled.where), aside)
        case ast.MergeConcepts():
            find = ast.Find((filled.source, filled.target), filled.where)
            yield from _find_faults(find, aside)
        case ast.Update():
            yield from _find_faults(ast.Find((filled.target,), filled.where), aside)
        case ast.DeleteKeys() | ast.DeleteLinks():
            yield from _delete_faults(filled, aside)
        case ast.Upsert():
            yield from _upsert_faults(filled, aside)
        case ast.DeleteConcept() | ast.Search() | ast.DescribePrimer() | ast.DescribeDomains():
            return
        case ast.DescribeConceptTypes() | ast.DescribeConceptType():
            return
        case ast.DescribePropositionTypes() | ast.DescribePropositionType():
            return
        case _:
            assert_never(filled)


def _find_faults(find: ast.Find, aside: Iterable[str]) -> Iterator[RecollectError]:
    silent = set(aside)
    for _ in range(MOST_FAULTS):
        try:
            _plan(find)
        except RecollectError as error:
            fault = error
        else:
            return
        if not _is_about(fault, silent):
            yield fault
        smaller = None if fault.span is None else _without(find, fault.span)
        if smaller is None:
            return
        silent |= _names(find) - _names(smaller)
        find = smaller


def _is_about(fault: RecollectError, names: Iterable[str]) -> bool:
    """Whether an error tells that one of some names is not known."""
    said = SIGILLED.search(fault.message)
    return fault.code is REFERENCE_ERROR and said is not None and said[0] in names


def _plan(find: ast.Find) -> None:
    lifting = Lifting(Bindings({}))
    where = lifting.clauses(find.where)
    for pattern in lifting.patterns:
        text = lifting.values[pattern.name]
        if isinstance(text, str) and text != UNKNOWN and pattern.name.startswith("string"):
            compile_pattern(text, pattern.span)
    plan_as_written(replace(find, where=where))


def _without(find: ast.Find, fault: Span) -> ast.Find | None:
    """Return a FIND without the smallest part that holds a fault, None if there is none."""
    columns = tuple(one for one in find.columns if not _holds(one, fault))
    order_by = tuple(one for one in find.order_by if not _holds(one, fault))
    if columns != find.columns or order_by != find.order_by:
        return replace(find, columns=columns, order_by=order_by)
    where = _without_clause(find.where, fault)
    return None if where is None else replace(find, where=where)


def _without_clause(clauses: tuple[ast.Clause, ...], fault: Span) -> tuple[ast.Clause, ...] | None:
    for at, clause in enumerate(clauses):
        if not _holds(clause, fault):
            continue
        rest: tuple[ast.Clause, ...] = ()
        if isinstance(clause, ast.NotClause | ast.OptionalClause | ast.UnionClause):
            inner = _without_clause(clause.clauses, fault)
            rest = () if inner is None else (replace(clause, clauses=inner),)
        return (*clauses[:at], *rest, *clauses[at + 1 :])
    return None


def _holds(node: ast.Node, fault: Span) -> bool:
    return node.span.start <= fault.start and fault.end <= node.span.end


def _names(find: ast.Find) -> set[str]:
    aliases = {one.name for one in find.columns if isinstance(one, ast.Aggregate)}
    return {f"?{name}" for name in aliases | {one.name for one, _ in mentions(find.where)}}


def _delete_faults(
    delete: ast.DeleteKeys | ast.DeleteLinks, aside: Iterable[str]
) -> Iterator[RecollectError]:
    links_only = isinstance(delete, ast.DeleteLinks)
    try:
        find = select_target(delete.where, delete.target, links_only=links_only)
    except RecollectError as error:
        yield error
    else:
        yield from _find_faults(find, aside)


def _upsert_faults(upsert: ast.Upsert, aside: Iterable[str]) -> Iterator[RecollectError]:
    yield from (one for one in handle_faults(upsert) if not _is_about(one, aside))
    for node in _nodes(upsert):
        try:
            _check_written(node)
        except RecollectError as error:
            yield error


def _check_written(node: ast.Node) -> None:
    """Raise what the write layer would about the texts and values that a node holds."""
    match node:
        case ast.ConceptPattern():
            concept_meant(node)
        case ast.LinkTarget() | ast.SetLink():
            plain_predicate(text_value(node.predicate, "predicate"), node.predicate.span)
            if isinstance(node, ast.SetLink):
                members_value(node.metadata, "metadata")
        case ast.ConceptBlock() | ast.LinkBlock():
            members_value(node.attributes, "attributes")
            members_value(node.metadata, "metadata")
        case ast.Upsert():
            members_value(node.metadata, "metadata")


def _nodes(part: object) -> Iterator[ast.Node]:
    """Yield a tree's nodes, from the root down."""
    if isinstance(part, ast.Node):
        yield part
        for each in fields(part):
            yield from _nodes(getattr(part, each.name))
    elif isinstance(part, tuple):
        for one in part:
            yield from _nodes(one)


def placeholders(statement: ast.Statement) -> list[ast.Parameter]:
    """Return the placeholders of a statement, in textual order."""
    return [one for one in _nodes(statement) if isinstance(one, ast.Parameter)]


def unused_reads(statement: ast.Statement) -> Iterator[Notice]:
    """Yield a warning for each value that ATTR or META reads and nothing uses: likely a slip."""
    if isinstance(statement, ast.Explain):
        statement = statement.query
    if not isinstance(statement, ast.Find):
        return
    counts: dict[str, int] = {}
    for node in _nodes(statement):
        if isinstance(node, ast.Variable):
            counts[node.name] = counts.get(node.name, 0) + 1
    for node in _nodes(statement.where):
        if isinstance(node, ast.ReadClause) and counts[node.value.name] == 1:
            message = f"?{node.value.name} is read and not used"
            hint = f"put ?{node.value.name} in FIND or FILTER, or remove the clause"
            yield Notice("unused_variable", message, hint, node.value.span)


def fill(node: NodeT, values: dict[str, Value]) -> NodeT:
    """Return a tree with a literal for every placeholder: its value, or what fits its place."""
    return cast(NodeT, _filled(node, values))


def _filled(part: object, values: dict[str, Value]) -> object:
    match part:
        case ast.Parameter():
            return literal(values.get(part.name, UNKNOWN), part.span)
        case ast.ArrayValue():
            return literal([], part.span)
        case ast.ObjectValue():
            return literal({}, part.span)
        case ast.TestIn(choices=ast.Parameter() as choices) if choices.name not in values:
            return replace(part, value=fill(part.value, values), choices=literal([], choices.span))
        case tuple():
            return tuple(_filled(one, values) for one in part)
    if isinstance(part, ast.Node) and not isinstance(part, ast.Literal):
        changed = {each.name: _filled(getattr(part, each.name), values) for each in fields(part)}
        return replace(part, **_members(part, changed, values))
    return part


def _members(
    part: ast.Node, changed: dict[str, object], values: dict[str, Value]
) -> dict[str, Any]:
    """Return the members of a node; an unknown object of attributes or metadata is empty."""
    for name in ("attributes", "metadata"):
        node = getattr(part, name, None)
        if isinstance(node, ast.Parameter) and node.name not in values:
            changed[name] = literal({}, node.span)
    return changed
