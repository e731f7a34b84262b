"""Vectors: the elements that lack one, and those whose vector is not that of what they say."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement
from recollect.model import LIVING

CONCEPTS: Final = Statement(f"""
SELECT c.id, t.text, c.name, c.attributes FROM concept AS c
CROSS JOIN term AS t
LEFT JOIN embedded AS m ON m.group_id = :group AND m.element = c.id
WHERE t.group_id = :group AND t.code = c.type AND c.group_id = :group
  AND c.expired_at = {LIVING} AND c.id > :after AND coalesce(m.vector, 0) = 0
ORDER BY c.id LIMIT :most
""")  # noqa: S608 - a number

LINKS: Final = Statement(f"""
SELECT k.id, '', NULL, k.attributes FROM link AS k
LEFT JOIN embedded AS m ON m.group_id = :group AND m.element = k.id
WHERE k.group_id = :group AND k.expired_at = {LIVING} AND k.id > :after
  AND {{is_text {{json k.attributes}} fact}} AND coalesce(m.vector, 0) = 0
ORDER BY k.id LIMIT :most
""")  # noqa: S608 - a number

EMBEDDED: Final = Statement("""
SELECT m.number, m.element, m.vector, m.digest, v.hash, v.vector, v.digest, t.text, c.name,
  coalesce(c.attributes, k.attributes)
FROM embedded AS m
LEFT JOIN vector AS v ON v.group_id = :group AND v.id = m.vector
LEFT JOIN concept AS c ON c.group_id = :group AND c.id = m.element
LEFT JOIN term AS t ON t.group_id = :group AND t.code = c.type
LEFT JOIN link AS k ON k.group_id = :group AND k.id = m.element
WHERE m.group_id = :group AND m.number > :after ORDER BY m.number LIMIT :most
""")

UNUSED: Final = Statement("""
SELECT v.id FROM vector AS v WHERE v.group_id = :group AND NOT EXISTS (
  SELECT 1 FROM embedded AS m WHERE m.group_id = :group AND m.vector = v.id)
""")
