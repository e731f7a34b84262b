"""Links found by their own documents, through the concepts they join, and those named outright.

The rule: a link scores the mean of its two ends, an end that was not found counting nothing;
what its own document scores is added to that as one chance to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import orjson

from recollect.kernel.search.guards import guarded
from recollect.kernel.search.hits import NAMED, named
from recollect.kernel.search.proposals import Proposals, superseded
from recollect.kernel.search.rank import Stage, stages
from recollect.kernel.search.scope import Scope
from recollect.kernel.store.cells import real, whole
from recollect.kernel.store.protocol import Session
from recollect.model import ElementKind

_CONSIDERED = 1_000  # documents at least, if there are so many, that ends may still move up

_LINKS_OF = guarded(
    "link",
    """
WITH hit (id, score) AS MATERIALIZED (
  SELECT CAST(one.value ->> 0 AS INTEGER), one.value ->> 1 FROM json_each(:hits) AS one
),
met (link, score) AS (
  SELECT outward.id, hit.score FROM hit
  CROSS JOIN link AS outward ON outward.subject = hit.id WHERE outward.group_id = :group
  UNION ALL
  SELECT inward.id, hit.score FROM hit
  CROSS JOIN link AS inward ON inward.object = hit.id WHERE inward.group_id = :group
)
SELECT link.id, SUM(met.score) / 2 AS score
FROM met CROSS JOIN link ON link.id = met.link
WHERE {guards}
GROUP BY link.id
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


def link_hits(
    session: Session,
    scope: Scope,
    term: str,
    ends: Mapping[int, float],
    limit: int,
    *,
    with_equals: bool = False,
) -> dict[int, float]:
    """Return the scores of at least the best `limit` links, in no order.

    `ends` are concepts with what they score. A link whose id is the query scores `NAMED`. With
    equals, all links are there that score as much as the last one wanted. Words beyond those of
    the best thousand documents count nothing beside an end.
    Cost: every link of every end, and see `rank`.
    """
    through = _through(session, scope, ends)
    found, lacking = dict(through), limit
    told = stages(session, scope.partitions(ElementKind.LINK), term)
    for place, reached in enumerate(_gathered(told)):
        elements = superseded(session, scope, reached)
        joined = _joined(reached, elements, through)
        if place == 0:
            _lift(reached, joined)
        else:  # nor where so many are wanted that these are read: no score rises with the limit
            _drop(reached, joined)
        proposals = Proposals(session, scope, ElementKind.LINK, elements)
        own = proposals.best(reached, lacking, with_equals=with_equals)
        found |= {one.element: one.score for one in own}
        lacking -= len(own)
        if lacking <= 0:
            break
    return found | dict.fromkeys(named(session, scope, _NAMED_LINKS, term, limit), NAMED)


def _through(session: Session, scope: Scope, ends: Mapping[int, float]) -> dict[int, float]:
    """Return what links score by their ends."""
    if not ends:
        return {}
    hits = orjson.dumps(list(ends.items())).decode()
    rows = session.rows(_LINKS_OF, scope.parameters(hits=hits))
    return {whole(element): real(score) for element, score in rows}


def _gathered(told: Iterable[Stage]) -> Iterator[dict[int, float]]:
    """Yield the documents of stages, so many together as are considered."""
    gathered: dict[int, float] = {}
    for stage in told:
        gathered |= stage.scores
        if len(gathered) >= _CONSIDERED:
            yield gathered
            gathered = {}
    yield gathered


def _joined(
    documents: Mapping[int, float], elements: Mapping[int, int], through: Mapping[int, float]
) -> dict[int, float]:
    """Return what the links of documents score by their ends, where they do."""
    joined = {one: through[one] for one in documents.keys() & through.keys()}
    return joined | {one: through[its] for one, its in elements.items() if its in through}


def _lift(scores: dict[int, float], joined: Mapping[int, float]) -> None:
    """Add to the scores of documents what their links score by their ends."""
    for document, score in joined.items():
        scores[document] = 1 - (1 - scores[document]) * (1 - score)


def _drop(scores: dict[int, float], joined: Mapping[int, float]) -> None:
    """Leave out the documents whose links score by their ends."""
    for document in joined:
        del scores[document]
