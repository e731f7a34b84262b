"""SEARCH: the elements a plain text is about, best first.

The rule: the text is never an operator, and the answer is the same for the same group, text, point
in time and weights: by score, then by id. As of the past, the weights of words depend on everything
written, including later writes. A concept is found by its own document, a link by its own and by
its ends. KIP 1.0-draft3, section META; KIP 1.0-RC11, section 5.2.

A rank is the share of what the question could reach were its words repeated without end; a
relevance rises with the rank and depends on nothing else, so a THRESHOLD never changes the order.
It is about the share of the question that the hit says: a text of mean length that says every word
once is at 0.92, one that says half of it, by the rarity of words, at 0.5, and one that says most of
it in few words comes near 1.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

from recollect.errors import Notice
from recollect.kernel.search.hits import best, concept_hits
from recollect.kernel.search.known_terms import is_declared, nearest_terms, term_code
from recollect.kernel.search.links import ENDS, link_hits
from recollect.kernel.search.modes import HYBRID, KEYWORD, SEMANTIC
from recollect.kernel.search.nearest import nearest
from recollect.kernel.search.rank import SATURATION, Weights, weigh
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.search.tokens import storable
from recollect.kernel.store.port import Session
from recollect.kernel.vectors.meanings import Meanings
from recollect.model import LINK_BIT, ElementKind
from recollect.node import dataclass, field, replace

DEFAULT_LIMIT = 10
"""Elements returned when the query gives no LIMIT."""

_CANDIDATES = 200  # hits of each leg that are fused, whatever the limit, ...
_CANDIDATES_EACH = 2  # ... and for a larger limit, this many for each hit that is wanted


@dataclass(frozen=True, slots=True)
class Match:
    """One element found: its integer id, and its score in 0..1."""

    kind: ElementKind
    element: int
    score: float


@dataclass(frozen=True, slots=True)
class Matches:
    """The answer of a search, best first, ties by id, and what to know about it."""

    matches: tuple[Match, ...]
    notices: tuple[Notice, ...] = ()
    has_more: bool = False
    weights: Mapping[ElementKind, Weights] = field(default_factory=dict)  # of kinds, in order


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """A plain text that elements are looked for by, and how they are compared with it."""

    term: str
    kind: ElementKind | None = None  # None: both
    type: str | None = None
    mode: str = KEYWORD
    meanings: Meanings | None = None

    @property
    def kinds(self) -> tuple[ElementKind, ...]:
        """The kinds of elements that are looked for."""
        return tuple(ElementKind) if self.kind is None else (self.kind,)

    @property
    def asks_meanings(self) -> Meanings | None:
        """What compares by meaning, if the mode asks for it."""
        return None if self.mode == KEYWORD else self.meanings


@dataclass(frozen=True, slots=True)
class HitPage:
    """Which of the hits are wanted: the best but for what scores less, and what was shown."""

    limit: int = DEFAULT_LIMIT
    threshold: float = 0.0
    shown: Collection[int] = ()
    position: int = 0  # how many of the others were shown


def search(
    session: Session, bounds: SearchBounds, question: TextQuestion, page: HitPage
) -> Matches:
    """Find what a plain text is about, among concepts, links, or both.

    A type keeps concepts of that type, and links of that predicate or with an end of that
    type; a name the group never used finds nothing and adds a notice with the nearest.
    A score is a `relevance`, the same whatever the limit: a concept whose
    name or id is the text scores 1; words alone score below 1. Of links, those
    of the thousand best concepts are considered, and at least the thousand best by their words.
    With meanings another mode compares by them: semantic scores the cosine, hybrid the share
    of the reciprocal ranks that the first of both legs reaches.
    The weights of `bounds` are those of a page before. No text raises.
    Cost: see `rank` and `links`.
    """
    question = replace(question, term=storable(question.term))
    kinds, group_id = question.kinds, bounds.group.group_id
    if question.type is not None:
        type_ = unicodedata.normalize("NFC", storable(question.type))
        code = _code(session, group_id, kinds, type_)
        if code is None:
            return Matches((), _unknown(session, group_id, kinds, type_))
        bounds = replace(bounds, type=code)
    if page.limit == 0:
        return Matches(())
    if not bounds.weights and (question.asks_meanings is None or question.mode != SEMANTIC):
        bounds = replace(bounds, weights=_weights(session, bounds, question.term, kinds))
    most = page.limit + len(page.shown) + page.position + 1
    scores = _compared(session, bounds, question, most)
    matches = [
        Match(_kind(element), element, score)
        for element, score in scores.items()
        if score >= page.threshold and element not in page.shown
    ][page.position :]
    has_more = len(matches) > page.limit
    return Matches(tuple(matches[: page.limit]), has_more=has_more, weights=bounds.weights)


def _weights(
    session: Session, scope: SearchBounds, term: str, kinds: tuple[ElementKind, ...]
) -> dict[ElementKind, Weights]:
    """Return what the words weigh: links are found by those of concepts too."""
    wanted = tuple(ElementKind) if ElementKind.LINK in kinds else kinds
    return {one: weigh(session, scope.partitions(one), term) for one in wanted}


def _compared(
    session: Session, scope: SearchBounds, question: TextQuestion, limit: int
) -> dict[int, float]:
    """Return the scores of the best elements in a mode, best first, ties by id."""
    meanings = question.asks_meanings
    if meanings is None:
        return _by_words(session, scope, question, limit)
    if question.mode != HYBRID:
        return _by_meaning(session, scope, question, limit, meanings)
    depth = max(_CANDIDATES, _CANDIDATES_EACH * limit)
    words = _by_words(session, scope, question, depth)
    near = _by_meaning(session, scope, question, depth, meanings)
    return best(fused([words, near]), limit)


def _by_words(
    session: Session, scope: SearchBounds, question: TextQuestion, limit: int
) -> dict[int, float]:
    ranks = best(_scores(session, scope, question.term, question.kinds, limit), limit)
    return {element: relevance(rank) for element, rank in ranks.items()}


def _by_meaning(
    session: Session, scope: SearchBounds, question: TextQuestion, limit: int, meanings: Meanings
) -> dict[int, float]:
    each = (nearest(session, scope, meanings, one, question.term, limit) for one in question.kinds)
    return best({one.element: one.score for found in each for one in found}, limit)


def _scores(
    session: Session, scope: SearchBounds, term: str, kinds: tuple[ElementKind, ...], limit: int
) -> dict[int, float]:
    """Return the ranks of at least the best `limit` elements, in no order."""
    if ElementKind.LINK not in kinds:
        return concept_hits(session, scope, term, limit)
    ends = concept_hits(session, scope.of_any_type(), term, max(limit, ENDS))
    links = link_hits(session, scope, term, best(ends, ENDS), limit)
    if ElementKind.CONCEPT not in kinds:
        return links
    return links | (ends if scope.type is None else concept_hits(session, scope, term, limit))


def _kind(element: int) -> ElementKind:
    return ElementKind.LINK if element & 1 == LINK_BIT else ElementKind.CONCEPT


def _code(session: Session, group_id: int, kinds: tuple[ElementKind, ...], name: str) -> int | None:
    """Return the code of a type or, where links are looked for, of a predicate."""
    codes = [term_code(session, group_id, kind, name) for kind in _naming(kinds)]
    return next((code for code in codes if code is not None), None)


def _naming(kinds: tuple[ElementKind, ...]) -> tuple[ElementKind, ...]:
    """Return whose names WITH TYPE may mean: a link is kept by the type of an end too."""
    return tuple(ElementKind) if ElementKind.LINK in kinds else kinds


def _unknown(
    session: Session, group_id: int, kinds: tuple[ElementKind, ...], name: str
) -> tuple[Notice, ...]:
    if is_declared(session, group_id, _naming(kinds), name):
        return ()
    near = nearest_terms(session, group_id, _naming(kinds), name)
    what = "type or predicate" if ElementKind.LINK in kinds else "concept type"
    hint = f'use "{near[0]}"' if near else ""
    others = f"; known: {', '.join(near)}" if near else ""
    return (Notice("unknown_type", f'no {what} "{name}" is in the memory{others}', hint),)


CONSTANT = 60
"""RRF's k: how much a first rank is worth more than a second."""


def fused(legs: Sequence[Iterable[int]]) -> dict[int, float]:
    """Return what each element reaches of the most it could: to be first in every list.

    >>> fused([[1, 2], [1]]) == {1: 1.0, 2: 61 / 62 / 2}
    True
    """
    scores: dict[int, float] = {}
    for leg in legs:
        for rank, element in enumerate(leg, 1):
            share = (CONSTANT + 1) / (CONSTANT + rank) / len(legs)
            scores[element] = scores.get(element, 0.0) + share
    return scores


_ONCE = 1 + SATURATION  # makes the rank of a text of mean length that says all words once to 1
_BEND = 8  # how long the share is kept as it is before it bends below 1


def relevance(rank: float) -> float:
    """Return the relevance of a rank, both from 0 to 1.

    >>> [round(relevance(rank), 2) for rank in (0, 0.25 / 2.2, 0.5 / 2.2, 1 / 2.2, 1)]
    [0.0, 0.25, 0.5, 0.92, 1.0]
    """
    return _bent(_ONCE * rank) / _bent(_ONCE)


def _bent(share: float) -> float:
    return float(share / (1 + share**_BEND) ** (1 / _BEND))
