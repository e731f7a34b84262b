"""Statements that read what recall keeps in memory: contents, and who wrote them."""

from __future__ import annotations

from typing import Final

TOUCHED: Final = """
SELECT DISTINCT c.element FROM change AS c
WHERE c.group_id = :group AND c.tx > :after AND c.tx <= :until ORDER BY c.element
"""

CONCEPTS: Final = """
SELECT c.id, c.type, c.name, 0, c.attributes, c.metadata, c.valid_at, c.invalid_at,
  c.changed_at, c.expired_at
FROM concept AS c WHERE c.group_id = :group
"""

LINKS: Final = """
SELECT l.id, l.predicate, l.subject, l.object, l.attributes, l.metadata, l.valid_at, l.invalid_at,
  l.changed_at, l.expired_at
FROM link AS l WHERE l.group_id = :group
"""

PAST_CONCEPTS: Final = """
SELECT p.id, p.attributes, p.metadata, p.valid_at, p.invalid_at, p.changed_at, p.until
FROM concept_past AS p WHERE p.group_id = :group AND p.until > :after
"""

PAST_LINKS: Final = """
SELECT p.id, p.attributes, p.metadata, p.valid_at, p.invalid_at, p.changed_at, p.until
FROM link_past AS p WHERE p.group_id = :group AND p.until > :after
"""

AMONG: Final = {
    "c": " AND c.id IN (SELECT one.value FROM json_each(:ids) AS one)",
    "l": " AND l.id IN (SELECT one.value FROM json_each(:ids) AS one)",
    "p": " AND p.id IN (SELECT one.value FROM json_each(:ids) AS one)",
}
"""What keeps each of these to some ids, by the alias of its table."""

IN_ORDER: Final = {"c": " ORDER BY c.id", "l": " ORDER BY l.id", "p": " ORDER BY p.id, p.until"}

ACTORS: Final = """
SELECT t.number, t.actor FROM tx AS t
WHERE t.group_id = :group AND t.number > :after AND t.actor IS NOT NULL
"""
