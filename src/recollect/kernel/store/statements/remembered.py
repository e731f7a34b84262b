"""Statements that read what recall keeps in memory: contents, and who wrote them."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

TOUCHED: Final = Statement(
    """
SELECT DISTINCT c.element FROM change AS c
WHERE c.group_id = :group AND c.tx > :after AND c.tx <= :until ORDER BY c.element
"""
)

_AMONG: Final = " AND {alias}.id IN (SELECT one.value FROM {{numbers ids one}})"


def _all_or_some(text: str, alias: str, order: str) -> dict[bool, Statement]:
    """Return a statement that reads all, and one that keeps to `:ids`, by whether it does."""
    return {
        is_some: Statement(text + _AMONG.format(alias=alias) * is_some + f" ORDER BY {order}")
        for is_some in (False, True)
    }


CONCEPTS: Final = _all_or_some(
    """
SELECT c.id, c.type, c.name, 0, c.attributes, c.metadata, c.valid_at, c.invalid_at,
  c.changed_at, c.expired_at
FROM concept AS c WHERE c.group_id = :group""",
    "c",
    "c.id",
)

LINKS: Final = _all_or_some(
    """
SELECT l.id, l.predicate, l.subject, l.object, l.attributes, l.metadata, l.valid_at, l.invalid_at,
  l.changed_at, l.expired_at
FROM link AS l WHERE l.group_id = :group""",
    "l",
    "l.id",
)

PAST: Final = _all_or_some(
    """
SELECT p.id, p.attributes, p.metadata, p.valid_at, p.invalid_at, p.changed_at, p.until
FROM past AS p WHERE p.group_id = :group AND p.until > :after""",
    "p",
    "p.id, p.until",
)

ACTORS: Final = Statement(
    """
SELECT t.number, t.actor FROM tx AS t
WHERE t.group_id = :group AND t.number > :after AND t.actor IS NOT NULL
"""
)
