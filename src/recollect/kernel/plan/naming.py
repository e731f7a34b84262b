"""Gives every element a query matches without naming it a name, so that all can be shown.

The rule: the solutions stay the same but for what the new names tell apart. What stands in NOT
is left alone: nothing of it is there to be shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

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
