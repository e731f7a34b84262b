"""What the newest concepts of a type, and links of a predicate, look like."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement

TYPE_ATTRIBUTES = Statement(
    """
SELECT attribute.key, attribute.type, COUNT(*) FROM (
  SELECT concept.attributes FROM concept
  WHERE concept.group_id = :group AND concept.type = :code AND concept.expired_at = :living
  ORDER BY concept.id DESC LIMIT :elements) AS newest
CROSS JOIN {members newest.attributes attribute}
GROUP BY attribute.key, attribute.type
"""
)

PREDICATE_ATTRIBUTES = Statement(
    """
SELECT attribute.key, attribute.type, COUNT(*) FROM (
  SELECT link.attributes FROM link
  WHERE link.group_id = :group AND link.predicate = :code AND link.expired_at = :living
  ORDER BY link.subject DESC, link.object DESC LIMIT :elements) AS sample
CROSS JOIN {members sample.attributes attribute}
GROUP BY attribute.key, attribute.type
"""
)

_LINKED = """
SELECT predicate.text, partner_type.text, COUNT(*) FROM (
  SELECT link.predicate, link.<far> AS partner FROM (
    SELECT concept.id FROM concept
    WHERE concept.group_id = :group AND concept.type = :code AND concept.expired_at = :living
    ORDER BY concept.id DESC LIMIT :elements) AS newest
  {then} link ON link.<near> = newest.id
  WHERE link.group_id = :group AND link.expired_at = :living LIMIT :links) AS met
{then} term AS predicate ON predicate.code = met.predicate AND predicate.group_id = :group
LEFT JOIN concept AS other ON other.id = met.partner AND other.group_id = :group
LEFT JOIN term AS partner_type ON partner_type.code = other.type AND partner_type.group_id = :group
GROUP BY predicate.code, predicate.text, partner_type.code, partner_type.text
"""

OUTWARD = Statement(_LINKED.replace("<near>", "subject").replace("<far>", "object"))

INWARD = Statement(_LINKED.replace("<near>", "object").replace("<far>", "subject"))

ENDS = Statement(
    """
SELECT subject_type.text, object_type.text, COUNT(*) FROM (
  SELECT link.subject, link.object FROM link
  WHERE link.group_id = :group AND link.predicate = :code AND link.expired_at = :living
  ORDER BY link.subject DESC, link.object DESC LIMIT :elements) AS sample
LEFT JOIN concept AS subject ON subject.id = sample.subject AND subject.group_id = :group
LEFT JOIN term AS subject_type
  ON subject_type.code = subject.type AND subject_type.group_id = :group
LEFT JOIN concept AS object ON object.id = sample.object AND object.group_id = :group
LEFT JOIN term AS object_type ON object_type.code = object.type AND object_type.group_id = :group
GROUP BY subject_type.code, subject_type.text, object_type.code, object_type.text
"""
)
