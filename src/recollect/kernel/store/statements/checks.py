"""What must hold in every group, each as a question for the rows that break it."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement, of_both

_END: Final = """
SELECT k.id FROM link AS k {by_none}
LEFT JOIN concept AS sc ON sc.group_id = :group AND sc.id = k.subject
LEFT JOIN link AS sk ON sk.group_id = :group AND sk.id = k.subject
LEFT JOIN concept AS oc ON oc.group_id = :group AND oc.id = k.object
LEFT JOIN link AS ok ON ok.group_id = :group AND ok.id = k.object
WHERE k.group_id = :group
"""

LOST_ENDS: Final = Statement(f"""
{_END} AND (coalesce(sc.id, sk.id) IS NULL OR coalesce(oc.id, ok.id) IS NULL)
LIMIT :most
""")

ALIVE_AFTER_ENDS: Final = Statement(f"""
{_END} AND k.expired_at > {{least coalesce(sc.expired_at, sk.expired_at, :living)
coalesce(oc.expired_at, ok.expired_at, :living)}} LIMIT :most
""")

OLDER_THAN_ENDS: Final = Statement(f"""
{_END} AND k.id <= {{greatest k.subject k.object}} LIMIT :most
""")

SHARED_NAMES: Final = Statement("""
SELECT max(c.id) FROM concept AS c {by_none}
WHERE c.group_id = :group AND c.expired_at = :living
GROUP BY c.type, c.name HAVING count(*) > 1 LIMIT :most
""")

SHARED_TRIPLES: Final = Statement("""
SELECT max(k.id) FROM link AS k {by_none}
WHERE k.group_id = :group AND k.expired_at = :living
GROUP BY k.subject, k.predicate, k.object, k.key HAVING count(*) > 1 LIMIT :most
""")

SHARED_IDS: Final = of_both(
    """
  SELECT e.id, e.public_id FROM {element} AS e
  WHERE e.group_id = :group AND e.expired_at = :living AND e.public_id IS NOT NULL
""",
    "SELECT max(g.id) FROM ({both}) AS g GROUP BY g.public_id HAVING count(*) > 1 LIMIT :most",
)

EARLY_IDS: Final = of_both(
    """
SELECT e.id FROM {element} AS e JOIN tx AS t ON t.group_id = :group AND t.number = e.born_at
WHERE e.group_id = :group AND e.id > t.last_id
""",
    "{both} LIMIT :most",
)

LOST_TERMS: Final = of_both(
    """
SELECT e.id FROM {element} AS e WHERE e.group_id = :group AND e.{term} NOT IN (
  SELECT t.code FROM term AS t WHERE t.group_id = :group)
""",
    "{both} LIMIT :most",
)

WRONG_CONTENTS: Final = of_both(
    "SELECT e.id, e.attributes, e.metadata FROM {element} AS e WHERE e.group_id = :group",
    """
SELECT e.id FROM ({both} UNION ALL
  SELECT p.id, p.attributes, p.metadata FROM past AS p WHERE p.group_id = :group) AS e
WHERE NOT {is_object e.attributes} OR NOT {is_object e.metadata}
LIMIT :most
""",
)

WRONG_CLOCKS: Final = of_both(
    """
SELECT e.id FROM {element} AS e WHERE e.group_id = :group AND (
  e.born_at < 1 OR e.changed_at < e.born_at OR e.expired_at < e.changed_at
  OR e.changed_at > (SELECT g.number FROM grp AS g WHERE g.group_id = :group)
  OR e.expired_at != :living
    AND e.expired_at > (SELECT g.number FROM grp AS g WHERE g.group_id = :group))
""",
    "{both} LIMIT :most",
)

LOST_PAST: Final = Statement("""
SELECT p.id FROM past AS p
LEFT JOIN concept AS c ON c.group_id = :group AND c.id = p.id
LEFT JOIN link AS k ON k.group_id = :group AND k.id = p.id
WHERE p.group_id = :group
  AND (coalesce(c.id, k.id) IS NULL OR p.until <= p.changed_at
    OR p.until > coalesce(c.changed_at, k.changed_at))
LIMIT :most
""")

SIZE: Final = Statement("SELECT (SELECT count(*) FROM concept) + (SELECT count(*) FROM link)")

COUNTING: Final = Statement("""
SELECT g.name FROM grp AS g WHERE length(g.id_bits) <= :bytes ORDER BY g.name
""")

SHOULD_HAVE: Final = Statement("""
SELECT (SELECT count(*) FROM concept) + (SELECT count(*) FROM link)
  + (SELECT count(*) FROM text_past)
""")
"""How many documents the index of texts should have."""

TEXT_COUNTS: Final = Statement("""
SELECT y.kind, y.term, y.count FROM tally AS y
WHERE y.group_id = :group AND y.kind IN (:documents, :tokens) AND y.count != 0
ORDER BY y.kind, y.term
""")

SUPERSEDED: Final = Statement("""
SELECT p.element, p.until FROM text_past AS p
WHERE p.group_id = :group ORDER BY p.element, p.until
""")
