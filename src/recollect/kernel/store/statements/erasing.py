"""What a purge takes away, and what it must leave."""

from __future__ import annotations

from recollect.kernel.store.schema import LIVING

LINKS_AT = """
SELECT s.id FROM json_each(:ids) AS w CROSS JOIN link AS s
WHERE s.group_id = :group AND s.subject = w.value
UNION
SELECT o.id FROM json_each(:ids) AS w CROSS JOIN link AS o
WHERE o.group_id = :group AND o.object = w.value
"""

OTHER_LIVES = """
SELECT e.id FROM json_each(:names) AS w CROSS JOIN link AS s CROSS JOIN link AS e
WHERE s.id = w.value ->> 0 AND s.group_id = :group
  AND e.group_id = :group AND e.public_id = w.value ->> 1
  AND (e.born_at = s.expired_at OR e.expired_at = s.born_at)
UNION
SELECT f.id FROM json_each(:names) AS w CROSS JOIN link AS s CROSS JOIN link AS f
WHERE s.id = w.value ->> 0 AND s.group_id = :group
  AND f.id = w.value ->> 2 AND f.group_id = :group AND f.expired_at = s.born_at
"""  # what is moved is closed here and born there at once

PAST_CONTENTS = """
SELECT
  (SELECT count(*) FROM json_each(:ids) AS w CROSS JOIN concept_past AS c
    WHERE c.group_id = :group AND c.id = w.value)
  + (SELECT count(*) FROM json_each(:ids) AS w CROSS JOIN link_past AS k
    WHERE k.group_id = :group AND k.id = w.value)
"""

DOCUMENTS = """
SELECT
  (SELECT count(*) FROM text_index WHERE text_index.rowid IN (
    SELECT w.value FROM json_each(:ids) AS w))
  + (SELECT count(*) FROM text_past AS t WHERE t.group_id = :group
    AND t.element IN (SELECT w.value FROM json_each(:ids) AS w))
"""

AT_ONE = """
SELECT s.id FROM link AS s WHERE s.group_id = :group AND s.subject = :element
UNION ALL
SELECT o.id FROM link AS o WHERE o.group_id = :group AND o.object = :element
"""

PARTS = """
SELECT DISTINCT e.id FROM json_each(:ids) AS w CROSS JOIN concept AS c
CROSS JOIN link AS k CROSS JOIN concept AS e
WHERE c.id = w.value AND c.group_id = :group
  AND k.group_id = :group AND k.subject = c.id AND e.id = k.object AND e.group_id = :group
  AND EXISTS (SELECT 1 FROM json_each(:kinds) AS p
    CROSS JOIN term AS t ON t.group_id = :group AND t.text = p.value ->> 0
    CROSS JOIN term AS u ON u.group_id = :group AND u.text = p.value ->> 1
    WHERE t.code = c.type AND u.code = e.type)
"""

TERMS = """
SELECT c.type FROM json_each(:ids) AS w CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group
UNION
SELECT k.predicate FROM json_each(:ids) AS w CROSS JOIN link AS k
WHERE k.id = w.value AND k.group_id = :group
"""

LIVING_PURGE = f"""
SELECT c.id FROM json_each(:ids) AS w CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group AND c.expired_at = {LIVING}
UNION ALL
SELECT k.id FROM json_each(:ids) AS w CROSS JOIN link AS k
WHERE k.id = w.value AND k.group_id = :group AND k.expired_at = {LIVING}
"""  # noqa: S608 - a number

IS_USED = """
SELECT EXISTS (SELECT 1 FROM concept AS c WHERE c.group_id = :group AND c.type = :code)
  OR EXISTS (SELECT 1 FROM link AS k WHERE k.group_id = :group AND k.predicate = :code)
"""

EVERY_ELEMENT = """
SELECT c.id FROM concept AS c WHERE c.group_id = :group
UNION ALL
SELECT k.id FROM link AS k WHERE k.group_id = :group
"""

EVERY_TERM = "SELECT count(*) FROM term AS t WHERE t.group_id = :group"

DELETE_ROWS = (
    "DELETE FROM concept_past WHERE group_id = ? AND id = ?",
    "DELETE FROM link_past WHERE group_id = ? AND id = ?",
    "DELETE FROM concept WHERE group_id = ? AND id = ?",
    "DELETE FROM link WHERE group_id = ? AND id = ?",
)

DELETE_TALLY = "DELETE FROM tally WHERE group_id = ? AND kind IN (?, ?, ?, ?, ?, ?, ?) AND term = ?"

DELETE_TERM = "DELETE FROM term WHERE group_id = ? AND code = ?"
