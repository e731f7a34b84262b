"""How large a statement is to an engine that writes a CTE out wherever it is read.

The rule: SQLite copies a CTE to each place that reads it, even where it runs it only once, and
takes no more CTEs once a statement has a thousand tables. So stages that stand on stages double.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.kernel.sql import nodes

_MOST_TABLES = 950
_MOST_JOINED = 64  # in one FROM
_FEW_TABLES = 16  # which make 633 at most, however they read one another
_LEAVES = frozenset({nodes.Column, nodes.Param, nodes.Number, nodes.Null, str, bool, type(None)})


def fits(statement: nodes.Statement, sql: str) -> bool:
    """Whether an engine takes the statement, whose text is given: most texts are short."""
    if sql.count("FROM ") + sql.count("JOIN ") <= _FEW_TABLES:
        return True
    return _tables(statement, {}) <= _MOST_TABLES


def _tables(part: object, ctes: Mapping[str, int]) -> int:
    """Return how many tables are read, given how many each CTE reads; too many for too wide."""
    if isinstance(part, tuple):
        return sum([_tables(one, ctes) for one in part if type(one) not in _LEAVES])
    if isinstance(part, nodes.Statement):
        known = dict(ctes)
        for cte in part.ctes:
            known[cte.name] = _tables(cte.query, known)
        return _tables(part.query, known)
    if isinstance(part, nodes.Select) and len(part.tables) > _MOST_JOINED:
        return _MOST_TABLES + 1
    slots: tuple[str, ...] = getattr(part, "__slots__", ())
    parts = [getattr(part, slot) for slot in slots]
    tables = sum([_tables(one, ctes) for one in parts if type(one) not in _LEAVES])
    if isinstance(part, nodes.From):
        tables += 1 + (ctes.get(part.source, 0) if isinstance(part.source, str) else 0)
    return tables
