"""What is counted for all groups of a store: ids, purges and the groups themselves.

The rule: an engine that counts for each group alone says every one of these in its own way.
"""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

COUNT_IDS: Final = Statement("UPDATE counter SET last_n = :last_n")
"""Take the ids of a transaction of `:group` as given out."""

RAISE_IDS: Final = Statement("""
UPDATE counter
SET last_n = {greatest last_n coalesce((SELECT max(t.last_id) >> 1 FROM tx AS t), 0)}
""")
"""Let no id be given out that any transaction knows."""

TAKEN: Final = Statement("""
SELECT (SELECT count(*) FROM concept AS c WHERE c.id IN (SELECT w.value FROM {numbers ids w}))
  + (SELECT count(*) FROM link AS k WHERE k.id IN (SELECT v.value FROM {numbers ids v}))
""")
"""How many elements of other groups than `:group`, which is empty, have one of the ids."""

PURGES: Final = Statement("SELECT e.begun FROM erasure AS e")

UNFINISHED: Final = Statement("SELECT e.begun FROM erasure AS e WHERE e.begun > e.finished")

MAKE_STALE: Final = Statement("UPDATE erasure SET begun = begun + 1, finished = finished + 1")
"""Count a purge of `:group` that had nothing to erase."""

CREATE_GROUP: Final = Statement("""
INSERT INTO grp (group_id, name, id_bits, number, at, chain)
SELECT 1 + {greatest e.last_group coalesce((SELECT max(g.group_id) FROM grp AS g), 0)},
  :name, :id_bits, 0, 0, :chain
FROM erasure AS e
RETURNING group_id
""")
"""The number of a dropped group never comes again: others may still hold it."""

RETIRE_GROUP: Final = Statement("UPDATE erasure SET last_group = {greatest last_group :group}")

AGREE: Final = Statement("""
SELECT n.last_n >= given.n AND e.finished <= e.begun, n.last_n = given.n OR e.last_group > 0,
  {greatest n.last_n e.begun} < :living
FROM counter AS n CROSS JOIN erasure AS e CROSS JOIN (
  SELECT {greatest 0 coalesce(max(t.last_id) >> 1, 0)} AS n FROM tx AS t) AS given
""")
"""Whether nothing is counted twice; whether no id is left out, which only a dropped group
explains; whether counting can go on. How many purges there were, no row tells."""

WRONG_IDS: Final = Statement("""
SELECT e.id FROM (
  SELECT c.id, c.id & 1 = :link AS is_odd FROM concept AS c WHERE c.group_id = :group
  UNION ALL
  SELECT k.id, k.id & 1 != :link FROM link AS k WHERE k.group_id = :group
) AS e WHERE e.is_odd OR e.id > (SELECT 2 * n.last_n + 1 FROM counter AS n) LIMIT :most
""")
"""Ids of the other kind, and those that were never given out."""
