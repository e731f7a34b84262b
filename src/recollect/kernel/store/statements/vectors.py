"""Vectors: each text of a group once, which element says it, and by which model.

Vectors: the elements that lack one, and those whose vector is not that of what they say.
"""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement
from recollect.model import LIVING

OF_TEXTS: Final = Statement("""
SELECT v.hash, v.id FROM {texts hashes w} CROSS JOIN vector AS v
WHERE v.hash = w.value AND v.group_id = :group
""")

OF_ELEMENTS: Final = Statement("""
SELECT m.element, m.vector FROM {numbers elements w} CROSS JOIN embedded AS m
WHERE m.element = w.value AND m.group_id = :group
""")

LAST_VECTOR: Final = Statement("SELECT coalesce(max(v.id), 0) FROM vector AS v")
"""The highest id of a vector: on an engine whose ids are of a group, of `:group`."""

LAST_NUMBER: Final = Statement(
    "SELECT coalesce(max(m.number), 0) FROM embedded AS m WHERE m.group_id = :group"
)

CHANGE: Final = Statement("""
UPDATE embedded SET number = ?, vector = ?, digest = ? WHERE group_id = ? AND element = ?
""")

REMOVE: Final = Statement("DELETE FROM embedded WHERE group_id = :group AND element = :element")

DROP_UNUSED: Final = Statement("""
DELETE FROM vector WHERE group_id = :group AND id = :vector AND NOT EXISTS (
  SELECT 1 FROM embedded AS m WHERE m.group_id = :group AND m.vector = :vector)
""")

COUNT: Final = Statement("""
SELECT count(*) FROM embedded AS m WHERE m.group_id = :group AND m.vector != :no_vector
""")

STATE: Final = Statement("""
SELECT e.begun, coalesce((
  SELECT max(m.number) FROM embedded AS m WHERE m.group_id = :group), 0)
FROM erasure AS e
""")
"""How many purges there were, and the number of the last change."""

CHANGED: Final = Statement("""
SELECT m.number, m.element, v.vector FROM embedded AS m
LEFT JOIN vector AS v ON v.id = m.vector AND v.group_id = :group
WHERE m.group_id = :group AND m.number > :after ORDER BY m.number LIMIT :most
""")

MODEL: Final = Statement("""
SELECT m.name, m.dimension FROM embedding_model AS m WHERE m.group_id = :group
""")

SET_MODEL: Final = Statement("""
INSERT INTO embedding_model (group_id, name, dimension) VALUES (:group, :name, :dimension)
ON CONFLICT (group_id) DO UPDATE SET name = excluded.name, dimension = excluded.dimension
""")


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
