"""What a server says in its own way: first of all of ids and documents, counted for each group.

The rule: no row is written by writers of different groups, but for purges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.answers import KEEP
from recollect.kernel.store.statements.counts import (
    AGREE,
    COUNT_IDS,
    COUNTS,
    CREATE_GROUP,
    DELETE,
    ONE,
    RAISE_IDS,
    TAKEN,
    WRONG_IDS,
)
from recollect.kernel.store.statements.elements import LAST, STATE
from recollect.kernel.store.statements.living import CONCEPT_BY_NAME, CONCEPT_COLUMNS
from recollect.kernel.store.statements.queue import DUE_GROUPS
from recollect.kernel.store.statements.rows import ADVANCE
from recollect.kernel.store.statements.text_index import LAST_PAST
from recollect.kernel.store.statements.vectors import LAST_VECTOR

_KEPT_KEY: Final = "group_id, operation, left(key, 500), rest_of(key)"

OVERRIDES: Final[Mapping[Statement, str]] = {
    LAST: """
SELECT g.begun, coalesce(g.last_n, 0), g.number, g.at, g.chain FROM group_named(:name) AS g
""",
    STATE: "SELECT g.begun, g.number FROM group_named(:name) AS g",
    ONE: """
SELECT g.group_id, g.name, g.id_bits, g.is_strict FROM group_named(:name) AS g
WHERE g.group_id IS NOT NULL
""",
    CREATE_GROUP: "SELECT make_group(:name, :id_bits, :chain)",
    DELETE["grp"]: "SELECT drop_group(:group)",
    COUNT_IDS: "",  # nothing of its own: they are counted in the row that is advanced
    ADVANCE: """
UPDATE grp SET number = :number, at = :at, chain = :chain, last_n = :last_id >> 1
WHERE group_id = :group
""",
    RAISE_IDS: """
UPDATE grp SET last_n = greatest(last_n, coalesce((
  SELECT max(t.last_id) >> 1 FROM tx AS t WHERE t.group_id = grp.group_id), 0)),
due_at = coalesce((
  SELECT min(w.due_at) FROM work AS w WHERE w.group_id = grp.group_id), due_at)
""",
    COUNTS: COUNTS.text.replace("(SELECT count(*) FROM grp)", "(SELECT count(*) FROM group_name)"),
    KEEP: KEEP.text.replace("(group_id, operation, key) DO", f"({_KEPT_KEY}) DO"),
    DUE_GROUPS: """
SELECT g.name FROM grp AS g WHERE g.due_at <= :now AND NOT EXISTS (
  SELECT 1 FROM work AS o
  WHERE o.group_id = g.group_id AND o.lease_until > :now AND o.owner != '' AND o.owner != :owner)
ORDER BY g.name
""",
    # Each name is looked up by the index of names, whose order is asked for: of a group that is
    # loaded for the first time nothing is counted, and any index of the group would seem as good.
    CONCEPT_BY_NAME: f"""
SELECT c.* FROM {{texts wanted w}} CROSS JOIN LATERAL (
  SELECT {CONCEPT_COLUMNS} FROM concept AS e
  WHERE e.group_id = :group AND {{equals e.name w.value}} AND e.expired_at = :living
  ORDER BY e.type, rest_of(e.name) OFFSET 0) AS c
""",  # noqa: S608 - only the columns are inserted
    LAST_VECTOR: "SELECT coalesce(max(v.id), 0) FROM vector AS v WHERE v.group_id = :group",
    LAST_PAST: "SELECT coalesce(max(p.doc), 0) FROM text_past AS p WHERE p.group_id = :group",
    TAKEN: "SELECT 0::bigint",  # an id of one group says nothing about another's
    AGREE: """
SELECT coalesce(bool_and(n.last_n >= n.given), TRUE) AND e.finished <= e.begun,
  coalesce(bool_and(n.last_n <= n.given), TRUE),
  greatest(max(n.last_n), e.begun) < :living
FROM erasure AS e LEFT JOIN (
  SELECT g.last_n, greatest(0, coalesce((
    SELECT max(t.last_id) >> 1 FROM tx AS t WHERE t.group_id = g.group_id), 0)) AS given
  FROM grp AS g) AS n ON TRUE
GROUP BY e.begun, e.finished
""",
    WRONG_IDS: """
SELECT e.id FROM (
  SELECT c.id, (c.id & 1) = :link AS is_wrong FROM concept AS c WHERE c.group_id = :group
  UNION ALL
  SELECT k.id, (k.id & 1) != :link FROM link AS k WHERE k.group_id = :group
) AS e WHERE e.is_wrong OR e.id > (
  SELECT 2 * g.last_n + 1 FROM grp AS g WHERE g.group_id = :group) LIMIT :most
""",
}
