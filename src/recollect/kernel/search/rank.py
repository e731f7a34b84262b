"""BM25 inside partitions: which documents of a group fit a query, and how well.

The rule: a score is made of the partitions' own size, mean length and document frequencies,
so nothing another group holds changes an order or a score.

A score is the share of what the query could reach: the BM25 sum of a document divided by the
sum of a document that holds every term endlessly often, unknown terms included. It is above 0,
below 1, and rises with BM25.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.kernel.search.cells import whole
from recollect.kernel.search.partition import Partition
from recollect.kernel.search.stopwords import STOP_WORDS
from recollect.kernel.search.tokens import Term, terms
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.schema import TALLY_DOCUMENTS, TALLY_TOKENS
from recollect.kernel.store.text_functions import pack_weights

MOST_TERMS = 64
"""Terms a query is ranked by: the rarest."""

_MOST_TERMS_READ = 1_000  # distinct terms of a query that are looked up at all
_COMMON_SHARE = 0.1  # a term found in more of the documents than this says little ...
_COMMON_FLOOR = 100  # ... unless there are so few documents that it costs nothing
_ENOUGH_RARER = 3  # ... or fewer rarer terms than this remain

_TALLIES = """
SELECT tally.kind, tally.term, tally.count FROM tally
WHERE tally.group_id = :group AND tally.kind IN (:documents, :tokens)
"""

_FREQUENCY = """
SELECT COUNT(*) FROM (SELECT 1 FROM text_index WHERE text_index MATCH :match LIMIT :most)
"""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A query made ready for the partitions it is asked in."""

    match: str  # the engine's query
    weights: bytes  # what `text_score` takes


@dataclass(frozen=True, slots=True)
class _Weighed:
    term: Term
    frequency: int  # documents that hold it


def ranking(session: Session, partitions: Sequence[Partition], query: str) -> Ranking | None:
    """Return how to rank documents of these partitions of one group for a plain text.

    Several partitions are ranked as if they were one. None: no document holds a word of it.
    Cost: one look-up a term, then what the rarest terms' documents cost.
    """
    size, words = _size(session, partitions)
    wanted = _asked(query)
    if not size or not wanted:
        return None
    limit = int(max(_COMMON_FLOOR, size * _COMMON_SHARE)) + 1
    found = [_Weighed(term, _frequency(session, partitions, term, limit)) for term in wanted]
    kept = _worthwhile(session, partitions, found, limit)
    if not kept:
        return None
    unknown = sum(_weight(0, size) for one in found if not one.frequency)
    weights = [_weight(one.frequency, size) for one in kept]
    phrases = [one.term for one in kept]
    match = " OR ".join(partition.match(phrases) for partition in partitions)
    return Ranking(
        match=match,
        weights=pack_weights(words / size, sum(weights) + unknown, weights * len(partitions)),
    )


def _asked(query: str) -> list[Term]:
    asked = terms(query)
    telling = [term for term in asked if term.text not in STOP_WORDS]
    return (telling or asked)[:_MOST_TERMS_READ]


def _worthwhile(
    session: Session, partitions: Sequence[Partition], found: Sequence[_Weighed], limit: int
) -> list[_Weighed]:
    """Return the terms worth ranking by, rarest first: the common ones only to make up three."""
    rare = [one for one in found if 0 < one.frequency < limit]
    common = [one.term for one in found if one.frequency >= limit]
    missing = max(0, _ENOUGH_RARER - len(rare))
    if common and missing:
        counted = [_Weighed(term, _frequency(session, partitions, term, -1)) for term in common]
        rare += sorted(counted, key=_by_rarity)[:missing]
    return sorted(rare, key=_by_rarity)[:MOST_TERMS]


def _by_rarity(one: _Weighed) -> tuple[int, str]:
    return one.frequency, one.term.text


def _weight(frequency: int, size: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def _size(session: Session, partitions: Sequence[Partition]) -> tuple[int, int]:
    """Return how many documents and tokens the partitions hold together."""
    parts = {partition.part for partition in partitions}
    rows = session.rows(
        _TALLIES,
        {
            "group": partitions[0].group_id,
            "documents": TALLY_DOCUMENTS,
            "tokens": TALLY_TOKENS,
        },
    )
    counts = {TALLY_DOCUMENTS: 0, TALLY_TOKENS: 0}
    for kind, part, count in rows:
        if part in parts:
            counts[str(kind)] += whole(count)
    return counts[TALLY_DOCUMENTS], counts[TALLY_TOKENS]


def _frequency(session: Session, partitions: Sequence[Partition], term: Term, most: int) -> int:
    """Return how many documents hold a term, counting to `most`; -1 counts to the end."""
    match = " OR ".join(partition.match([term]) for partition in partitions)
    row = session.row(_FREQUENCY, {"match": match, "most": most})
    return 0 if row is None else whole(row[0])
