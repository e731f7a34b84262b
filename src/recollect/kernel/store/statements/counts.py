"""The counts that are kept, and the same counted from the rows."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

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
