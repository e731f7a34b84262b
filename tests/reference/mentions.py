"""Which variables a WHERE names, in the order of the text, and what kind each one is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum

from recollect.errors import INVALID_SYNTAX, RecollectError
from recollect.kernel.lang import ast


class Kind(StrEnum):
    """A variable is of one kind in the whole query."""

    ELEMENT = "element"
    VALUE = "value"


def name_targets(clauses: Iterable[ast.Clause]) -> tuple[ast.Clause, ...]:
    """Return the clauses with every nameless target of ATTR and META named by a hidden variable.

    `ATTR({type: "Drug"}, "k", ?v)` means `?hidden {type: "Drug"} ATTR(?hidden, "k", ?v)`.
    No text can spell a hidden name, as it holds a space.
    """
    return tuple(_named(clauses, itertools.count(1)))


def is_hidden(name: str) -> bool:
    """Whether a variable was named by `name_targets`."""
    return " " in name


def _named(clauses: Iterable[ast.Clause], numbers: Iterator[int]) -> Iterator[ast.Clause]:
    for clause in clauses:
        match clause:
            case ast.ReadClause(target=ast.ConceptPattern() as pattern):
                hidden = ast.Variable(f"target {next(numbers)}")
                yield ast.ConceptClause(hidden, pattern)
                yield replace(clause, target=hidden)
            case ast.ReadClause(target=(ast.LinkPattern() | ast.LinkId()) as pattern):
                hidden = ast.Variable(f"target {next(numbers)}")
                yield ast.LinkClause(hidden, pattern)
                yield replace(clause, target=hidden)
            case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
                yield replace(clause, clauses=tuple(_named(clause.clauses, numbers)))
            case _:
                yield clause


def names(clauses: Iterable[ast.Clause]) -> list[str]:
    """Return every variable of the clauses once, in order of first mention."""
    return list(dict.fromkeys(itertools.chain.from_iterable(map(_clause, clauses))))


def pattern_names(pattern: ast.End) -> list[str]:
    """Return the variables inside a pattern."""
    return list(_end(pattern))


def expression_names(expression: ast.Expression) -> list[str]:
    """Return the variables of a FILTER."""
    return list(_expression(expression))


def _clause(clause: ast.Clause) -> Iterator[str]:
    match clause:
        case ast.ConceptClause() | ast.LinkClause():
            if clause.variable is not None:
                yield clause.variable.name
            yield from _end(clause.pattern)
        case ast.ReadClause():
            yield from _end(clause.target)
            yield clause.value.name
        case ast.FilterClause():
            yield from _expression(clause.expression)
        case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
            yield from names(clause.clauses)


def _end(end: ast.End) -> Iterator[str]:
    match end:
        case ast.Variable():
            yield end.name
        case ast.ConceptPattern() | ast.LinkId():
            pass
        case ast.LinkPattern():
            yield from _end(end.subject)
            if isinstance(end.predicate, ast.Variable):
                yield end.predicate.name
            yield from _end(end.object)


def _expression(expression: ast.Expression) -> Iterator[str]:
    match expression:
        case ast.Compare():
            yield from _operands(expression.left, expression.right)
        case ast.TestText():
            yield from _operands(expression.text, expression.part)
        case ast.TestIn() | ast.TestNull():
            yield from _operands(expression.value)
        case ast.Not():
            yield from _expression(expression.operand)
        case ast.And() | ast.Or():
            for operand in expression.operands:
                yield from _expression(operand)


def _operands(*operands: ast.Operand) -> Iterator[str]:
    for one in operands:
        match one:
            case ast.Variable():
                yield one.name
            case ast.Field():
                yield one.variable.name


def kinds(clauses: Iterable[ast.Clause]) -> dict[str, Kind]:
    """Return the kind of each variable that a clause can bind; of both kinds is KIP_1001."""
    found: dict[str, Kind] = {}
    for name, kind in _uses(clauses):
        if found.setdefault(name, kind) is not kind:
            raise RecollectError(INVALID_SYNTAX, f"?{name} is both an element and a value")
    return found


def _uses(clauses: Iterable[ast.Clause]) -> Iterator[tuple[str, Kind]]:
    for clause in clauses:
        match clause:
            case ast.ConceptClause() | ast.LinkClause():
                if clause.variable is not None:
                    yield clause.variable.name, Kind.ELEMENT
                yield from _end_uses(clause.pattern)
            case ast.ReadClause():
                yield clause.value.name, Kind.VALUE
            case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
                yield from _uses(clause.clauses)
            case ast.FilterClause():
                pass


def _end_uses(end: ast.End) -> Iterator[tuple[str, Kind]]:
    match end:
        case ast.Variable():
            yield end.name, Kind.ELEMENT
        case ast.ConceptPattern() | ast.LinkId():
            pass
        case ast.LinkPattern():
            yield from _end_uses(end.subject)
            if isinstance(end.predicate, ast.Variable):
                yield end.predicate.name, Kind.VALUE
            yield from _end_uses(end.object)
