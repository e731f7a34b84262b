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
SELECT term.text, tally.count FROM tally {then} term ON term.code = tally.term
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

TYPES_AT = Statement(
    """
SELECT term.text, COUNT(*) FROM concept {then} term ON term.code = concept.type
WHERE concept.group_id = :group AND term.group_id = :group
  AND concept.expired_at > :known AND concept.id <= :last_id
GROUP BY concept.type, term.text
"""
)

PREDICATES_AT = Statement(
    """
SELECT term.text, COUNT(*) FROM link {then} term ON term.code = link.predicate
WHERE link.group_id = :group AND term.group_id = :group
  AND link.expired_at > :known AND link.id <= :last_id
GROUP BY link.predicate, term.text
"""
)

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
