"""Concepts of a type by their attributes, their names and their links."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement

INDEXES = Statement(
    """
SELECT a.attribute FROM attribute_index AS a
WHERE a.group_id IN (:group, :every) AND a.type = :name
"""
)

JOINED = Statement(
    """
SELECT w.value, k.key, k.object
FROM {texts ids w} CROSS JOIN concept AS c CROSS JOIN link AS k
WHERE c.group_id = :group AND c.public_id = w.value
  AND c.expired_at > :known AND c.born_at <= :known
  AND k.group_id = :group AND k.subject = c.id
  AND k.predicate IN (SELECT one.value FROM {numbers predicates one})
  AND k.expired_at > :known AND k.born_at <= :known
ORDER BY k.id
"""
)

NAMED = Statement(
    """
SELECT c.id FROM {texts names w} CROSS JOIN concept AS c
WHERE c.group_id = :group AND c.name = w.value AND c.expired_at = :living AND c.type = :type
"""
)

IS_LIVING = Statement(
    """
SELECT 1 FROM concept AS c
WHERE c.group_id = :group AND c.id = :after AND c.type = :type AND c.expired_at = :living
"""
)
