"""Links found by their own documents, through the concepts they join, and those named outright.

The rule: a link scores the mean of its two ends, an end that was not found counting nothing;
what its own document scores is added to that as one chance to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import orjson

from recollect.kernel.search.hits import NAMED, Proposals, named, superseded
from recollect.kernel.search.rank import RankStage, stages
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.store.cells import SqlValue, real, whole
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.meant import ENDS_OF, LINKS_OF, NAMED_LINKS
from recollect.model import ElementKind

ENDS = 1_000
"""Of the concepts that a text finds, the best, through which their links are found."""

_CONSIDERED = 1_000  # documents, at least, among which ends may still move one up
_FURTHER = 8  # times as many links of ends, where the best ones were too few


# How links are found through their ends. Concepts are ranked before; a link scores the mean of its
# two ends, so the best links by ends alone come from one statement that walks out of the best
# concepts. Links also have words of their own, ranked in stages, best first. The two scores meet as
# chances do, 1 - (1 - a)(1 - b), so a link never ranks lower for being found twice. The search ends
# with the group of stages that fills what is lacking.
def link_hits(
    session: Session,
    scope: SearchBounds,
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
    Cost: of every end an index entry of each link, a row of a thousand links, and see `rank`.
    """
    through = _Through(session, scope, ends, limit, with_equals=with_equals)
    found, lacking = dict(through.best), limit
    weights = scope.weights.get(ElementKind.LINK)
    told = stages(session, scope.partitions(ElementKind.LINK), term, weights=weights)
    for place, reached in enumerate(_gathered(told)):
        elements = superseded(session, scope, reached)
        joined = through.of(reached, elements)
        # Beyond the first group words add nothing to what an end scores, however many are wanted,
        # so that no score rises with the limit.
        if place == 0:
            _lift(reached, joined)
        else:  # nor where the limit is so high that these are read: no score rises with it
            _drop(reached, joined)
        proposals = Proposals(session, scope, ElementKind.LINK, elements)
        own = proposals.best(reached, lacking, with_equals=with_equals)
        found |= {one.element: one.score for one in own}
        lacking -= len(own)
        if lacking <= 0:
            break
    return found | dict.fromkeys(named(session, scope, NAMED_LINKS, term, limit), NAMED)


class _Through:
    """What links score by their ends: the best ones are computed at once, others on demand."""

    def __init__(
        self,
        session: Session,
        scope: SearchBounds,
        ends: Mapping[int, float],
        limit: int,
        *,
        with_equals: bool,
    ) -> None:
        self._session = session
        self._scope = scope
        self._ends = ends
        self._hits = orjson.dumps(list(ends.items())).decode()
        self.best: dict[int, float] = {}
        """At least the best `limit` links, with equals all that score as much as the last."""
        self._is_all = not ends
        # One more than wanted tells whether there are others; with equals, until the last differs.
        most = max(limit, _CONSIDERED) + 1
        while not self._is_all:
            rows = self._rows(LINKS_OF, most=most)
            self.best = {whole(link): real(score) for link, score, is_there in rows if is_there}
            self._is_all = len(rows) < most
            wanted = [*self.best.values()][:limit]
            if len(wanted) == limit and not (with_equals and wanted[-1:] == [rows[-1][1]]):
                break
            most *= _FURTHER

    def of(self, documents: Mapping[int, float], elements: Mapping[int, int]) -> dict[int, float]:
        """Return what the links of documents score by their ends, where they do."""
        through = self.best
        # The best links were cut off, so those of these documents may be missing: they are asked
        # for.
        if not self._is_all:
            links = orjson.dumps([*map(elements.get, documents, documents)]).decode()
            score = self._ends.get
            through = {
                whole(link): (score(whole(subject), 0.0) + score(whole(object_), 0.0)) / 2
                for link, subject, object_ in self._rows(ENDS_OF, links=links)
            }
        joined = {one: through[one] for one in documents.keys() & through.keys()}
        return joined | {one: through[its] for one, its in elements.items() if its in through}

    def _rows(self, statement: Statement, **more: SqlValue) -> list[SqlRow]:
        return self._session.rows(statement, self._scope.parameters(hits=self._hits, **more))


def _gathered(told: Iterable[RankStage]) -> Iterator[dict[int, float]]:
    """Yield the documents of stages, in groups that are considered together."""
    gathered: dict[int, float] = {}
    for stage in told:
        gathered |= stage.scores
        if len(gathered) >= _CONSIDERED:
            yield gathered
            gathered = {}
    yield gathered


def _lift(scores: dict[int, float], joined: Mapping[int, float]) -> None:
    """Add to the scores of documents what their links score by their ends."""
    for document, score in joined.items():
        scores[document] = 1 - (1 - scores[document]) * (1 - score)


def _drop(scores: dict[int, float], joined: Mapping[int, float]) -> None:
    """Leave out the documents whose links score by their ends."""
    for document in joined:
        del scores[document]
