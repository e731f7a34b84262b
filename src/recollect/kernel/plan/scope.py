"""Names of variables: what they are in a WHERE block, and the order they are mentioned in.

The rule: every element that is matched without a name can be given one, so that all can be shown;
the solutions stay the same but for what the new names tell apart. What stands in NOT is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
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
from recollect.node import dataclass, replace

HIDDEN = "#ground"
"""What the new names begin with; no text can write it."""


@dataclass(frozen=True, slots=True)
class Walked:
    """A path of more than one link, and the names of its ends."""

    subject: str
    path: ast.Path
    object: str


class Naming:
    """Names what the clauses of one WHERE leave unnamed; `walks` has its paths."""

    def __init__(self) -> None:
        self.walks: list[Walked] = []
        self._count = 0

    def clauses(self, clauses: Iterable[ast.Clause]) -> tuple[ast.Clause, ...]:
        """Return the clauses with a variable for every concept and every link."""
        return tuple(one for clause in clauses for one in self._clause(clause))

    def _clause(self, clause: ast.Clause) -> Iterator[ast.Clause]:
        match clause:
            case ast.ConceptClause():
                yield replace(clause, variable=clause.variable or self._next(clause))
            case ast.LinkClause():
                yield from self._link(clause)
            case ast.OptionalClause() | ast.UnionClause():
                yield replace(clause, clauses=self.clauses(clause.clauses))
            case ast.ReadClause() | ast.FilterClause() | ast.NotClause():
                yield clause
            case _:
                assert_never(clause)

    def _link(self, clause: ast.LinkClause) -> Iterator[ast.Clause]:
        if isinstance(clause.pattern, ast.LinkId):
            yield replace(clause, variable=clause.variable or self._next(clause))
            return
        subject, before = self._end(clause.pattern.subject)
        target, after = self._end(clause.pattern.object)
        path, variable = clause.pattern.predicate, clause.variable
        if isinstance(path, ast.Variable) or path.is_plain:
            variable = variable or self._next(clause)
        else:
            self.walks.append(Walked(subject.name, path, target.name))
        yield replace(
            clause,
            variable=variable,
            pattern=replace(clause.pattern, subject=subject, object=target),
        )
        yield from before
        yield from after

    def _end(self, end: ast.End) -> tuple[ast.Variable, tuple[ast.Clause, ...]]:
        """Return the variable for an end, and the clauses that say of it what the end said."""
        match end:
            case ast.Variable():
                return end, ()
            case ast.ConceptPattern():
                variable = self._next(end)
                return variable, (ast.ConceptClause(variable, end, span=end.span),)
            case ast.LinkPattern() | ast.LinkId():
                variable = self._next(end)
                return variable, (*self._link(ast.LinkClause(variable, end, span=end.span)),)
            case _:
                assert_never(end)

    def _next(self, node: ast.Node) -> ast.Variable:
        self._count += 1
        return ast.Variable(f"{HIDDEN}{self._count}", span=node.span)


_BLOCKS = (ast.NotClause, ast.OptionalClause, ast.UnionClause)  # faster than the union

Mention = tuple[ast.Variable, bool | None]


class TargetNames:
    """Gives the inline targets of ATTR and META names that no text can write."""

    def __init__(self) -> None:
        self._count = 0

    def name_targets(self, clauses: Sequence[ast.Clause]) -> tuple[ast.Clause, ...]:
        """Return the clauses with each inline target as a clause of its own before its reader."""
        named: list[ast.Clause] = []
        for clause in clauses:
            if isinstance(clause, ast.ReadClause):
                named += self._read(clause)
            elif isinstance(clause, _BLOCKS):
                inner = self.name_targets(clause.clauses)
                named.append(type(clause)(inner, span=clause.span))
            else:
                named.append(clause)
        return tuple(named)

    def _read(self, clause: ast.ReadClause) -> Sequence[ast.Clause]:
        pattern = clause.target
        if isinstance(pattern, ast.Variable):
            return (clause,)
        name = self._next(pattern)
        matched: ast.Clause
        if isinstance(pattern, ast.ConceptPattern):
            matched = ast.ConceptClause(name, pattern, span=pattern.span)
        else:
            matched = ast.LinkClause(name, pattern, span=pattern.span)
        return matched, replace(clause, target=name)

    def _next(self, pattern: ast.Node) -> ast.Variable:
        self._count += 1
        return ast.Variable(f"#{self._count}", span=pattern.span)


def mentions(clauses: Iterable[ast.Clause]) -> list[Mention]:
    """Return every variable of the clauses in textual order, with the kind its place demands.

    True means an element, False a value, None either: FILTER and the target of ATTR take both.
    """
    found: list[Mention] = []
    for clause in clauses:
        match clause:
            case ast.LinkClause():
                if clause.variable is not None:
                    found.append((clause.variable, True))
                _add_mentions(found, clause.pattern)
            case ast.ReadClause():
                if isinstance(clause.target, ast.Variable):
                    found.append((clause.target, None))
                found.append((clause.value, False))
            case ast.ConceptClause():
                if clause.variable is not None:
                    found.append((clause.variable, True))
            case ast.FilterClause():
                found += [(variable_of(one), None) for one in expression_reads(clause.expression)]
            case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
                found += mentions(clause.clauses)
            case _:
                assert_never(clause)
    return found


def _add_mentions(found: list[Mention], end: ast.End) -> None:
    """Add the variables of a link pattern, or of what stands at an end of one."""
    if isinstance(end, ast.Variable):
        found.append((end, True))
    elif isinstance(end, ast.LinkPattern):
        _add_mentions(found, end.subject)
        if isinstance(end.predicate, ast.Variable):
            found.append((end.predicate, False))
        _add_mentions(found, end.object)


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


def expression_reads(expression: ast.Expression) -> list[ast.Variable | ast.Field]:
    """Return the variables and the fields of a FILTER expression in textual order."""
    match expression:
        case ast.Compare():
            operands: tuple[ast.Operand, ...] = (expression.left, expression.right)
        case ast.TestText():
            operands = (expression.text, expression.part)
        case ast.TestIn() | ast.TestNull():
            operands = (expression.value,)
        case ast.Not():
            return expression_reads(expression.operand)
        case ast.And() | ast.Or():
            return [read for one in expression.operands for read in expression_reads(one)]
        case _:
            assert_never(expression)
    return [one for one in operands if isinstance(one, ast.READS)]


def conditions(expression: ast.Expression) -> int:
    """Return how many conditions a FILTER expression joins."""
    match expression:
        case ast.Not():
            return conditions(expression.operand)
        case ast.And() | ast.Or():
            return sum([conditions(one) for one in expression.operands])
        case _:
            return 1


def variable_of(read: ast.Variable | ast.Field) -> ast.Variable:
    """Return the variable itself, or the one whose field is read."""
    return read.variable if isinstance(read, ast.Field) else read


def resolve_kinds(clauses: Iterable[ast.Clause]) -> dict[str, bool]:
    """Return name -> whether it is an element, in order of first mention.

    Targets that only the plan has named come last: the text mentions no variable there.
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
            raise INVALID_SYNTAX.error(
                f"variable ?{variable.name} is {second} here and {first} before",
                "use two variables: an element and a value never compare equal",
                span=variable.span,
                first=places[variable.name].span,
            )
        kinds[variable.name] = kind
        places[variable.name] = variable
    ordered = sorted(kinds, key=lambda name: name.startswith("#"))
    return {name: kinds[name] is not False for name in ordered}


def _names_in_not(clauses: Iterable[ast.Clause]) -> set[str]:
    """Return the names that NOT blocks mention: what they bind is not seen outside."""
    names: set[str] = set()
    for clause in clauses:
        if isinstance(clause, ast.NotClause):
            names |= {variable.name for variable, _ in mentions(clause.clauses)}
        elif isinstance(clause, ast.OptionalClause | ast.UnionClause):
            names |= _names_in_not(clause.clauses)
    return names


def not_bound(
    variable: ast.Variable | ast.Field, known: Iterable[str], where: Iterable[ast.Clause] = ()
) -> RecollectError:
    """Return the error for a variable of a WHERE that nothing binds where it is used."""
    if variable.name in _names_in_not(where):
        return REFERENCE_ERROR.error(
            f"variable ?{variable.name} exists only inside NOT",
            f"move what uses ?{variable.name} into the block of NOT",
            span=variable.span,
        )
    names = [f"?{name}" for name in known if not name.startswith("#")]
    near = nearest(f"?{variable.name}", names)
    return REFERENCE_ERROR.error(
        f"variable ?{variable.name} is not bound",
        f"use {near[0]}" if near else f"bind ?{variable.name} in a clause of WHERE",
        span=variable.span,
        known=near or tuple(names[:10]),
        fix=Fix(variable.span, near[0]) if is_slip(variable.name, near) else None,
    )
