"""Documents that a text proposes, best first, and the concepts found by them or named outright.

The rule: a document only proposes; its element's row, bound to the group, decides whether the
element is there at the time asked of and of the type asked for. The document of that time is
the first that was superseded after it, else the current one. Rows are looked at from the best
down, as many as it takes, and each once. Words alone stay below a name; a concept is compared with
the whole text only where its document has every word of it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

import orjson

from recollect.kernel.search.rank import RankStage, stages
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.search.tokens import folded
from recollect.kernel.store.cells import element_id, text, whole
from recollect.kernel.store.port import Parameters, Session
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.meant import NAMED_CONCEPTS
from recollect.kernel.store.statements.text_index import PAST_ELEMENTS, PROPOSED
from recollect.model import ElementKind

_GROWTH = 2  # times as many rows where the first were too few
_SELDOM = 8  # the same where attributes are asked for, which few may have
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
        self._statement = PROPOSED[kind]
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
        growth = _GROWTH if self._scope.where is None else _SELDOM
        for part in self._parts(scores, limit):
            start, size = 0, limit
            while start < len(part) and _is_wanted(scores[part[start]], found, limit, with_equals):
                found += self._there(part[start : start + size], scores)
                start, size = start + size, size * growth
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


NAMED = 1.0
"""Score of an element whose name or id is the query: words alone stay below it."""

SAID = 0.9999
"""Score of a concept one of whose attributes is the query, whole and to the letter."""

_LOOKED_AT = 100  # best concepts with all words that are compared with the query as a whole


def concept_hits(session: Session, scope: SearchBounds, term: str, limit: int) -> dict[int, float]:
    """Return the scores of the best concepts, at most `limit`, best first, ties by id.

    A concept whose name or id is the query scores `NAMED`. Names are compared exactly in the
    whole group, and with case, accents and punctuation aside among the hundred best that have
    all words of the query. Among them, one that has the query as an attribute scores `SAID`.
    """
    wanted, said = folded(term), f":{orjson.dumps(normal(term)).decode()}"  # as the value of a key
    scores: dict[int, float] = {}
    looked_at = 0
    session.soon(NAMED_CONCEPTS, _naming(scope, term, limit))
    for stage, there, proposals in _proposed(session, scope, term, said):
        have_all = there
        if len(stage.whole) < len(stage.scores):
            have_all = {one: there[one] for one in stage.whole & there.keys()}
        for one in proposals.best(there, limit - len(scores)):
            scores[one.element] = one.score
        for one in proposals.best(have_all, _LOOKED_AT - looked_at):
            looked_at += 1
            if _is_called(one.name, wanted):
                scores[one.element] = NAMED
            elif one.is_said:
                scores[one.element] = max(one.score, SAID)
        if len(scores) >= limit:
            break
    scores.update((one, NAMED) for one in named(session, scope, NAMED_CONCEPTS, term, limit))
    return best(scores, limit)


def wordy_hits(session: Session, scope: SearchBounds, term: str, limit: int) -> dict[int, float]:
    """Return the ranks of the best concepts by what they say alone, at most `limit`.

    Their names are ids, which no text means: they order those that are equally good.
    """
    found: list[Proposal] = []
    for _, there, proposals in _proposed(session, scope, term):
        found += proposals.best(there, limit - len(found), with_equals=True)
        if len(found) >= limit:
            break
    found.sort(key=lambda one: (-one.score, one.name))
    return {one.element: one.score for one in found[:limit]}


def _proposed(
    session: Session, scope: SearchBounds, term: str, said: str = ""
) -> Iterator[tuple[RankStage, Mapping[int, float], Proposals]]:
    """Yield the stages of a text, the documents of each that may fit, and what looks at them."""
    current = scope.among if scope.known is None else None  # whose documents have their own ids
    partitions, weights = scope.partitions(kind := ElementKind.CONCEPT), scope.weights.get(kind)
    for stage in stages(session, partitions, term, current, weights):
        elements = superseded(session, scope, stage.scores)
        there = stage.scores
        if scope.among is not None:
            there = {one: there[one] for one in there if elements.get(one, one) in scope.among}
        yield stage, there, Proposals(session, scope, kind, elements, said)


def _is_called(name: str, wanted: str) -> bool:
    """Whether a name is the folded text; folding makes no name of plain letters longer."""
    return (len(name) >= len(wanted) or not name.isascii()) and folded(name) == wanted


def best(scores: dict[int, float], limit: int) -> dict[int, float]:
    """Return the highest scores, at most `limit`, best first, ties by id."""
    return dict(sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit])


def named(
    session: Session, scope: SearchBounds, statement: Statement, term: str, limit: int
) -> Iterable[int]:
    """Return the elements that a text names, by a statement that looks for them."""
    rows = session.rows(statement, _naming(scope, term, limit))
    return [whole(element) for (element,) in rows]


def _naming(scope: SearchBounds, term: str, limit: int) -> Parameters:
    name = normal(term)
    return scope.parameters(term=name, element=element_id(scope.group.id_bits, name), limit=limit)


def normal(term: str) -> str:
    """Return a text as a name or a value that is equal to it would be stored."""
    return unicodedata.normalize("NFC", term.strip())
