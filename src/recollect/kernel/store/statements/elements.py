"""Elements by id, name and key, and what was asked of them at another time."""

from __future__ import annotations

STATE = "SELECT e.begun, g.number FROM erasure AS e LEFT JOIN grp AS g ON g.name = ?"

LAST = """
SELECT e.begun, c.last_n, g.number, g.at, g.chain FROM erasure AS e CROSS JOIN counter AS c
LEFT JOIN grp AS g ON g.name = ?
"""

CURRENT = """
SELECT e.id, e.public_id, e.salt, c.digest,
  e.attributes, e.metadata, e.valid_at, e.invalid_at, {identity}
FROM json_each(:ids) AS w CROSS JOIN {table} AS e
LEFT JOIN term AS t ON t.group_id = :group AND t.code = e.{term}
LEFT JOIN change AS c ON c.group_id = :group AND c.tx = e.changed_at AND c.element = e.id
WHERE e.id = w.value AND e.group_id = :group
"""

PAST = """
SELECT e.id, e.public_id, e.salt, c.digest,
  p.attributes, p.metadata, p.valid_at, p.invalid_at, {identity}
FROM json_each(:ids) AS w CROSS JOIN {table} AS e CROSS JOIN {table}_past AS p
LEFT JOIN term AS t ON t.group_id = :group AND t.code = e.{term}
LEFT JOIN change AS c ON c.group_id = :group AND c.tx = p.changed_at AND c.element = e.id
WHERE e.id = w.value AND e.group_id = :group AND p.group_id = :group AND p.id = e.id
"""

KEYS = """
SELECT c.id, c.type, c.name FROM json_each(:ids) AS w CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group AND c.born_at <= :known
  AND (:closed OR c.expired_at > :known)
"""

DECLARED = """
SELECT concept.name FROM concept
WHERE concept.group_id = :group AND concept.type = (
    SELECT term.code FROM term WHERE term.group_id = :group AND term.text = :meta)
  AND concept.expired_at = :living
ORDER BY concept.name = :first DESC, concept.name LIMIT :limit
"""

BY_KEY = """
SELECT e.id FROM concept AS e
WHERE e.group_id = :group AND e.type = :type AND e.name = :name ORDER BY e.id
"""

BY_ID = """
SELECT w.value, c.id FROM json_each(:ids) AS w CROSS JOIN concept AS c
WHERE c.group_id = :group AND c.public_id = w.value AND c.born_at <= :known
UNION ALL
SELECT w.value, k.id FROM json_each(:ids) AS w CROSS JOIN link AS k
WHERE k.group_id = :group AND k.public_id = w.value AND k.born_at <= :known
UNION ALL
SELECT w.key, c.id FROM json_each(:computed) AS w CROSS JOIN concept AS c
WHERE c.group_id = :group AND c.id = w.value AND c.public_id IS NULL AND c.born_at <= :known
UNION ALL
SELECT w.key, k.id FROM json_each(:computed) AS w CROSS JOIN link AS k
WHERE k.group_id = :group AND k.id = w.value AND k.public_id IS NULL AND k.born_at <= :known
ORDER BY 2
"""

PURGED = """
SELECT max(c.tx) FROM change AS c
WHERE c.group_id = :group AND c.element = :element AND c.operation = 'purge'
"""

GIVEN_IDS = """
SELECT c.id, c.public_id FROM json_each(:ids) AS w CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group AND c.public_id IS NOT NULL
UNION ALL
SELECT k.id, k.public_id FROM json_each(:ids) AS w CROSS JOIN link AS k
WHERE k.id = w.value AND k.group_id = :group AND k.public_id IS NOT NULL
"""

MEANT_KEYS = """
SELECT c.id, c.type, c.name FROM json_each(:ids) AS w CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group
"""

TRIPLES = """
SELECT k.id, k.subject, k.predicate, k.object FROM json_each(:ids) AS w CROSS JOIN link AS k
WHERE k.id = w.value AND k.group_id = :group
"""

AT_NUMBER = "SELECT t.number, t.last_id FROM tx AS t WHERE t.group_id = ? AND t.number = ?"

AT_INSTANT = (
    "SELECT t.number, t.last_id FROM tx AS t WHERE t.group_id = ? AND t.at <= ?"
    " ORDER BY t.at DESC LIMIT 1"
)

OUT_OF_TIME = """
SELECT b.id, b.valid_at, b.invalid_at FROM (
  SELECT e.id AS id,
    iif(e.changed_at <= :known, e.valid_at, (SELECT p.valid_at FROM concept_past AS p
      WHERE p.group_id = :group AND p.id = e.id AND p.until > :known
      ORDER BY p.until LIMIT 1)) AS valid_at,
    iif(e.changed_at <= :known, e.invalid_at, (SELECT p.invalid_at FROM concept_past AS p
      WHERE p.group_id = :group AND p.id = e.id AND p.until > :known
      ORDER BY p.until LIMIT 1)) AS invalid_at
  FROM json_each(:ids) AS w CROSS JOIN concept AS e
  WHERE e.id = w.value AND e.group_id = :group
  UNION ALL
  SELECT e.id,
    iif(e.changed_at <= :known, e.valid_at, (SELECT p.valid_at FROM link_past AS p
      WHERE p.group_id = :group AND p.id = e.id AND p.until > :known
      ORDER BY p.until LIMIT 1)),
    iif(e.changed_at <= :known, e.invalid_at, (SELECT p.invalid_at FROM link_past AS p
      WHERE p.group_id = :group AND p.id = e.id AND p.until > :known
      ORDER BY p.until LIMIT 1))
  FROM json_each(:ids) AS w CROSS JOIN link AS e
  WHERE e.id = w.value AND e.group_id = :group
) AS b WHERE b.valid_at > :at OR b.invalid_at <= :at
"""
