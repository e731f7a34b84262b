"""Links found through the concepts they join.

The rule: a link scores the mean of its two ends, an end that was not found counting nothing;
what its own document scores is added to that as one chance to another.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from recollect.kernel.search.guards import guarded
from recollect.kernel.search.scope import Scope
from recollect.kernel.store.cells import real, whole
from recollect.kernel.store.protocol import Session

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
GROUP BY link.id ORDER BY score DESC, link.id LIMIT :limit
""",
)

_ENDS = """
SELECT link.id, link.subject, link.object
FROM json_each(:links) AS one CROSS JOIN link ON link.id = one.value
WHERE link.group_id = :group
"""


def linked(
    session: Session, scope: Scope, ends: Mapping[int, float], own: Mapping[int, float], limit: int
) -> dict[int, float]:
    """Return the scores of links by their ends and by their own documents, in no order.

    At most `limit` links are met through ends alone, best first, ties by id.
    Cost: every link of every end.
    """
    hits = orjson.dumps(list(ends.items())).decode()
    rows = session.rows(_LINKS_OF, scope.parameters(hits=hits, limit=limit))
    met = {whole(element): real(score) for element, score in rows}
    met |= _means(session, scope, ends, own)
    return {
        element: 1 - (1 - own.get(element, 0.0)) * (1 - score) for element, score in met.items()
    }


def _means(
    session: Session, scope: Scope, ends: Mapping[int, float], own: Mapping[int, float]
) -> dict[int, float]:
    """Return what links found by their own documents score by their ends."""
    links = orjson.dumps(list(own)).decode()
    rows = session.rows(_ENDS, {"group": scope.group.group_id, "links": links})
    return {
        whole(link): (ends.get(whole(subject), 0.0) + ends.get(whole(target), 0.0)) / 2
        for link, subject, target in rows
    }
