"""Which of the elements that are read are compared with their digests: all, one in n, or none.

The rule: all threads of a store count together. What a count lets pass twice, or not at all, as
two threads change it at once, does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

COMPARE_EVERY: Final = 1_000
"""One in so many elements that are read is compared with its digest: under 2% of any read."""


class Sampling:
    """Counts what is read.

    >>> third = Sampling(3)
    >>> third.of([1, 2]), third.of([3, 4, 5, 6]), third.of([7])
    ([], [3, 6], [])
    """

    def __init__(self, every: int) -> None:
        """`every` is 0 for none, 1 for all, n for one in n."""
        self._every = every
        self._elements = 0
        self._queries = 0
        self._is_suspicious = False

    def of(self, elements: Sequence[int]) -> Sequence[int]:
        """Return those of the elements that are to be compared."""
        every, before = self._every, self._elements
        if self._is_suspicious or every == 1:
            self._is_suspicious = False
            return elements
        if not every:
            return []
        after = before + len(elements)
        self._elements = after % every
        return [] if after < every else elements[every - 1 - before :: every]

    def is_query_due(self) -> bool:
        """Whether what the next query reads its values from is to be compared."""
        return self._is_suspicious or 0 < self._every <= self._queries + 1

    def takes_query(self) -> bool:
        """Count a query that shows values; return whether they are to be compared."""
        is_due = self.is_query_due()
        self._queries = 0 if is_due else self._queries + 1
        return is_due

    def suspect(self) -> None:
        """Let what is read next be compared as a whole: a difference was seen."""
        self._is_suspicious = True
