"""Elements found by their own documents, and concepts and links named outright.

The rule: a document only proposes; its element's row, bound to the group, decides whether the
element is there at the time asked of and of the type asked for. The document of that time is
the first that was superseded after it, else the current one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Set

import orjson

from recollect.kernel.search.guards import guarded
from recollect.kernel.search.rank import scores as document_scores
from recollect.kernel.search.scope import Scope
from recollect.kernel.search.tokens import folded
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.identity import element_id
from recollect.kernel.store.protocol import Session
from recollect.model import ElementKind

NAMED = 1.0
"""Score of an element whose name or id is the query: words alone stay below it."""

SAID = 0.9999
"""Score of a concept one of whose attributes is the query, whole and to the letter."""

_LOOKED_AT = 100  # best concepts whose names are compared with the query, case and accents aside

_CONCEPTS = guarded(
    "concept",
    """
SELECT one.value ->> 1, concept.name, instr(CASE
  WHEN concept.changed_at <= :known THEN concept.attributes
  ELSE (
    SELECT past.attributes FROM concept_past AS past
    WHERE past.group_id = :group AND past.id = concept.id AND past.until > :known
    ORDER BY past.until LIMIT 1) END, :said)
FROM json_each(:documents) AS one CROSS JOIN concept ON concept.id = one.value ->> 0
WHERE {guards}
  AND one.value ->> 1 = CASE
    WHEN concept.changed_at <= :known THEN concept.id
    ELSE coalesce((
      SELECT -older.doc FROM text_past AS older
      WHERE older.group_id = :group AND older.element = concept.id AND older.until > :known
      ORDER BY older.until LIMIT 1), concept.id) END
""",
)

_LINKS = guarded(
    "link",
    """
SELECT one.value ->> 1, '', 0
FROM json_each(:documents) AS one CROSS JOIN link ON link.id = one.value ->> 0
WHERE {guards}
  AND one.value ->> 1 = CASE
    WHEN link.changed_at <= :known THEN link.id
    ELSE coalesce((
      SELECT -older.doc FROM text_past AS older
      WHERE older.group_id = :group AND older.element = link.id AND older.until > :known
      ORDER BY older.until LIMIT 1), link.id) END
""",
)

_ELEMENTS = """
SELECT past.doc, past.element FROM text_past AS past
WHERE past.group_id = :group AND past.doc IN (SELECT one.value FROM json_each(:documents) AS one)
"""

_NAMED_CONCEPTS = guarded(
    "concept",
    """
SELECT concept.id FROM (
  SELECT named.id FROM concept AS named
  WHERE named.group_id = :group AND named.name = :term AND named.expired_at > :known
  UNION
  SELECT given.id FROM concept AS given
  WHERE given.group_id = :group AND given.public_id = :term AND given.expired_at > :known
  UNION
  SELECT :element) AS candidate
CROSS JOIN concept ON concept.id = candidate.id
WHERE {guards}
ORDER BY concept.id LIMIT :limit
""",
)

_NAMED_LINKS = guarded(
    "link",
    """
SELECT link.id FROM (
  SELECT given.id FROM link AS given
  WHERE given.group_id = :group AND given.public_id = :term AND given.expired_at > :known
  UNION
  SELECT :element) AS candidate
CROSS JOIN link ON link.id = candidate.id
WHERE {guards}
ORDER BY link.id LIMIT :limit
""",
)


def concept_hits(session: Session, scope: Scope, term: str, limit: int) -> dict[int, float]:
    """Return the scores of the best concepts, at most `limit`, best first, ties by id.

    A concept whose name or id is the query scores `NAMED`. Names are compared exactly in the
    whole group, and with case, accents and punctuation aside among the hundred best. Among
    them, one that has the query as an attribute scores `SAID`.
    """
    wanted = folded(term)
    scores: dict[int, float] = {}
    found = _found(session, scope, ElementKind.CONCEPT, term, max(limit, _LOOKED_AT))
    for place, (element, score, name, is_said) in enumerate(found):
        is_looked_at = place < _LOOKED_AT  # and no further, so that no score rises with the limit
        scores[element] = max(score, SAID) if is_said and is_looked_at else score
        if is_looked_at and _is_called(name, wanted):
            scores[element] = NAMED
    scores.update((one, NAMED) for one in _named(session, scope, _NAMED_CONCEPTS, term, limit))
    return best(scores, limit)


def _is_called(name: str, wanted: str) -> bool:
    """Whether a name is the folded text; folding makes no name of plain letters longer."""
    return (len(name) >= len(wanted) or not name.isascii()) and folded(name) == wanted


def link_hits(session: Session, scope: Scope, term: str, limit: int) -> dict[int, float]:
    """Return the scores of the best links by their own documents, as `concept_hits` does."""
    found = _found(session, scope, ElementKind.LINK, term, limit)
    scores = {element: score for element, score, _, _ in found}
    scores.update((one, NAMED) for one in _named(session, scope, _NAMED_LINKS, term, limit))
    return best(scores, limit)


def best(scores: dict[int, float], limit: int) -> dict[int, float]:
    """Return the highest scores, at most `limit`, best first, ties by id."""
    return dict(sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit])


def _found(
    session: Session, scope: Scope, kind: ElementKind, term: str, limit: int
) -> list[tuple[int, float, str, bool]]:
    """Return the best elements that are there, at most `limit`: id, score, name, whether said."""
    said = f":{orjson.dumps(_normal(term)).decode()}"  # how the value of a key begins and ends
    among = scope.among if kind is ElementKind.CONCEPT else None
    statement = _CONCEPTS if kind is ElementKind.CONCEPT else _LINKS
    found: list[tuple[int, float, str, bool]] = []
    current = among if scope.known is None else None  # whose documents have their own ids
    for reached in document_scores(session, scope.partitions(kind), term, current):
        order, elements = _ordered(session, scope, reached, among)
        start, size = 0, limit
        while len(found) < limit and start < len(order):
            proposed = [(elements.get(one, one), one) for one in order[start : start + size]]
            documents = orjson.dumps(proposed).decode()
            rows = session.rows(statement, scope.parameters(documents=documents, said=said))
            there = {document: (text(name), bool(is_said)) for document, name, is_said in rows}
            found += [
                (element, reached[document], *there[document])
                for element, document in proposed
                if document in there
            ]
            start, size = start + size, size * 2
        if len(found) >= limit:
            break
    return found[:limit]


def _ordered(
    session: Session, scope: Scope, reached: Mapping[int, float], among: Set[int] | None
) -> tuple[list[int], dict[int, int]]:
    """Return documents, best first, ties by element; and whose they are if not of their id's."""
    elements = _elements(session, scope, reached)
    if among is not None:
        reached = {one: reached[one] for one in reached if elements.get(one, one) in among}
    order = sorted(reached, key=lambda one: elements.get(one, one)) if elements else sorted(reached)
    order.sort(key=reached.__getitem__, reverse=True)  # keeps the order of ids among equals
    return order, elements


def _elements(session: Session, scope: Scope, documents: Iterable[int]) -> dict[int, int]:
    """Return whose the superseded documents are; the id of any other is its element's."""
    past = [-one for one in documents if one < 0]
    if not past:
        return {}
    wanted = orjson.dumps(past).decode()
    rows = session.rows(_ELEMENTS, {"group": scope.group.group_id, "documents": wanted})
    return {-whole(document): whole(element) for document, element in rows}


def _named(session: Session, scope: Scope, statement: str, term: str, limit: int) -> Iterable[int]:
    name = _normal(term)
    parameters = scope.parameters(
        term=name, element=element_id(scope.group.id_bits, name), limit=limit
    )
    return [whole(element) for (element,) in session.rows(statement, parameters)]


def _normal(term: str) -> str:
    return unicodedata.normalize("NFC", term.strip())
