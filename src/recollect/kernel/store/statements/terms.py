"""Concept types and predicates: their codes, how many use them, the newest uses."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement

CONCEPTS_USE = Statement(
    """
SELECT EXISTS (
  SELECT 1 FROM concept WHERE concept.group_id = :group AND concept.type = :code)
"""
)

LINKS_USE = Statement(
    """
SELECT EXISTS (
  SELECT 1 FROM link WHERE link.group_id = :group AND link.predicate = :code)
"""
)

NAMES = Statement(
    """
SELECT tally.term, term.text, tally.count FROM tally {then} term ON term.code = tally.term
WHERE tally.group_id = :group AND term.group_id = :group
  AND tally.kind = :kind AND tally.count > 0
ORDER BY tally.count DESC, term.text {limit limit}
"""
)

COUNT = Statement(
    """
SELECT tally.count FROM tally
WHERE tally.group_id = :group AND tally.kind = :kind AND tally.term = :code
"""
)

_AT = """
SELECT term.code, term.text, used.count
FROM (
  SELECT <element>.<term> AS code, COUNT(*) AS count FROM <element>
  WHERE <element>.group_id = :group
    AND <element>.expired_at > :known AND <element>.id <= :last_id
  GROUP BY <element>.<term>) AS used
{then} term ON term.code = used.code
WHERE term.group_id = :group
"""

TYPES_AT = Statement(_AT.replace("<element>", "concept").replace("<term>", "type"))

PREDICATES_AT = Statement(_AT.replace("<element>", "link").replace("<term>", "predicate"))

CODE_OF = Statement(
    "SELECT t.code FROM term AS t WHERE t.group_id = :group AND {equals t.text :text}"
)

CODES_OF = Statement(
    """
SELECT t.text, t.code FROM {texts texts w} CROSS JOIN term AS t
WHERE t.group_id = :group AND {equals t.text w.value}
"""
)

TEXT_OF = Statement("SELECT t.text FROM term AS t WHERE t.group_id = :group AND t.code = :code")

ALL = Statement("SELECT t.text, t.code FROM term AS t WHERE t.group_id = :group")

LAST = Statement("SELECT max(t.code) FROM term AS t WHERE t.group_id = :group")

PUT = Statement("INSERT INTO term (group_id, code, text) VALUES (?, ?, ?)")
