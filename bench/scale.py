"""How much of everything a run measures, and how often.

The rule: a scale changes amounts alone; at every scale the same code runs.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """What sizes are divided by, and what repetitions and seconds are."""

    share: int
    pace: int

    def size(self, whole: int) -> int:
        """Return how many elements stand for so many of a whole run."""
        return whole // self.share

    def times(self, whole: int) -> int:
        """Return how often to do what a whole run does so often."""
        return max(1, whole // self.pace)

    def seconds(self, whole: float) -> float:
        """Return how long to do what a whole run does so long."""
        return whole / self.pace


FULL = Scale(1, 1)
SMALL = Scale(10, 1)
TINY = Scale(100, 20)  # proves that a section runs: its times say nothing
