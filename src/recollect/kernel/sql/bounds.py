"""Whether an answer can rest on what is not true at all times: asked of counts, not of rows.

The rule: what cannot is answered as fast as ever; a doubt counts as a yes.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.kernel.lang import ast
from recollect.kernel.plan.determined import Statistics
from recollect.kernel.sql.output import Compiled


def may_rest(compiled: Compiled, statistics: Statistics, *, is_open: bool) -> bool:
    """Whether an answer can rest on what is not true at all times, as far as the counts tell.

    `is_open` is what `matches_any` says of its query.
    """
    types, predicates = statistics.bounded_types, statistics.bounded_links
    if not types and not predicates:
        return False
    links, names = compiled.predicates, compiled.terms
    if any(text in (predicates if slot in links else types) for slot, text in names.items()):
        return True
    return bool(types and (links or is_open)) or bool(predicates and is_open)


def matches_any(clauses: Iterable[ast.Clause]) -> bool:
    """Whether a clause matches concepts of any type, or links of any predicate."""
    return any(map(_is_open, clauses))


def _is_open(clause: ast.Clause) -> bool:
    match clause:
        case ast.ConceptClause():
            return clause.pattern.type is None
        case ast.LinkClause(pattern=ast.LinkPattern() as pattern):
            return isinstance(pattern.predicate, ast.Variable)
        case ast.LinkClause():
            return True
        case ast.OptionalClause() | ast.UnionClause():
            return matches_any(clause.clauses)
        case _:
            return False
