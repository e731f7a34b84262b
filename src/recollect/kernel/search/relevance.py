"""How well a hit fits the question, as a number that a THRESHOLD can be compared with.

The rule: it rises with the rank and depends on nothing else, so it never changes the order of hits.
A rank is the share of what the question could reach were its words repeated without end; a
relevance is about the share of the question that the hit says: a text of mean length that says
every word once is at 0.92, one that says half of it, by the rarity of words, at 0.5, and one that
says most of it in few words comes near 1.
"""

from __future__ import annotations

from recollect.kernel.search.rank import SATURATION

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
