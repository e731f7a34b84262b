"""Ranked lists made one: reciprocal ranks, and nearness to a centre.

The rule: the result depends on the ranks alone, so it is the same for the same lists; ties are
by id. Specification 004, section 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.model import Ranked

CONSTANT = 60
"""RRF's k: how much a first rank is worth more than a second."""

FARTHEST = 3
"""Links beyond which an element is not near the centre at all."""


def fused(legs: Sequence[Sequence[Ranked]]) -> dict[str, float]:
    """Return the sum of the reciprocal ranks of each id; ranks count from 1.

    >>> fused([[Ranked("a", 0.9), Ranked("b", 0.1)], [Ranked("a", 0.3)]])["a"] == 2 / 61
    True
    """
    scores: dict[str, float] = {}
    for leg in legs:
        for rank, one in enumerate(leg, 1):
            scores[one.id] = scores.get(one.id, 0.0) + 1 / (CONSTANT + rank)
    return scores


def share(score: float, legs: int) -> float:
    """Return what a sum of reciprocal ranks is of the most it could be: from 0 to 1.

    >>> share(1 / 61, 1), share(1 / 61, 2)
    (1.0, 0.5)
    """
    return score / (legs / (CONSTANT + 1))


def reranked(
    scores: Mapping[str, float], legs: int, distances: Mapping[str, int], weight: float
) -> dict[str, float]:
    """Return relevance and nearness weighed against each other, each from 0 to 1.

    >>> reranked({"a": 1 / 61, "b": 1 / 62}, 1, {"b": 0}, weight=0.2)["a"]
    0.8
    """
    return {
        one: (1 - weight) * share(score, legs) + weight * _nearness(distances.get(one))
        for one, score in scores.items()
    }


def best(scores: Mapping[str, float], limit: int) -> list[tuple[str, float]]:
    """Return the ids with the highest scores, ties by id."""
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit]


def _nearness(distance: int | None) -> float:
    return 0.0 if distance is None or distance > FARTHEST else 1 / (1 + distance)
