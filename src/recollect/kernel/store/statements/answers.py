"""The answers that are kept for a request that is sent again."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement, of_both

FIND: Final = Statement("""
SELECT k.payload, k.answer, k.about FROM kept_answer AS k
WHERE k.group_id = :group AND k.operation = :operation AND {equals k.key :key} AND k.until > :now
""")

KEEP: Final = Statement("""
INSERT INTO kept_answer (group_id, operation, key, payload, answer, about, until)
VALUES (:group, :operation, :key, :payload, :answer, :about, :until)
ON CONFLICT (group_id, operation, key) DO UPDATE SET payload = excluded.payload,
  answer = excluded.answer, about = excluded.about, until = excluded.until
""")

EXPIRE: Final = Statement("DELETE FROM kept_answer WHERE group_id = :group AND until <= :now")

FORGET: Final = Statement("""
DELETE FROM kept_answer WHERE group_id = :group AND (
  EXISTS (SELECT 1 FROM {texts ids w} WHERE {part_of kept_answer.answer w.value})
  OR EXISTS (SELECT 1 FROM {elements kept_answer.about a}
    WHERE CAST(a.value AS bigint) IN (SELECT d.value FROM {numbers elements d})))
""")

RECEIPTS: Final = Statement("""
SELECT DISTINCT r.receipt FROM {texts ids w} CROSS JOIN receipt AS r
WHERE r.item = w.value AND r.group_id = :group
""")

WRITTEN: Final = Statement("""
SELECT DISTINCT c.element, c.operation FROM change AS c
WHERE c.group_id = :group AND c.tx > :after ORDER BY c.element, c.operation
""")

SALTS: Final = of_both(
    """
SELECT e.id, e.salt FROM {numbers about w} CROSS JOIN {element} AS e
WHERE e.id = w.value AND e.group_id = :group
""",
    "{both} ORDER BY 1",
)
