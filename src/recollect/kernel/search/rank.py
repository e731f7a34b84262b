"""BM25 inside partitions: which documents of a group fit a query, and how well.

The rule: a score is made of the partitions' own size, mean length and document frequencies,
so nothing another group holds changes an order or a score.

A score is the share of what the query could reach: the BM25 sum of a document divided by the sum of
a document that holds every term endlessly often, unknown terms included. It is above 0, below 1,
and rises with BM25. Terms are read one after another from the index's own lists of the places where
each occurs; asking the engine about every document would cost several times as much.

The weights of the words are counted once and may be passed on: with the same weights a document has
the same score, whatever was written since and whichever partition it is in by now.

If there are too few rare words, common ones are ranked by as well; the engine first intersects
their lists, so that documents with a rarer word, or with two common ones, come before those with a
single common one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import accumulate, chain, combinations, repeat
from operator import add

from recollect.kernel.search.tokens import STOP_WORDS, terms
from recollect.kernel.store.cells import TALLY_DOCUMENTS, TALLY_TOKENS, whole
from recollect.kernel.store.port import Occurrences, Partition, Session, Size, Term, Texts
from recollect.kernel.store.statements.text_index import COUNTS
from recollect.node import dataclass

MOST_TERMS = 64
"""Terms a query is ranked by: the rarest."""

SATURATION = 1.2
"""BM25's k1: how soon one more occurrence of a word stops counting."""

LENGTH_NORMALISATION = 0.75
"""BM25's b: how much a document longer than the mean is held back, 0 to 1."""

_MOST_TERMS_READ = 1_000  # distinct terms of a query that are looked up at all
_COMMON_SHARE = 0.1  # a term found in more of the documents than this says little ...
_COMMON_FLOOR = 100  # ... unless there are so few documents that it costs nothing
_COMMON_MOST = 2_000  # ... and so does one found in more documents than this
_ENOUGH_RARER = 3  # ... or if fewer rarer terms than this remain
_MOST_READ = 3_000  # documents that hold such terms, in all, before more terms are left out

_FURTHER = 4  # times as far to count common terms, until those that are wanted are counted

_MOST_DOCUMENTS = 2**40  # of weights that are read: few enough to weigh every term above 0

_STEP = 0.001  # of the range of a stage's scores: what is left for those of the stages after it


@dataclass(frozen=True, slots=True)
class _Weighed:
    term: Term
    frequency: int  # documents that hold it


@dataclass(frozen=True, slots=True)
class Weights:
    """What a query is ranked by: the sizes of partitions, and its terms that are worth it."""

    size: int = 0  # documents in the partitions
    tokens: int = 0  # in all of them
    unknown: int = 0  # terms that nothing holds
    frequencies: tuple[tuple[int, int], ...] = ()
    """Places of terms in the query, and the documents that hold each, the rarest first."""

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers that `of` reads."""
        return (self.size, self.tokens, self.unknown, *chain.from_iterable(self.frequencies))

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Weights:
        """Return the weights that numbers encode. ValueError for numbers that encode none."""
        size, tokens, unknown, *rest = numbers
        frequencies = tuple(zip(rest[::2], rest[1::2], strict=True))
        if size > _MOST_DOCUMENTS or unknown > _MOST_TERMS_READ or len(frequencies) > MOST_TERMS:
            raise ValueError("more than there can be")
        if any(not (0 < frequency <= size and tokens) for _, frequency in frequencies):
            raise ValueError("documents that hold no word, or that are not there")
        if len(dict(frequencies)) < len(frequencies):
            raise ValueError("a term that is ranked by twice")
        if sum(many >= _common_from(size) for _, many in frequencies) > _ENOUGH_RARER:
            raise ValueError("more common terms than make up for rare ones")
        return cls(size, tokens, unknown, frequencies)


@dataclass(frozen=True, slots=True)
class RankStage:
    """Documents that are all better than those of the stages after it."""

    scores: dict[int, float]
    whole: Set[int]
    """Those that hold every word of the question that says something."""


_Way = tuple[_Weighed, ...]
"""Terms that a document holds together."""


class _Damping(dict[Size, float]):
    """BM25's damping of a count by the size of its document, computed when first met."""

    def __init__(self, texts: Texts, mean_length: float) -> None:
        super().__init__()
        self._length = texts.length
        self._rising = SATURATION * LENGTH_NORMALISATION / mean_length

    def __missing__(self, size: Size) -> float:
        """Return the damping of a size, and keep it; STORE_CORRUPT for what is none."""
        still = SATURATION * (1 - LENGTH_NORMALISATION)
        self[size] = damping = still + self._rising * self._length(size)
        return damping


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What the documents of some partitions are ranked by."""

    texts: Texts
    partitions: Sequence[Partition]
    rare: Sequence[_Weighed]
    common: Sequence[_Weighed]  # to make up three
    is_known: bool  # whether the group has all terms
    size: int  # documents in the partitions
    ideal: float  # the weights of all terms together, unknown ones too
    damping: _Damping

    def reached(
        self,
        weighed: Sequence[_Weighed],
        within: Collection[int] | None,
        lowest: float = 0.0,
        highest: float = 1.0,
    ) -> RankStage:
        """Return the documents, of all or of some, that hold one of the terms.

        Their scores are between the lowest and the highest.
        """
        reached: dict[int, float] = {}
        if within is not None and not within:
            return RankStage(reached, reached.keys())
        held_by_all: Set[int] | None = None
        found = self.texts.occurrences(self.partitions, [one.term for one in weighed], within)
        for one, occurrences in zip(weighed, found, strict=True):
            share = (highest - lowest) * _weight(one.frequency, self.size) / self.ideal
            _add(occurrences, lowest, share, self.damping, reached)
            held = occurrences.documents
            held_by_all = held if held_by_all is None else held_by_all & held
        is_told_whole = self.is_known and len(weighed) == len(self.rare) + len(self.common)
        return RankStage(reached, held_by_all if held_by_all and is_told_whole else set())

    def holding(self, ways: Sequence[_Way], most: int = -1) -> set[int]:
        """Return at most `most` documents that hold all terms of one of the ways."""
        terms = [[one.term for one in way] for way in ways]
        return self.texts.holding(self.partitions, terms, most)


def stages(
    session: Session,
    partitions: Sequence[Partition],
    query: str,
    among: Set[int] | None = None,
    weights: Weights | None = None,
) -> Iterator[RankStage]:
    """Yield the documents of these partitions of one group that fit a text, with their scores.

    They come in stages, each read when it is wanted, each below all of the one before. There is one
    stage unless common terms are ranked by. Then each has a thousandth of the range of the one
    before. First come documents with a rarer term, then those with all three common ones, then
    those with any two of them; these form one stage as long as it has at most 3,000 documents.
    Documents with a single common term follow, term by term, the rarest first. Several partitions
    are ranked as if they were one. `among` leaves other documents out, and `weights` are those of
    the same query from before. Cost: one look-up a term, then every occurrence of the terms that
    are worth it: about a microsecond, or a tenth of one where the documents are told by a stage or
    `among`.
    """
    if weights is None:
        weights = weigh(session, partitions, query)
    if not weights.frequencies:
        return
    ranking = _ranking(session, partitions, query, weights)
    if not ranking.common:
        yield ranking.reached(ranking.rare, among)
        return
    seen: set[int] = set()
    height = 1.0
    for weighed, documents in _stages(ranking):
        within = among if documents is None else documents if among is None else documents & among
        left = None if within is None else within - seen
        stage = ranking.reached(weighed, left, height * _STEP, height)
        for one in seen & stage.scores.keys():
            del stage.scores[one]
        seen |= stage.scores.keys()
        height *= _STEP
        yield stage


def _stages(ranking: _Ranking) -> Iterator[tuple[Sequence[_Weighed], Set[int] | None]]:
    """Yield the terms that each stage is ranked by, and its documents; None: all that hold one."""
    for documents in _together(ranking):
        yield (*ranking.rare, *ranking.common), documents
    for one in ranking.common:
        yield (one,), None


def _together(ranking: _Ranking) -> Iterator[set[int]]:
    """Yield the documents that hold more than a single common term, stage by stage."""
    steps: list[list[_Way]] = [[(one,) for one in ranking.rare]] if ranking.rare else []
    for many in (3, 2):
        steps += [[way] for way in combinations(ranking.common, many)]
    whole_stage = ranking.holding([way for step in steps for way in step], _MOST_READ + 1)
    if len(whole_stage) <= _MOST_READ:
        yield whole_stage
        return
    stage: set[int] = set()
    for step in steps:
        held = ranking.holding(step)
        if stage and len(stage | held) > _MOST_READ:
            yield stage
            stage = set()
        stage |= held
    yield stage


def weigh(session: Session, partitions: Sequence[Partition], query: str) -> Weights:
    """Return what the terms of a query weigh in some partitions as they are now."""
    wanted = asked_terms(query)
    session.texts.expect(partitions, wanted)
    size, tokens = _size(session, partitions)
    if not size or not wanted:
        return Weights()
    limit = _common_from(size)
    found = _weighed(session, partitions, wanted, limit)
    kept = _worthwhile(session, partitions, found, limit)
    places = {term: place for place, term in enumerate(wanted)}
    unknown = sum(not one.frequency for one in found)
    return Weights(
        size, tokens, unknown, tuple([(places[one.term], one.frequency) for one in kept])
    )


def _ranking(
    session: Session, partitions: Sequence[Partition], query: str, weights: Weights
) -> _Ranking:
    wanted, size = asked_terms(query), weights.size
    limit = _common_from(size)
    kept = [_Weighed(wanted[at], many) for at, many in weights.frequencies if at < len(wanted)]
    ideal = sum(_weight(one.frequency, size) for one in kept)
    texts = session.texts
    return _Ranking(
        texts,
        partitions,
        rare=[one for one in kept if one.frequency < limit],
        common=[one for one in kept if one.frequency >= limit],
        is_known=not weights.unknown,
        size=size,
        ideal=ideal + weights.unknown * _weight(0, size),
        damping=_Damping(texts, weights.tokens / size),
    )


def _common_from(size: int) -> int:
    """Return from how many documents on, out of `size`, a term counts as common."""
    return min(int(max(_COMMON_FLOOR, size * _COMMON_SHARE)), _COMMON_MOST) + 1


def _add(
    occurrences: Occurrences,
    lowest: float,
    share: float,
    damping: _Damping,
    reached: dict[int, float],
) -> None:
    """Add what a term contributes to the scores of its documents."""
    documents, sizes, repeated = occurrences
    once = {size: share / (1 + damping[size]) for size in set(sizes)}
    known = map(reached.get, documents, repeat(lowest))
    added = map(add, known, map(once.__getitem__, sizes))
    reached.update(zip(documents, added, strict=False))
    for document, (size, count) in repeated.items():
        reached[document] += share * count / (count + damping[size]) - once[size]


def asked_terms(query: str) -> list[Term]:
    """Return the terms that a query is ranked by: stop words only if it has no others."""
    asked = terms(query)
    telling = [term for term in asked if term.text not in STOP_WORDS]
    return (telling or asked)[:_MOST_TERMS_READ]


def _worthwhile(
    session: Session, partitions: Sequence[Partition], found: Sequence[_Weighed], limit: int
) -> list[_Weighed]:
    """Return the terms worth ranking by, rarest first: the common ones only to make up three.

    Beyond three, terms are added as long as few documents in all hold them.
    """
    rare = [one for one in found if 0 < one.frequency < limit]
    common = [one for one in found if one.frequency >= limit]
    missing = max(0, _ENOUGH_RARER - len(rare))
    if common and missing:
        rare += _rarest(session, partitions, common, missing, limit)
    kept = sorted(rare, key=_by_rarity)[:MOST_TERMS]
    read = list(accumulate(one.frequency for one in kept))
    return [
        one for place, one in enumerate(kept) if place < _ENOUGH_RARER or read[place] <= _MOST_READ
    ]


def _rarest(
    session: Session,
    partitions: Sequence[Partition],
    common: Sequence[_Weighed],
    wanted: int,
    most: int,
) -> list[_Weighed]:
    """Return the rarest of terms that were counted to `most`, counting no further than it takes."""
    counted = list(common)
    while sum(one.frequency < most for one in counted) < min(wanted, len(counted)):
        most *= _FURTHER
        counted = _weighed(session, partitions, [one.term for one in counted], most)
    return sorted(counted, key=_by_rarity)[:wanted]


def _by_rarity(one: _Weighed) -> tuple[int, str]:
    return one.frequency, one.term.text


def _weight(frequency: int, size: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def _size(session: Session, partitions: Sequence[Partition]) -> tuple[int, int]:
    """Return how many documents and tokens the partitions hold together."""
    parts = {partition.part for partition in partitions}
    kinds = {"documents": TALLY_DOCUMENTS, "tokens": TALLY_TOKENS}
    rows = session.rows(COUNTS, {"group": partitions[0].group_id, **kinds})
    counts = {TALLY_DOCUMENTS: 0, TALLY_TOKENS: 0}
    for kind, part, count in rows:
        if part in parts:
            counts[str(kind)] += whole(count)
    return counts[TALLY_DOCUMENTS], counts[TALLY_TOKENS]


def _weighed(
    session: Session, partitions: Sequence[Partition], wanted: Sequence[Term], most: int
) -> list[_Weighed]:
    """Return in how many documents each term is, counting to `most`."""
    counts = session.texts.frequencies(partitions, wanted, most)
    return [_Weighed(*one) for one in zip(wanted, counts, strict=True)]
