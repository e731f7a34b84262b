"""Concept types and predicates: their codes, how many use them, the newest uses.

The keys of attributes and metadata in use.
"""

from __future__ import annotations

from recollect.kernel.store.statement import Statement
from recollect.model import ElementKind
from recollect.node import dataclass

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


_ORDERED = {ElementKind.CONCEPT: "e.id DESC", ElementKind.LINK: "e.subject DESC, e.object DESC"}
_TERMS = {ElementKind.CONCEPT: "type", ElementKind.LINK: "predicate"}


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked of the newest elements of a kind: `:most` are looked at."""

    listed: Statement  # their keys
    searched: Statement  # whether one has `:key`
    counted: Statement  # how many there are

    @classmethod
    def of(cls, kind: ElementKind, section: str, *, of_term: bool) -> Questions:
        """Return what is asked of those of `:term`, or of all."""
        term = f" AND e.{_TERMS[kind]} = :term" if of_term else ""
        order = f" ORDER BY {_ORDERED[kind]}" if of_term else ""
        sample = (
            f"(SELECT {{json e.{section}}} AS content FROM {kind.value} AS e"  # noqa: S608
            f" WHERE e.group_id = :group{term} AND e.expired_at = :living{order}"
            " LIMIT :most) AS sample"
        )
        of_members = f"{sample} CROSS JOIN {{members sample.content member}}"
        return cls(
            Statement(f"SELECT DISTINCT member.key FROM {of_members}"),  # noqa: S608
            Statement(f"SELECT 1 FROM {of_members} WHERE member.key = :key LIMIT 1"),  # noqa: S608
            Statement(f"SELECT count(*) FROM {sample}"),  # noqa: S608
        )


QUESTIONS = {
    (kind, of_term, section): Questions.of(kind, section, of_term=of_term)
    for kind in ElementKind
    for of_term in (True, False)
    for section in ("attributes", "metadata")
}
"""By kind, whether of one type or predicate, and section."""
