"""Domains and types, and what matters most in each."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement

DOMAINS = Statement(
    """
SELECT domain.id, domain.name, (
  SELECT COUNT(*) FROM link AS member
  WHERE member.group_id = :group AND member.object = domain.id AND member.predicate = :belongs
    AND member.expired_at > :known AND member.id <= :last_id) AS members,
  domain.attributes
FROM concept AS domain
WHERE domain.group_id = :group AND domain.type = :domain
  AND domain.expired_at > :known AND domain.id <= :last_id
ORDER BY members DESC, domain.name
"""
)

HAS_MEMBERS = Statement(
    """
SELECT 1 FROM link {then} concept AS domain ON domain.id = link.object
WHERE link.group_id = :group AND domain.group_id = :group
  AND link.predicate = :belongs AND link.expired_at = :living AND domain.name <> :core
LIMIT 1
"""
)

KEY_CONCEPTS = Statement(
    """
WITH counted (id, links) AS (
  SELECT outward.subject, 1 FROM (
    SELECT link.subject FROM link
    WHERE link.group_id = :group AND link.expired_at = :living
    ORDER BY link.subject LIMIT :most_links) AS outward
  UNION ALL
  SELECT inward.object, 1 FROM (
    SELECT link.object FROM link
    WHERE link.group_id = :group AND link.expired_at = :living
    ORDER BY link.object LIMIT :most_links) AS inward
  UNION ALL
  SELECT alone.id, 0 FROM (
    SELECT concept.id FROM concept
    WHERE concept.group_id = :group AND concept.expired_at = :living
    LIMIT :most_links) AS alone
),
degree (id, links) AS (SELECT counted.id, SUM(counted.links) FROM counted GROUP BY counted.id),
member (region, id, links) AS (
  SELECT concept.type, degree.id, degree.links
  FROM degree {then} concept ON concept.id = degree.id
  WHERE concept.group_id = :group AND :belongs::bigint IS NULL
  UNION ALL
  SELECT joined.object, degree.id, degree.links
  FROM degree {then} link AS joined ON joined.subject = degree.id
  WHERE joined.group_id = :group
    AND joined.predicate = :belongs AND joined.expired_at = :living
),
ranked (region, id, position, total) AS (
  SELECT member.region, member.id,
    ROW_NUMBER() OVER (PARTITION BY member.region ORDER BY member.links DESC, member.id),
    SUM(member.links) OVER (PARTITION BY member.region)
  FROM member
)
SELECT ranked.region, ranked.id, concept.name, ranked.total,
  CASE WHEN LENGTH(concept.name) = :wordless THEN concept.attributes ELSE '{}' END,
  CASE WHEN LENGTH(concept.name) = :wordless THEN concept.metadata ELSE '{}' END
FROM ranked {then} concept ON concept.id = ranked.id
WHERE ranked.position <= :most_keys AND concept.group_id = :group
ORDER BY ranked.region, ranked.position
"""
)

KEY_PREDICATES = Statement(
    """
SELECT key.region, predicate.text, COUNT(*) AS links FROM (
  SELECT {cell one.value 0 bigint} AS region, touching.predicate FROM {rows keys one}
  {then} link AS touching ON touching.subject = {cell one.value 1 bigint}
  WHERE touching.group_id = :group AND touching.expired_at = :living
  UNION ALL
  SELECT {cell one.value 0 bigint}, touching.predicate FROM {rows keys one}
  {then} link AS touching ON touching.object = {cell one.value 1 bigint}
  WHERE touching.group_id = :group AND touching.expired_at = :living
  LIMIT :most) AS key
{then} term AS predicate ON predicate.code = key.predicate
WHERE predicate.group_id = :group AND (:belongs::bigint IS NULL OR predicate.code <> :belongs)
GROUP BY key.region, predicate.code, predicate.text ORDER BY key.region, links DESC, predicate.text
"""
)

OF_SELF = Statement(
    """
SELECT concept.attributes FROM concept {then} term ON term.code = concept.type
WHERE concept.group_id = :group AND {equals concept.name :name} AND concept.expired_at = :living
  AND term.group_id = :group AND {equals term.text :type}
"""
)

SERVED = Statement(
    """
SELECT served.name, served.attributes, served.metadata FROM concept {then} term AS kind
  ON kind.code = concept.type
{then} link ON link.subject = concept.id
{then} term AS predicate ON predicate.code = link.predicate
{then} concept AS served ON served.id = link.object
WHERE concept.group_id = :group AND {equals concept.name :name} AND concept.expired_at = :living
  AND kind.group_id = :group AND {equals kind.text :type}
  AND link.group_id = :group AND link.expired_at = :living
  AND link.valid_at <= :now AND :now < link.invalid_at
  AND predicate.group_id = :group AND {equals predicate.text :predicate}
  AND served.group_id = :group
ORDER BY link.id
"""
)

NEWEST_FACTS = Statement(
    """
SELECT kind.text, predicate.text, link.attributes, link.metadata, link.valid_at,
  link.invalid_at, subject.name, subject.attributes, subject.metadata, object.name,
  object.attributes, object.metadata
FROM (SELECT DISTINCT newest.element FROM (
  SELECT change.element FROM change WHERE change.group_id = :group
  ORDER BY change.tx DESC LIMIT :changes) AS newest) AS touched
{then} link ON link.id = touched.element
{then} concept AS subject ON subject.id = link.subject
{then} concept AS object ON object.id = link.object
{then} term AS kind ON kind.code = subject.type
{then} term AS predicate ON predicate.code = link.predicate
WHERE link.group_id = :group AND link.expired_at = :living
  AND link.valid_at <= :now AND :now < link.invalid_at
  AND subject.group_id = :group AND object.group_id = :group
  AND kind.group_id = :group AND predicate.group_id = :group
ORDER BY link.id DESC
"""
)
