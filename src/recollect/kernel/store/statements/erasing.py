"""What a purge takes away, and what it must leave."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement, of_both
from recollect.model import LIVING

LINKS_AT: Final = Statement("""
SELECT s.id FROM {numbers ids w} CROSS JOIN link AS s
WHERE s.group_id = :group AND s.subject = w.value
UNION
SELECT o.id FROM {numbers ids w} CROSS JOIN link AS o
WHERE o.group_id = :group AND o.object = w.value
""")

OTHER_LIVES: Final = Statement("""
SELECT e.id FROM {rows names w} CROSS JOIN link AS s CROSS JOIN link AS e
WHERE s.id = {cell w.value 0 bigint} AND s.group_id = :group
  AND e.group_id = :group AND {equals e.public_id {cell w.value 1 text}}
  AND (e.born_at = s.expired_at OR e.expired_at = s.born_at)
UNION
SELECT f.id FROM {rows names w} CROSS JOIN link AS s CROSS JOIN link AS f
WHERE s.id = {cell w.value 0 bigint} AND s.group_id = :group
  AND f.id = {cell w.value 2 bigint} AND f.group_id = :group AND f.expired_at = s.born_at
""")  # what is moved is closed here and born there at once

PAST_CONTENTS: Final = Statement("""
SELECT count(*) FROM {numbers ids w} CROSS JOIN past AS p
WHERE p.group_id = :group AND p.id = w.value
""")

PAST_TEXTS: Final = Statement("""
SELECT count(*) FROM {numbers ids w} CROSS JOIN text_past AS t
WHERE t.group_id = :group AND t.element = w.value
""")

AT_ONE: Final = Statement("""
SELECT s.id FROM link AS s WHERE s.group_id = :group AND s.subject = :element
UNION ALL
SELECT o.id FROM link AS o WHERE o.group_id = :group AND o.object = :element
""")

PARTS: Final = Statement("""
SELECT DISTINCT e.id FROM {numbers ids w} CROSS JOIN concept AS c
CROSS JOIN link AS k CROSS JOIN concept AS e
WHERE c.id = w.value AND c.group_id = :group
  AND k.group_id = :group AND k.subject = c.id AND e.id = k.object AND e.group_id = :group
  AND EXISTS (SELECT 1 FROM {rows kinds p}
    CROSS JOIN term AS t CROSS JOIN term AS u
    WHERE t.group_id = :group AND t.text = {cell p.value 0 text}
      AND u.group_id = :group AND u.text = {cell p.value 1 text}
      AND t.code = c.type AND u.code = e.type)
""")

TERMS: Final = of_both("""
SELECT e.{term} FROM {numbers ids w} CROSS JOIN {element} AS e
WHERE e.id = w.value AND e.group_id = :group
""")

LIVING_PURGE: Final = of_both(f"""
SELECT e.id FROM {{numbers ids w}} CROSS JOIN {{element}} AS e
WHERE e.id = w.value AND e.group_id = :group AND e.expired_at = {LIVING}
""")  # noqa: S608 - a number

IS_USED: Final = Statement("""
SELECT EXISTS (SELECT 1 FROM concept AS c WHERE c.group_id = :group AND c.type = :code)
  OR EXISTS (SELECT 1 FROM link AS k WHERE k.group_id = :group AND k.predicate = :code)
""")

EVERY_ELEMENT: Final = of_both("SELECT e.id FROM {element} AS e WHERE e.group_id = :group")

EVERY_TERM: Final = Statement("""
SELECT count(*) FROM term AS t WHERE t.group_id = :group
""")

DELETE_ROWS: Final = tuple(
    Statement(f"DELETE FROM {table} WHERE group_id = ? AND id = ?")  # noqa: S608 - those tables
    for table in ("past", "concept", "link")
)

DELETE_TALLY: Final = Statement("""
DELETE FROM tally WHERE group_id = :group AND term = :code
  AND kind IN (SELECT w.value FROM {texts kinds w})
""")

DELETE_TERM: Final = Statement("DELETE FROM term WHERE group_id = :group AND code = :code")
