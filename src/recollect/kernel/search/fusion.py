"""Ranked lists made one, by reciprocal ranks.

The rule: the result depends on the ranks alone, so it is the same for the same lists; ties are
by id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
