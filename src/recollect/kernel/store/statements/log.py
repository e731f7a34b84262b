"""The log: transactions, changes with their digests, the chain, and the lives of an element."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement, of_both
from recollect.model import LIVING, MOVED_FROM

STANDING = Statement("SELECT g.number, g.at, g.chain FROM grp AS g WHERE g.group_id = :group")

AT_CHANGE = Statement(
    """
SELECT c.tx FROM change AS c WHERE c.group_id = :group
ORDER BY c.tx DESC, c.element DESC LIMIT 1 OFFSET :most
"""
)

STOOD = Statement(
    """
SELECT t.number, t.at, t.chain FROM tx AS t WHERE t.group_id = :group AND t.number = :number
"""
)

WRITTEN_AT = Statement("SELECT t.number FROM tx AS t WHERE t.group_id = :group AND t.at = :at")

TRANSACTIONS = Statement(
    """
SELECT t.number, t.at, t.last_id, t.actor, t.request, t.chain FROM tx AS t
WHERE t.group_id = :group AND t.number > :after ORDER BY t.number LIMIT :most
"""
)

CHANGES = Statement(
    """
SELECT c.tx, c.element, c.operation, c.digest FROM change AS c
WHERE c.group_id = :group AND (c.tx, c.element) > (:tx, :element)
ORDER BY c.tx, c.element LIMIT :most
"""
)

PURGED = Statement(
    """
SELECT c.element, c.tx FROM change AS c WHERE c.group_id = :group AND c.operation = :purge
"""
)

CONCEPTS = Statement(
    """
SELECT e.id, e.salt, e.born_at, e.changed_at, e.expired_at,
  e.attributes, e.metadata, e.valid_at, e.invalid_at, t.text, e.name, e.public_id
FROM {numbers ids w} CROSS JOIN concept AS e
LEFT JOIN term AS t ON t.group_id = :group AND t.code = e.type
WHERE e.id = w.value AND e.group_id = :group
"""
)

LINKS = Statement(
    """
SELECT e.id, e.salt, e.born_at, e.changed_at, e.expired_at,
  e.attributes, e.metadata, e.valid_at, e.invalid_at,
  e.subject, t.text, e.object, e.key, e.public_id
FROM {numbers ids w} CROSS JOIN link AS e
LEFT JOIN term AS t ON t.group_id = :group AND t.code = e.predicate
WHERE e.id = w.value AND e.group_id = :group
"""
)

PAST = Statement(
    """
SELECT p.id, p.changed_at, p.attributes, p.metadata, p.valid_at, p.invalid_at
FROM {numbers ids w} CROSS JOIN past AS p
WHERE p.group_id = :group AND p.id = w.value
"""
)

_MOVED = (
    "CASE WHEN e.id & 1 = 1 AND {is_json e.metadata} THEN coalesce("
    f"{{cell ({{json e.metadata}} -> '{MOVED_FROM}') 'version' bigint}}, 0) ELSE 0 END"
)
"""How many versions an element had before a merge moved it: only links are moved."""

UNLOGGED_CONTENTS = of_both(
    f"""
SELECT e.id, e.changed_at FROM {{element}} AS e
WHERE e.group_id = :group AND (
  NOT EXISTS (SELECT 1 FROM change AS b WHERE b.group_id = :group
    AND b.tx = e.born_at AND b.element = e.id AND b.operation = 'create')
  OR NOT EXISTS (SELECT 1 FROM change AS c WHERE c.group_id = :group
    AND c.tx = e.changed_at AND c.element = e.id
    AND c.operation IN ('create', 'update', 'close'))
  OR e.expired_at <> {LIVING} AND NOT EXISTS (SELECT 1 FROM change AS d WHERE d.group_id = :group
    AND d.tx = e.expired_at AND d.element = e.id AND d.operation = 'close')
  OR e.version <> {_MOVED} + 1 + (SELECT count(*) FROM past AS p
    WHERE p.group_id = :group AND p.id = e.id))
""",  # noqa: S608 - a number, and the expression above
    "{both} LIMIT 1",
)
"""Contents that the log does not tell of, or whose past is not whole."""

UNLOGGED_PAST = Statement("""
SELECT p.id, p.changed_at FROM past AS p
WHERE p.group_id = :group AND (
  NOT EXISTS (SELECT 1 FROM change AS c WHERE c.group_id = :group
    AND c.tx = p.changed_at AND c.element = p.id AND c.operation IN ('create', 'update'))
  OR NOT EXISTS (SELECT 1 FROM change AS d WHERE d.group_id = :group
    AND d.tx = p.until AND d.element = p.id AND d.operation IN ('update', 'close'))
  OR NOT EXISTS (SELECT 1 FROM concept AS e WHERE e.group_id = :group AND e.id = p.id)
    AND NOT EXISTS (SELECT 1 FROM link AS k WHERE k.group_id = :group AND k.id = p.id))
LIMIT 1
""")

MISNUMBERED_PAST = Statement(f"""
SELECT e.id, e.changed_at FROM (
  SELECT p.id, p.changed_at, p.version, p.metadata, {{json p.metadata}} AS metadata_value,
    row_number() OVER (PARTITION BY p.id ORDER BY p.until) AS place
  FROM past AS p WHERE p.group_id = :group) AS e
WHERE e.version <> {_MOVED} + e.place LIMIT 1
""")  # noqa: S608 - only the expression above is inserted
"""Versions that do not follow each other."""

OF_TRANSACTIONS = Statement(
    """
SELECT c.tx, c.element, c.operation FROM change AS c
WHERE c.group_id = :group AND c.tx >= :first AND c.tx <= :last ORDER BY c.tx, c.element
"""
)

FIRST_OF_TRANSACTION = Statement(
    """
SELECT c.tx, c.element, c.operation FROM change AS c
WHERE c.group_id = :group AND c.tx = :number ORDER BY c.element LIMIT :most
"""
)

BY_NUMBER = Statement(
    """
SELECT t.number, t.at, t.actor, t.request FROM {numbers numbers w} CROSS JOIN tx AS t
WHERE t.group_id = :group AND t.number = w.value
"""
)

AFTER = Statement(
    """
SELECT t.number, t.at, t.actor, t.request FROM tx AS t
WHERE t.group_id = :group AND t.number > :since ORDER BY t.number LIMIT :limit
"""
)

CONTENTS = of_both(
    """
SELECT e.id, e.expired_at, e.changed_at, e.version,
  e.attributes, e.metadata, e.valid_at, e.invalid_at
FROM {numbers ids w} CROSS JOIN {element} AS e WHERE e.id = w.value AND e.group_id = :group
""",
    """{both} UNION ALL
SELECT p.id, p.until, p.changed_at, p.version,
  p.attributes, p.metadata, p.valid_at, p.invalid_at
FROM {numbers ids w} CROSS JOIN past AS p WHERE p.group_id = :group AND p.id = w.value
ORDER BY 3, 2
""",
)
"""All that elements have said, oldest first."""
