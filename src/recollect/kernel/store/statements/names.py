"""Concepts by what people call them: as written, and by the words of a name."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement

SPELT = Statement("""
SELECT c.id, t.text FROM concept AS c CROSS JOIN term AS t
WHERE c.group_id = :group AND {equals c.name :name}
  AND c.expired_at > :known AND c.born_at <= :known
  AND t.group_id = :group AND t.code = c.type
ORDER BY c.id
""")

CALLED = Statement("""
SELECT c.id, t.text, c.name, {json c.attributes} ->> 'aliases'
FROM {numbers ids w} CROSS JOIN concept AS c CROSS JOIN term AS t
WHERE c.id = w.value AND c.group_id = :group AND c.expired_at > :known AND c.born_at <= :known
  AND t.group_id = :group AND t.code = c.type
ORDER BY c.id
""")

SAID_OF = Statement("""
SELECT t.text, o.name, o.attributes, o.metadata
FROM link AS k CROSS JOIN term AS t CROSS JOIN concept AS o
WHERE k.group_id = :group AND k.subject = :concept AND k.expired_at > :known
  AND k.born_at <= :known
  AND t.group_id = :group AND t.code = k.predicate
  AND o.group_id = :group AND o.id = k.object
ORDER BY k.id {limit most}
""")
