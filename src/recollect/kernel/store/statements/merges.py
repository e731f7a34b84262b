"""What one transaction closed and superseded, as it was: for taking a merge back."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

LOST_CONCEPT: Final = Statement("""
SELECT c.expired_at, c.name, t.text, c.attributes, c.metadata, c.valid_at, c.invalid_at
FROM concept AS c CROSS JOIN term AS t
WHERE c.group_id = :group AND c.id = :element AND t.group_id = :group AND t.code = c.type
""")

LOST_LINKS: Final = Statement("""
SELECT k.id, k.public_id, k.subject, k.predicate, k.object, k.key,
  k.attributes, k.metadata, k.valid_at, k.invalid_at
FROM change AS c CROSS JOIN link AS k
WHERE c.group_id = :group AND c.tx = :tx AND c.operation = 'close'
  AND k.group_id = :group AND k.id = c.element AND k.expired_at = :tx
ORDER BY k.id
""")

CHANGED_CONCEPTS: Final = Statement("""
SELECT c.element FROM change AS c CROSS JOIN concept AS e
WHERE c.group_id = :group AND c.tx = :tx AND c.operation != 'close'
  AND e.group_id = :group AND e.id = c.element
ORDER BY c.element
""")

SUPERSEDED: Final = Statement("""
SELECT p.id, p.attributes, p.metadata, p.valid_at, p.invalid_at
FROM change AS c CROSS JOIN past AS p
WHERE c.group_id = :group AND c.tx = :tx
  AND p.group_id = :group AND p.id = c.element AND p.until = :tx
""")
