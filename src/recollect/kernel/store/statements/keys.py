"""The keys of attributes and metadata in use."""

from __future__ import annotations

from recollect.model import ElementKind

LISTED = (
    "SELECT DISTINCT member.key FROM ({some}) AS some CROSS JOIN json_each(some.content) AS member"
)

SEARCHED = (
    "SELECT 1 FROM ({some}) AS some CROSS JOIN json_each(some.content) AS member"
    " WHERE member.key = :key LIMIT 1"
)

COUNTED = "SELECT count(*) FROM ({some}) AS some"

SOME = {
    (ElementKind.CONCEPT, True): (
        "SELECT concept.{section} AS content FROM concept WHERE concept.group_id = :group"
        " AND concept.type = :term AND concept.expired_at = :living"
        " ORDER BY concept.id DESC LIMIT :most"
    ),
    (ElementKind.LINK, True): (
        "SELECT link.{section} AS content FROM link WHERE link.group_id = :group"
        " AND link.predicate = :term AND link.expired_at = :living"
        " ORDER BY link.subject DESC, link.object DESC LIMIT :most"
    ),
    (ElementKind.CONCEPT, False): (
        "SELECT concept.{section} AS content FROM concept WHERE concept.group_id = :group"
        " AND concept.expired_at = :living LIMIT :most"
    ),
    (ElementKind.LINK, False): (
        "SELECT link.{section} AS content FROM link WHERE link.group_id = :group"
        " AND link.expired_at = :living LIMIT :most"
    ),
}
