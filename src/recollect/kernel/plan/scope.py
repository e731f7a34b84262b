"""What the names of a WHERE block are: their kinds and the order they are first mentioned in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import assert_never

from recollect.errors import (
    INVALID_SYNTAX,
    REFERENCE_ERROR,
    Fix,
    RecollectError,
    Span,
    is_slip,
    nearest,
)
from recollect.kernel.lang import ast


class TargetNames:
    """Gives the inline targets of ATTR and META names that no text can write."""

    def __init__(self) -> None:
        self._count = 0

    def name_targets(self, clauses: Sequence[ast.Clause]) -> tuple[ast.Clause, ...]:
        """Return the clauses with each inline target as a clause of its own before its reader."""
        return tuple(one for clause in clauses for one in self._named(clause))

    def _named(self, clause: ast.Clause) -> Iterator[ast.Clause]:
        match clause:
            case ast.ReadClause(target=ast.ConceptPattern() as pattern):
                name = self._next(pattern)
                yield ast.ConceptClause(name, pattern, span=pattern.span)
                yield replace(clause, target=name)
            case ast.ReadClause(target=(ast.LinkPattern() | ast.LinkId()) as pattern):
                name = self._next(pattern)
                yield ast.LinkClause(name, pattern, span=pattern.span)
                yield replace(clause, target=name)
            case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
                yield replace(clause, clauses=self.name_targets(clause.clauses))
            case _:
                yield clause

    def _next(self, pattern: ast.Node) -> ast.Variable:
        self._count += 1
        return ast.Variable(f"#{self._count}", span=pattern.span)


def mentions(clauses: Iterable[ast.Clause]) -> Iterator[tuple[ast.Variable, bool | None]]:
    """Yield every variable of the clauses in textual order, with the kind its place demands.

    True means an element, False a value, None either: FILTER and the target of ATTR take both.
    """
    for clause in clauses:
        match clause:
            case ast.ConceptClause():
                if clause.variable is not None:
                    yield clause.variable, True
            case ast.LinkClause():
                if clause.variable is not None:
                    yield clause.variable, True
                yield from _pattern_mentions(clause.pattern)
            case ast.ReadClause():
                if isinstance(clause.target, ast.Variable):
                    yield clause.target, None
                yield clause.value, False
            case ast.FilterClause():
                for variable in expression_variables(clause.expression):
                    yield variable, None
            case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
                yield from mentions(clause.clauses)
            case _:
                assert_never(clause)


def _pattern_mentions(
    pattern: ast.LinkPattern | ast.LinkId,
) -> Iterator[tuple[ast.Variable, bool | None]]:
    if isinstance(pattern, ast.LinkId):
        return
    yield from _end_mentions(pattern.subject)
    if isinstance(pattern.predicate, ast.Variable):
        yield pattern.predicate, False
    yield from _end_mentions(pattern.object)


def _end_mentions(end: ast.End) -> Iterator[tuple[ast.Variable, bool | None]]:
    if isinstance(end, ast.Variable):
        yield end, True
    elif isinstance(end, ast.LinkPattern):
        yield from _pattern_mentions(end)


def place_of(node: object, text: str) -> Span | None:
    """Return where a type or predicate stands in a tree, for a message about it."""
    if isinstance(node, ast.Literal):
        return node.span if node.value == text else None
    parts: Iterable[object] = ()
    if isinstance(node, tuple):
        parts = node
    elif is_dataclass(node):
        parts = (getattr(node, each.name) for each in fields(node))
    return next((span for part in parts if (span := place_of(part, text)) is not None), None)


def expression_variables(expression: ast.Expression) -> Iterator[ast.Variable]:
    """Yield the variables of a FILTER expression in textual order, those of fields among them."""
    for one in expression_reads(expression):
        yield one.variable if isinstance(one, ast.Field) else one


def expression_reads(expression: ast.Expression) -> Iterator[ast.Variable | ast.Field]:
    """Yield the variables and the fields of a FILTER expression in textual order."""
    match expression:
        case ast.Compare():
            operands: tuple[ast.Operand, ...] = (expression.left, expression.right)
        case ast.TestText():
            operands = (expression.text, expression.part)
        case ast.TestIn() | ast.TestNull():
            operands = (expression.value,)
        case ast.Not():
            yield from expression_reads(expression.operand)
            return
        case ast.And() | ast.Or():
            for operand in expression.operands:
                yield from expression_reads(operand)
            return
        case _:
            assert_never(expression)
    yield from (one for one in operands if isinstance(one, ast.Variable | ast.Field))


def resolve_kinds(clauses: Iterable[ast.Clause]) -> dict[str, bool]:
    """Return name -> whether it is an element, in order of first mention.

    Raises KIP_1001 for a variable used as both: kip, section "one kind per variable".
    """
    kinds: dict[str, bool | None] = {}
    places: dict[str, ast.Variable] = {}
    for variable, kind in mentions(clauses):
        known = kinds.setdefault(variable.name, None)
        if kind is None or known == kind:
            continue
        if known is not None:
            first = "an element" if known else "a value"
            second = "a value" if known else "an element"
            raise RecollectError(
                INVALID_SYNTAX,
                f"variable ?{variable.name} is {second} here and {first} before",
                hint="use two variables: an element and a value never compare equal",
                span=variable.span,
                first=places[variable.name].span,
            )
        kinds[variable.name] = kind
        places[variable.name] = variable
    return {name: kind is not False for name, kind in kinds.items()}


def names_in_not(clauses: Iterable[ast.Clause]) -> frozenset[str]:
    """Return the names that NOT blocks mention: what they bind is not seen outside."""
    names: set[str] = set()
    for clause in clauses:
        if isinstance(clause, ast.NotClause):
            names |= {variable.name for variable, _ in mentions(clause.clauses)}
        elif isinstance(clause, ast.OptionalClause | ast.UnionClause):
            names |= names_in_not(clause.clauses)
    return frozenset(names)


def not_bound(
    variable: ast.Variable | ast.Field,
    known: Iterable[str],
    in_not: frozenset[str] = frozenset(),
) -> RecollectError:
    """Return the error for a variable that nothing binds where it is used."""
    if variable.name in in_not:
        return RecollectError(
            REFERENCE_ERROR,
            f"variable ?{variable.name} exists only inside NOT",
            hint=f"move what uses ?{variable.name} into the block of NOT",
            span=variable.span,
        )
    names = [f"?{name}" for name in known if not name.startswith("#")]
    near = nearest(f"?{variable.name}", names)
    return RecollectError(
        REFERENCE_ERROR,
        f"variable ?{variable.name} is not bound",
        hint=f"use {near[0]}" if near else f"bind ?{variable.name} in a clause of WHERE",
        span=variable.span,
        known=near or tuple(names[:10]),
        fix=Fix(variable.span, near[0]) if is_slip(variable.name, near) else None,
    )
