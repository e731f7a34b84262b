"""How a memory grew, as a curve: time runs across, elements that had been made up.

The rule: a curve is drawn on the server from what the log counts; it only rises, since what was
closed had been made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recollect.model import Grown
from recollect.node import dataclass

WIDTH: Final = 900  # of the box that the template draws in
HEIGHT: Final = 160
_TOP: Final = 8


@dataclass(frozen=True, slots=True)
class Curve:
    """Two areas on one another as points of SVG, and what their edges stand for."""

    concepts: str
    elements: str
    first: Grown
    last: Grown


def curve_of(growth: Sequence[Grown]) -> Curve | None:
    """Return the curve of some growth; None where there is none yet."""
    if not growth:
        return None
    first, last = growth[0], growth[-1]
    span = max(1, last.at - first.at)
    most = last.concepts + last.links

    def points(counts: Sequence[int]) -> str:
        """Return the corners of the area below some counts, which rise in steps."""
        corners, height = [(0.0, float(HEIGHT))], float(HEIGHT)
        for one, count in zip(growth, counts, strict=True):
            x = (one.at - first.at) / span * WIDTH
            corners.append((x, height))
            height = HEIGHT - count / most * (HEIGHT - _TOP)
            corners.append((x, height))
        corners += [(WIDTH, height), (WIDTH, HEIGHT)]
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)

    concepts = [one.concepts for one in growth]
    elements = [one.concepts + one.links for one in growth]
    return Curve(points(concepts), points(elements), first, last)
