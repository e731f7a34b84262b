"""Concepts found by their own documents, and those named outright.

The rule: words alone stay below a name. A concept is compared with the whole text only where its
document has every word of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping

import orjson

from recollect.kernel.search.proposals import Proposal, Proposals, superseded
from recollect.kernel.search.rank import RankStage, stages
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.search.tokens import folded
from recollect.kernel.store.cells import element_id, whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.meant import NAMED_CONCEPTS
from recollect.model import ElementKind

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


def said_hits(session: Session, scope: SearchBounds, term: str, limit: int) -> dict[int, float]:
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
    name = normal(term)
    parameters = scope.parameters(
        term=name, element=element_id(scope.group.id_bits, name), limit=limit
    )
    return [whole(element) for (element,) in session.rows(statement, parameters)]


def normal(term: str) -> str:
    """Return a text as a name or a value that is equal to it would be stored."""
    return unicodedata.normalize("NFC", term.strip())
