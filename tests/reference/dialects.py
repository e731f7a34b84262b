"""One query in two dialects: a rewriter that knows nothing of what a query means.

ATTR and META become dots and dots become ATTR and META, where nothing but the spelling differs:
what binds a variable that something else joins on, or that another branch of a UNION leaves
unbound, is left as it is. Paths and handles change their spelling in the text.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace

from tests.reference.mentions import names, pattern_names

from recollect.kernel.lang import ast, literal

Column = ast.Variable | ast.Field | ast.Aggregate
Operand = ast.Variable | ast.Field

_CONCEPT_FIELDS = ("type", "name")
_LINK_FIELDS = ("subject", "predicate", "object")
_PATH = re.compile(r'"(\w+)"(\{[\d,]+\})?((?: \| "\w+"(?:\{[\d,]+\})?)*)')


def in_later_spelling(text: str) -> str:
    """Return a draft-3 text with `?handle` for `@handle`, and operators of paths outside."""
    return re.sub(r"@(\w+)", r"?\1", text)


def in_first_spelling(text: str) -> str:
    """Return a text with the operators of its paths inside the quotes, as draft-3 prints them."""

    def quoted(found: re.Match[str]) -> str:
        return f'"{found.group().replace(chr(34), "")}"'

    return _PATH.sub(quoted, text)


def with_dots(query: ast.Find) -> ast.Find:
    """Return the query with dots for the ATTR and META that only name a value."""
    kept: list[ast.Clause] = []
    meant: dict[str, ast.Field] = {}
    for at, clause in enumerate(query.where):
        field = _as_field(query, at)
        if field is None or field in meant.values():
            kept.append(clause)
        else:
            assert isinstance(clause, ast.ReadClause)
            meant[clause.value.name] = field

    def read(operand: Operand) -> Operand:
        return meant.get(operand.name, operand)

    clauses = tuple(_read_in(one, read) for one in kept)
    return _shown_as(replace(query, where=clauses), read)


def with_clauses(query: ast.Find) -> ast.Find:
    """Return the query with ATTR and META for the dots that they can read."""
    numbers = itertools.count()
    meant: dict[str, ast.Variable] = {}
    reads: list[ast.Clause] = []

    def variable(field: Operand) -> Operand:
        if not isinstance(field, ast.Field) or (section := _section(query, field)) is None:
            return field
        if field.name not in meant:
            meant[field.name] = ast.Variable(f"read{next(numbers)}")
            key = literal(field.path[-1])
            reads.append(ast.ReadClause(section, field.variable, key, meant[field.name]))
        return meant[field.name]

    columns = _shown_as(query, variable)
    where = tuple(_with_clauses(query, query.where, numbers))
    return replace(columns, where=(*where, *reads))


def _with_clauses(
    query: ast.Find, clauses: Iterable[ast.Clause], numbers: Iterator[int]
) -> Iterator[ast.Clause]:
    """Yield the clauses of a block, each FILTER after what reads its fields."""
    for clause in clauses:
        match clause:
            case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
                inner = tuple(_with_clauses(query, clause.clauses, numbers))
                yield replace(clause, clauses=inner)
            case ast.FilterClause():
                reads: list[ast.Clause] = []

                def variable(field: Operand, reads: list[ast.Clause] = reads) -> Operand:
                    if not isinstance(field, ast.Field):
                        return field
                    section = _section(query, field)
                    if section is None:
                        return field
                    value = ast.Variable(f"read{next(numbers)}")
                    key = literal(field.path[-1])
                    reads.append(ast.ReadClause(section, field.variable, key, value))
                    return value

                filter_ = _read_in(clause, variable)
                yield from reads
                yield filter_
            case _:
                yield clause


def _section(query: ast.Find, field: ast.Field) -> ast.Section | None:
    """Return what reads a field as a clause, if a clause can."""
    match field.path:
        case ("metadata", _):
            return ast.Section.METADATA
        case ("attributes", key) if key not in ("id", *_CONCEPT_FIELDS, *_LINK_FIELDS):
            return ast.Section.ATTRIBUTES
        case ("id",):
            return ast.Section.ATTRIBUTES
        case (name,) if _is_own(query, field.variable, name):
            return ast.Section.ATTRIBUTES
    return None


def _is_own(query: ast.Find, variable: ast.Variable, name: str) -> bool:
    """Whether a variable stands for elements that have a field of the name, wherever bound."""
    if any(isinstance(one, ast.UnionClause) for one in query.where):
        return False
    wanted = ast.ConceptClause if name in _CONCEPT_FIELDS else ast.LinkClause
    return any(isinstance(one, wanted) and one.variable == variable for one in query.where)


def _as_field(query: ast.Find, at: int) -> ast.Field | None:
    """Return the field that a clause of the outermost block reads, if dots mean just that."""
    clause = query.where[at]
    match clause:
        case ast.ReadClause(target=ast.Variable() as target, key=ast.Literal(value=str() as key)):
            pass
        case _:
            return None
    others = (*query.where[:at], *query.where[at + 1 :])
    uses = Counter(itertools.chain.from_iterable(map(_bindings, others)))
    is_shared = uses[clause.value.name] or clause.value.name in {target.name, *_dotted(query)}
    is_first = target.name not in names(query.where[:at])
    has_later_branch = any(isinstance(one, ast.UnionClause) for one in others)
    if is_shared or is_first or has_later_branch:
        return None
    if clause.section is ast.Section.METADATA:
        return ast.Field(target, ("metadata", key))
    if key == "id" or (key in (*_CONCEPT_FIELDS, *_LINK_FIELDS) and _is_own(query, target, key)):
        return ast.Field(target, (key,))
    if key in (*_CONCEPT_FIELDS, *_LINK_FIELDS):
        return None
    return ast.Field(target, ("attributes", key))


def _bindings(clause: ast.Clause) -> list[str]:
    """Return the variables a clause names, but for those that a FILTER of the block tests."""
    if isinstance(clause, ast.FilterClause):
        return []
    if isinstance(clause, ast.ReadClause):
        return [*pattern_names(clause.target), clause.value.name]
    return names([clause])


def _dotted(node: object) -> Iterator[str]:
    """Yield the variables that fields of the query are read from."""
    if isinstance(node, ast.Field):
        yield node.variable.name
    elif isinstance(node, tuple):
        for one in node:
            yield from _dotted(one)
    elif isinstance(node, ast.Node) and is_dataclass(node):
        for part in fields(node):
            yield from _dotted(getattr(node, part.name))


def _read_in(clause: ast.Clause, read: Callable[[Operand], Operand]) -> ast.Clause:
    """Return a FILTER with its operands rewritten; other clauses as they are."""
    if not isinstance(clause, ast.FilterClause):
        return clause
    rewritten = _rewritten(clause, read)
    assert isinstance(rewritten, ast.FilterClause)
    return rewritten


def _rewritten(node: object, read: Callable[[Operand], Operand]) -> object:
    match node:
        case ast.Variable() | ast.Field():
            return read(node)
        case tuple():
            return tuple(_rewritten(one, read) for one in node)
    if isinstance(node, ast.Node) and is_dataclass(node):
        parts = {one.name: getattr(node, one.name) for one in fields(node)}
        return replace(node, **{key: _rewritten(part, read) for key, part in parts.items()})
    return node


def _shown_as(query: ast.Find, read: Callable[[Operand], Operand]) -> ast.Find:
    """Return the query with the columns and the order of FIND rewritten; aliases stay."""
    aliases = {one.name for one in query.columns if isinstance(one, ast.Aggregate)}

    def column(one: Column, *, is_key: bool = False) -> Column:
        match one:
            case ast.Aggregate():
                alias = one.alias or ast.Variable(one.name.replace(".", "_"))
                return replace(one, variable=read(one.variable), alias=None if is_key else alias)
            case _:
                return one if is_key and one.name in aliases else read(one)

    columns: Sequence[Column] = [column(one) for one in query.columns]
    keys = [replace(one, key=column(one.key, is_key=True)) for one in query.order_by]
    return replace(query, columns=tuple(columns), order_by=tuple(keys))
