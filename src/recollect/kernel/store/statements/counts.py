"""The counts that are kept, the same counted from the rows, and groups with all that is in them.

The rule: what is counted for all groups of a store, ids, purges and the groups themselves, an
engine that counts for each group alone says in its own way.
"""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

_GROUP: Final = """
SELECT g.group_id, g.name, g.id_bits,
  EXISTS (SELECT 1 FROM schema_mode AS m WHERE m.group_id = g.group_id)
FROM grp AS g
"""

ONE: Final = Statement(f"{_GROUP} WHERE g.name = :name")

ALL: Final = Statement(f"{_GROUP} ORDER BY g.name")

NAMES: Final = Statement("SELECT g.name FROM grp AS g ORDER BY g.name")

LAST: Final = Statement("SELECT g.number, g.at FROM grp AS g WHERE g.group_id = :group")

TABLES: Final = (
    *("attribute_index", "change", "concept", "embedded", "embedding_model", "kept_answer"),
    *("link", "past", "receipt", "schema_mode", "tally", "term", "text_past", "tx"),
    *("vector", "work", "grp"),
)
"""All whose rows belong to groups; last is what a wall of the server knows them by."""

DELETE: Final = {
    table: Statement(f"DELETE FROM {table} WHERE group_id = :group")  # noqa: S608 - those tables
    for table in TABLES
}

LOST: Final = {
    table: Statement(f"""
SELECT DISTINCT t.group_id FROM {table} AS t
EXCEPT SELECT g.group_id FROM grp AS g
""")  # noqa: S608
    for table in TABLES
    if table != "grp"
}
"""The groups that have rows in a table and are not there."""


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


CONCEPTS: Final = Statement("""
SELECT c.type, count(*) FROM concept AS c
WHERE c.group_id = :group AND c.expired_at = :living GROUP BY c.type
""")

LINKS: Final = Statement("""
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.expired_at = :living GROUP BY k.predicate
""")

KEYED: Final = Statement("""
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.key != '' GROUP BY k.predicate
""")

LINK_SUBJECTS: Final = Statement("""
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.subject & 1 = :link GROUP BY k.predicate
""")

LINK_OBJECTS: Final = Statement("""
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.object & 1 = :link GROUP BY k.predicate
""")

BOUNDED_CONCEPTS: Final = Statement("""
SELECT c.type, count(*) FROM concept AS c
WHERE c.group_id = :group AND (c.valid_at != :beginning OR c.invalid_at != :forever)
GROUP BY c.type
""")

BOUNDED_LINKS: Final = Statement("""
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND (k.valid_at != :beginning OR k.invalid_at != :forever)
GROUP BY k.predicate
""")

KEPT: Final = Statement("""
SELECT y.kind, y.term, y.count FROM tally AS y
WHERE y.group_id = :group AND y.count != 0
  AND y.kind NOT IN (SELECT w.value FROM {texts others w})
""")

FORGET: Final = Statement("""
DELETE FROM tally WHERE group_id = :group AND kind NOT IN (SELECT w.value FROM {texts others w})
""")

PUT: Final = Statement("INSERT INTO tally (group_id, kind, term, count) VALUES (?, ?, ?, ?)")

ADD: Final = Statement("""
INSERT INTO tally (group_id, kind, term, count) VALUES (?, ?, ?, ?)
ON CONFLICT (group_id, kind, term) DO UPDATE SET count = tally.count + excluded.count
""")

TALLIES: Final = Statement("""
SELECT a.kind, t.text, a.count FROM tally AS a
JOIN term AS t ON t.group_id = a.group_id AND t.code = a.term
WHERE a.group_id = :group AND t.group_id = :group AND a.count > 0
  AND a.kind IN (:concepts, :links, :keyed, :link_subjects, :link_objects,
    :bounded_concepts, :bounded_links)
""")

GROWTH: Final = Statement("""
SELECT max(c.tx), CAST(sum(c.element & 1) AS bigint), count(*) FROM change AS c
WHERE c.group_id = :group AND c.operation = 'create'
GROUP BY c.tx * :marks / (:last + 1) ORDER BY max(c.tx)
""")

COUNTS: Final = Statement("""
SELECT
    (SELECT CAST(coalesce(sum(a.count), 0) AS bigint) FROM tally AS a
      WHERE a.group_id = :group AND a.kind = 'concept'),
    (SELECT CAST(coalesce(sum(b.count), 0) AS bigint) FROM tally AS b
      WHERE b.group_id = :group AND b.kind = 'link'),
    (SELECT count(*) FROM tally AS c
      WHERE c.group_id = :group AND c.kind = 'concept' AND c.count > 0),
    (SELECT count(*) FROM tally AS d
      WHERE d.group_id = :group AND d.kind = 'link' AND d.count > 0),
    (SELECT CAST(coalesce(sum(e.count), 0) AS bigint) FROM tally AS e
      WHERE e.group_id = :group AND e.kind = 'documents'),
    coalesce((SELECT g.number FROM grp AS g WHERE g.group_id = :group), 0),
    coalesce((SELECT h.at FROM grp AS h WHERE h.group_id = :group), 0),
    (SELECT count(*) FROM grp)
""")
