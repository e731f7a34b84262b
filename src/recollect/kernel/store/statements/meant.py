"""Elements that a text names, that concepts lead to, near in meaning, and true beside others.

Concepts by what people call them: as written, and by the words of a name.
"""

from __future__ import annotations

from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.text_index import guarded
from recollect.model import ElementKind

NAMED_CONCEPTS = guarded(
    ElementKind.CONCEPT,
    """
SELECT concept.id FROM (
  SELECT named.id FROM concept AS named
  WHERE named.group_id = :group AND {equals named.name :term} AND named.expired_at > :known
  UNION
  SELECT given.id FROM concept AS given
  WHERE given.group_id = :group AND {equals given.public_id :term} AND given.expired_at > :known
  UNION
  SELECT :element::bigint) AS candidate
{then} concept ON concept.id = candidate.id
WHERE {guards}
ORDER BY concept.id LIMIT :limit
""",
)

_HITS = """
WITH hit (id, score) AS MATERIALIZED (
  SELECT {cell one.value 0 bigint}, {cell one.value 1 float8} FROM {rows hits one}
)"""

LINKS_OF = guarded(
    ElementKind.LINK,
    f"""
{_HITS},
ending (link, score) AS (
  SELECT outward.id, hit.score
  FROM hit {{then}} link AS outward ON outward.subject = hit.id
  WHERE outward.group_id = :group AND outward.expired_at > :known
  UNION ALL
  SELECT inward.id, hit.score
  FROM hit {{then}} link AS inward ON inward.object = hit.id
  WHERE inward.group_id = :group AND inward.expired_at > :known
),
met (link, score) AS (SELECT ending.link, sum(ending.score) / 2 FROM ending GROUP BY ending.link)
SELECT link.id, best.score, {{guards}}
FROM (SELECT met.link, met.score FROM met ORDER BY met.score DESC, met.link LIMIT :most) AS best
{{then}} link ON link.id = best.link
WHERE link.group_id = :group
ORDER BY best.score DESC, link.id
""",  # noqa: S608 - constants
)

ENDS_OF = guarded(
    ElementKind.LINK,
    f"""
{_HITS}
SELECT link.id, link.subject, link.object
FROM {{numbers links one}} {{then}} link ON link.id = one.value
WHERE {{guards}} AND (
  link.subject IN (SELECT o.id FROM hit AS o) OR link.object IN (SELECT o.id FROM hit AS o))
""",  # noqa: S608 - constants
)

NAMED_LINKS = guarded(
    ElementKind.LINK,
    """
SELECT link.id FROM (
  SELECT given.id FROM link AS given
  WHERE given.group_id = :group AND {equals given.public_id :term} AND given.expired_at > :known
  UNION
  SELECT :element::bigint) AS candidate
{then} link ON link.id = candidate.id
WHERE {guards}
ORDER BY link.id LIMIT :limit
""",
)

AT_HAND = {
    kind: guarded(
        kind,
        """
SELECT {element}.id, {element}.public_id
FROM {numbers elements one} {then} {element} ON {element}.id = one.value
WHERE {guards} AND {element}.changed_at <= :known
""",
    )
    for kind in ElementKind
}
"""Those of some elements that say by then what they say now, by their kind."""

BESIDE = Statement(
    """
SELECT DISTINCT e.id FROM {rows stays w} CROSS JOIN link AS e
WHERE e.group_id = :group AND e.subject = {cell w.value 0 bigint}
  AND e.predicate = {cell w.value 1 bigint}
  AND e.expired_at = :living AND e.object != {cell w.value 2 bigint}
  AND e.invalid_at > {greatest :now {cell w.value 3 bigint}}
  AND e.valid_at < {cell w.value 4 bigint}
LIMIT :most
"""
)


SPELT = Statement("""
SELECT c.id, t.text FROM concept AS c CROSS JOIN term AS t
WHERE c.group_id = :group AND {equals c.name :name}
  AND c.expired_at > :known AND c.born_at <= :known
  AND t.group_id = :group AND t.code = c.type
ORDER BY c.id
""")

CALLED = Statement("""
SELECT c.id, t.text, c.name, {json c.attributes} ->> 'aliases'
FROM {numbers ids w} CROSS JOIN concept AS c CROSS JOIN term AS t
WHERE c.id = w.value AND c.group_id = :group AND c.expired_at > :known AND c.born_at <= :known
  AND t.group_id = :group AND t.code = c.type
ORDER BY c.id
""")

SAID_OF = Statement("""
SELECT t.text, o.name, o.attributes, o.metadata
FROM link AS k CROSS JOIN term AS t CROSS JOIN concept AS o
WHERE k.group_id = :group AND k.subject = :concept AND k.expired_at > :known
  AND k.born_at <= :known
  AND t.group_id = :group AND t.code = k.predicate
  AND o.group_id = :group AND o.id = k.object
ORDER BY k.id {limit most}
""")
