"""Elements found by their own documents, and concepts and links named outright.

The rule: a document only proposes; its element's row, bound to the group, decides whether the
element is there at the time asked of and of the type asked for. The document of that time is
the first that was superseded after it, else the current one; the fact clock of that time is
the row's if the row was written by then, else the one in `*_past`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from recollect.kernel.search.cells import real, text, whole
from recollect.kernel.search.rank import ranking
from recollect.kernel.search.scope import Scope
from recollect.kernel.search.tokens import folded
from recollect.kernel.store.identity import element_id
from recollect.kernel.store.protocol import Session
from recollect.model import ElementKind

NAMED = 1.0
"""Score of an element whose name or id is the query: words alone stay below it."""

_LOOKED_AT = 100  # best concepts whose names are compared with the query, case and accents aside

_CONCEPTS = """
SELECT concept.id, text_score(text_index, :weights) AS score, concept.name
FROM text_index CROSS JOIN concept ON concept.id = text_index.rowid
WHERE text_index MATCH :match AND concept.group_id = :group
  AND concept.expired_at > :known AND concept.born_at <= :known
  AND (concept.changed_at <= :known OR NOT EXISTS (
    SELECT 1 FROM text_past AS older
    WHERE older.group_id = :group AND older.element = concept.id AND older.until > :known))
  AND (:type IS NULL OR concept.type = :type)
  AND (:valid IS NULL OR CASE
    WHEN concept.changed_at <= :known
    THEN concept.valid_at <= :valid AND :valid < concept.invalid_at
    ELSE EXISTS (
      SELECT 1 FROM concept_past AS past
      WHERE past.group_id = :group AND past.id = concept.id
        AND past.until > :known AND past.changed_at <= :known
        AND past.valid_at <= :valid AND :valid < past.invalid_at) END)
ORDER BY score DESC, concept.id LIMIT :limit
"""

_PAST_CONCEPTS = """
SELECT concept.id, text_score(text_index, :weights) AS score, concept.name
FROM text_index
CROSS JOIN text_past AS document ON document.doc = -text_index.rowid
CROSS JOIN concept ON concept.id = document.element
WHERE text_index MATCH :match AND document.group_id = :group AND concept.group_id = :group
  AND concept.expired_at > :known AND concept.born_at <= :known AND document.until > :known
  AND NOT EXISTS (
    SELECT 1 FROM text_past AS older
    WHERE older.group_id = :group AND older.element = concept.id
      AND older.until > :known AND older.until < document.until)
  AND (:type IS NULL OR concept.type = :type)
  AND (:valid IS NULL OR CASE
    WHEN concept.changed_at <= :known
    THEN concept.valid_at <= :valid AND :valid < concept.invalid_at
    ELSE EXISTS (
      SELECT 1 FROM concept_past AS past
      WHERE past.group_id = :group AND past.id = concept.id
        AND past.until > :known AND past.changed_at <= :known
        AND past.valid_at <= :valid AND :valid < past.invalid_at) END)
ORDER BY score DESC, concept.id LIMIT :limit
"""

_LINKS = """
SELECT link.id, text_score(text_index, :weights) AS score, ''
FROM text_index CROSS JOIN link ON link.id = text_index.rowid
WHERE text_index MATCH :match AND link.group_id = :group
  AND link.expired_at > :known AND link.born_at <= :known
  AND (link.changed_at <= :known OR NOT EXISTS (
    SELECT 1 FROM text_past AS older
    WHERE older.group_id = :group AND older.element = link.id AND older.until > :known))
  AND (:type IS NULL OR :type IN (
    link.predicate,
    (SELECT one.type FROM concept AS one WHERE one.group_id = :group AND one.id = link.subject),
    (SELECT one.type FROM concept AS one WHERE one.group_id = :group AND one.id = link.object)))
  AND (:valid IS NULL OR CASE
    WHEN link.changed_at <= :known
    THEN link.valid_at <= :valid AND :valid < link.invalid_at
    ELSE EXISTS (
      SELECT 1 FROM link_past AS past
      WHERE past.group_id = :group AND past.id = link.id
        AND past.until > :known AND past.changed_at <= :known
        AND past.valid_at <= :valid AND :valid < past.invalid_at) END)
ORDER BY score DESC, link.id LIMIT :limit
"""

_PAST_LINKS = """
SELECT link.id, text_score(text_index, :weights) AS score, ''
FROM text_index
CROSS JOIN text_past AS document ON document.doc = -text_index.rowid
CROSS JOIN link ON link.id = document.element
WHERE text_index MATCH :match AND document.group_id = :group AND link.group_id = :group
  AND link.expired_at > :known AND link.born_at <= :known AND document.until > :known
  AND NOT EXISTS (
    SELECT 1 FROM text_past AS older
    WHERE older.group_id = :group AND older.element = link.id
      AND older.until > :known AND older.until < document.until)
  AND (:type IS NULL OR :type IN (
    link.predicate,
    (SELECT one.type FROM concept AS one WHERE one.group_id = :group AND one.id = link.subject),
    (SELECT one.type FROM concept AS one WHERE one.group_id = :group AND one.id = link.object)))
  AND (:valid IS NULL OR CASE
    WHEN link.changed_at <= :known
    THEN link.valid_at <= :valid AND :valid < link.invalid_at
    ELSE EXISTS (
      SELECT 1 FROM link_past AS past
      WHERE past.group_id = :group AND past.id = link.id
        AND past.until > :known AND past.changed_at <= :known
        AND past.valid_at <= :valid AND :valid < past.invalid_at) END)
ORDER BY score DESC, link.id LIMIT :limit
"""

_NAMED_CONCEPTS = """
SELECT concept.id FROM (
  SELECT named.id FROM concept AS named
  WHERE named.group_id = :group AND named.name = :term AND named.expired_at > :known
  UNION
  SELECT given.id FROM concept AS given
  WHERE given.group_id = :group AND given.public_id = :term AND given.expired_at > :known
  UNION
  SELECT :element) AS candidate
CROSS JOIN concept ON concept.id = candidate.id
WHERE concept.group_id = :group
  AND concept.expired_at > :known AND concept.born_at <= :known
  AND (:type IS NULL OR concept.type = :type)
  AND (:valid IS NULL OR CASE
    WHEN concept.changed_at <= :known
    THEN concept.valid_at <= :valid AND :valid < concept.invalid_at
    ELSE EXISTS (
      SELECT 1 FROM concept_past AS past
      WHERE past.group_id = :group AND past.id = concept.id
        AND past.until > :known AND past.changed_at <= :known
        AND past.valid_at <= :valid AND :valid < past.invalid_at) END)
ORDER BY concept.id LIMIT :limit
"""

_NAMED_LINKS = """
SELECT link.id FROM (
  SELECT given.id FROM link AS given
  WHERE given.group_id = :group AND given.public_id = :term AND given.expired_at > :known
  UNION
  SELECT :element) AS candidate
CROSS JOIN link ON link.id = candidate.id
WHERE link.group_id = :group
  AND link.expired_at > :known AND link.born_at <= :known
  AND (:type IS NULL OR :type IN (
    link.predicate,
    (SELECT one.type FROM concept AS one WHERE one.group_id = :group AND one.id = link.subject),
    (SELECT one.type FROM concept AS one WHERE one.group_id = :group AND one.id = link.object)))
  AND (:valid IS NULL OR CASE
    WHEN link.changed_at <= :known
    THEN link.valid_at <= :valid AND :valid < link.invalid_at
    ELSE EXISTS (
      SELECT 1 FROM link_past AS past
      WHERE past.group_id = :group AND past.id = link.id
        AND past.until > :known AND past.changed_at <= :known
        AND past.valid_at <= :valid AND :valid < past.invalid_at) END)
ORDER BY link.id LIMIT :limit
"""


def concept_hits(session: Session, scope: Scope, term: str, limit: int) -> dict[int, float]:
    """Return the scores of the best concepts, at most `limit`, best first, ties by id.

    A concept whose name or id is the query scores `NAMED`. Names are compared exactly in the
    whole group, and with case, accents and punctuation aside among the hundred best.
    """
    wanted = folded(term)
    scores: dict[int, float] = {}
    for element, score, name in _found(
        session, scope, ElementKind.CONCEPT, term, max(limit, _LOOKED_AT)
    ):
        scores[element] = NAMED if folded(name) == wanted else score
    scores.update((one, NAMED) for one in _named(session, scope, _NAMED_CONCEPTS, term, limit))
    return best(scores, limit)


def link_hits(session: Session, scope: Scope, term: str, limit: int) -> dict[int, float]:
    """Return the scores of the best links by their own documents, as `concept_hits` does."""
    found = _found(session, scope, ElementKind.LINK, term, limit)
    scores = {element: score for element, score, _ in found}
    scores.update((one, NAMED) for one in _named(session, scope, _NAMED_LINKS, term, limit))
    return best(scores, limit)


def best(scores: dict[int, float], limit: int) -> dict[int, float]:
    """Return the highest scores, at most `limit`, best first, ties by id."""
    return dict(sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit])


def _found(
    session: Session, scope: Scope, kind: ElementKind, term: str, limit: int
) -> Iterable[tuple[int, float, str]]:
    how = ranking(session, scope.partitions(kind), term)
    if how is None:
        return []
    parameters = scope.parameters(match=how.match, weights=how.weights, limit=limit)
    is_concept = kind is ElementKind.CONCEPT
    rows = session.rows(_CONCEPTS if is_concept else _LINKS, parameters)
    if scope.known is not None:
        rows += session.rows(_PAST_CONCEPTS if is_concept else _PAST_LINKS, parameters)
    return [(whole(element), real(score), text(name)) for element, score, name in rows]


def _named(session: Session, scope: Scope, statement: str, term: str, limit: int) -> Iterable[int]:
    name = unicodedata.normalize("NFC", term.strip())
    parameters = scope.parameters(
        term=name, element=element_id(scope.group.id_bits, name), limit=limit
    )
    return [whole(element) for (element,) in session.rows(statement, parameters)]
