"""Documents that a text proposes, best first, and whether their elements are there.

The rule: a document only proposes; its element's row, bound to the group, decides whether the
element is there at the time asked of and of the type asked for. The document of that time is
the first that was superseded after it, else the current one. Rows are looked at from the best
down, as many as it takes, and each once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

import orjson

from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.texts import PAST_ELEMENTS, PROPOSED_CONCEPTS, PROPOSED_LINKS
from recollect.model import ElementKind

_GROWTH = 2  # times as many rows where the first were too few
_SELDOM = 8  # times as many rows at first where attributes are asked for, which few may have
_WORTH_PARTING = 4  # times as many documents as are wanted make it worth to order the best alone


class Proposal(NamedTuple):
    """A document whose element is there: of a concept also its name, and whether it says a text."""

    element: int
    score: float
    name: str
    is_said: bool


class Proposals:
    """The documents of one stage."""

    def __init__(
        self,
        session: Session,
        scope: SearchBounds,
        kind: ElementKind,
        elements: Mapping[int, int],
        said: str = "",
    ) -> None:
        """`elements` are those of `superseded`; `said` is looked for in the attributes' JSON."""
        self._session = session
        self._scope = scope
        self._statement = PROPOSED_CONCEPTS if kind is ElementKind.CONCEPT else PROPOSED_LINKS
        self._elements = elements
        self._said = said
        self._seen: dict[int, Proposal | None] = {}  # by document

    def best(
        self, scores: Mapping[int, float], limit: int, *, with_equals: bool = False
    ) -> list[Proposal]:
        """Return the best documents that are there, at most `limit`, ties by element.

        With equals there may be more: all that score as much as the last one wanted are there.
        """
        found: list[Proposal] = []
        if limit < 1:
            return found
        first = limit if self._scope.where is None else _SELDOM * limit
        for part in self._parts(scores, first):
            start, size = 0, first
            while start < len(part) and _is_wanted(scores[part[start]], found, limit, with_equals):
                found += self._there(part[start : start + size], scores)
                start, size = start + size, size * _GROWTH
            if len(found) >= limit:
                break
        return found if with_equals else found[:limit]

    def _parts(self, scores: Mapping[int, float], most: int) -> Iterator[list[int]]:
        """Yield documents in order, equals together: about `most`, some times as many, the rest."""
        above, values = math.inf, list(scores.values())
        for wanted in (most, _WORTH_PARTING * most):
            if len(values) <= _WORTH_PARTING * wanted:
                break
            bound = nlargest(wanted, values)[-1]
            part = [one for one, score in scores.items() if bound <= score < above]
            yield self._ordered(part, scores)
            above, values = bound, [score for score in values if score < bound]
        yield self._ordered([one for one, score in scores.items() if score < above], scores)

    def _ordered(self, documents: list[int], scores: Mapping[int, float]) -> list[int]:
        """Return documents, best first, ties by element."""
        if self._elements:
            documents.sort(key=self._element)
        else:
            documents.sort()
        documents.sort(key=scores.__getitem__, reverse=True)  # keeps the order of equals
        return documents

    def _element(self, document: int) -> int:
        return self._elements.get(document, document)

    def _there(self, documents: Sequence[int], scores: Mapping[int, float]) -> Iterator[Proposal]:
        """Yield those of the documents that are there, in their order."""
        unseen = [(self._element(one), one) for one in documents if one not in self._seen]
        if unseen:
            self._seen.update((one, None) for _, one in unseen)
            if self._scope.pick is not None:
                fitting = self._scope.pick([element for element, _ in unseen])
                unseen = [one for one in unseen if one[0] in fitting]
            wanted = orjson.dumps(unseen).decode()
            parameters = self._scope.parameters(documents=wanted, said=self._said)
            for document, name, is_said in self._session.rows(self._statement, parameters):
                one = whole(document)
                self._seen[one] = Proposal(
                    self._element(one), scores[one], text(name), bool(is_said)
                )
        for one in documents:
            proposal = self._seen[one]
            if proposal is not None:
                yield proposal


def _is_wanted(score: float, found: Sequence[Proposal], limit: int, with_equals: bool) -> bool:
    """Whether to look at the next document, of that score."""
    if len(found) < limit:
        return True
    return with_equals and score == found[limit - 1].score


def superseded(session: Session, scope: SearchBounds, documents: Iterable[int]) -> dict[int, int]:
    """Return whose the superseded documents are; the id of any other is its element's."""
    past = [] if scope.known is None else [-one for one in documents if one < 0]
    if not past:
        return {}
    wanted = orjson.dumps(past).decode()
    rows = session.rows(PAST_ELEMENTS, {"group": scope.group.group_id, "documents": wanted})
    return {-whole(document): whole(element) for document, element in rows}
