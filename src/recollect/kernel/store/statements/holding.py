"""Links that are true beside others."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement

BESIDE = Statement(
    """
SELECT DISTINCT e.id FROM {rows stays w} CROSS JOIN link AS e
WHERE e.group_id = :group AND e.subject = {cell w.value 0 bigint}
  AND e.predicate = {cell w.value 1 bigint}
  AND e.expired_at = :living AND e.object != {cell w.value 2 bigint}
  AND e.invalid_at > {greatest :now {cell w.value 3 bigint}}
  AND e.valid_at < {cell w.value 4 bigint}
LIMIT :most
"""
)
