"""The ids of all elements of a group, some at a time, for those who copy them."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

PAGE: Final = {
    table: Statement(f"""
SELECT e.id FROM {table} AS e {{by_none}}
WHERE e.group_id = :group AND e.expired_at > :known AND e.id <= :last_id AND e.id > :after
ORDER BY e.id LIMIT :most
""")  # noqa: S608 - the tables are constants
    for table in ("concept", "link")
}
"""By no index: each page would sort the group."""

ENDS: Final = Statement("""
SELECT k.subject, k.object FROM {numbers ids w} CROSS JOIN link AS k
WHERE k.id = w.value AND k.group_id = :group
""")

IS_PURGED: Final = Statement("""
SELECT NOT EXISTS (SELECT 1 FROM grp AS g WHERE g.group_id = :group)
  OR EXISTS (SELECT 1 FROM change AS c
             WHERE c.group_id = :group AND c.tx > :last AND c.operation = :purge)
""")

BY_TYPE: Final = Statement("""
SELECT c.id, c.name, c.attributes FROM concept AS c
WHERE c.group_id = :group AND c.type = :type AND c.expired_at = :living AND c.id > :after
ORDER BY c.id LIMIT :most
""")
