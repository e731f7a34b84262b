"""The answers that are kept for a request that is sent again."""

from __future__ import annotations

FIND = """
SELECT k.payload, k.answer, k.about FROM kept_answer AS k
WHERE k.group_id = :group AND k.operation = :operation AND k.key = :key AND k.until > :now
"""

KEEP = """
INSERT OR REPLACE INTO kept_answer (group_id, operation, key, payload, answer, about, until)
VALUES (:group, :operation, :key, :payload, :answer, :about, :until)
"""

EXPIRE = "DELETE FROM kept_answer WHERE group_id = :group AND until <= :now"

FORGET = """
DELETE FROM kept_answer WHERE group_id = :group AND (
  EXISTS (SELECT 1 FROM json_each(:ids) AS w WHERE instr(kept_answer.answer, w.value) > 0)
  OR EXISTS (SELECT 1 FROM json_each(kept_answer.about) AS a
    WHERE a.value IN (SELECT d.value FROM json_each(:elements) AS d)))
"""

RECEIPTS = """
SELECT DISTINCT r.receipt FROM json_each(:ids) AS w
CROSS JOIN receipt AS r ON r.item = w.value
WHERE r.group_id = :group
"""

WRITTEN = """
SELECT DISTINCT c.element, c.operation FROM change AS c
WHERE c.group_id = :group AND c.tx > :after ORDER BY c.element
"""

SALTS = """
SELECT c.id, c.salt FROM json_each(:about) AS w CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group
UNION ALL
SELECT k.id, k.salt FROM json_each(:about) AS w CROSS JOIN link AS k
WHERE k.id = w.value AND k.group_id = :group
ORDER BY 1
"""
