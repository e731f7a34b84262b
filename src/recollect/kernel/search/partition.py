"""Partitions of the text index: one per group, kind, and living or closed.

The rule: every token in the index begins with its partition, so a look-up never meets, counts
or ranks a document of another. The prefix is the group's digits and one consonant: digits end
at the letter, so no two prefixes and contents can be confused; and a prefix without a vowel
leaves the engine's Porter stemmer the syllables it would see without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from recollect.kernel.search.tokens import Term
from recollect.kernel.store.schema import LINK_BIT

_LETTERS = "bcdf"


@dataclass(frozen=True, slots=True)
class Partition:
    """One part of one group's documents.

    >>> Partition(12, is_link=False, is_living=True).prefix
    '12b'
    """

    group_id: int
    is_link: bool
    is_living: bool

    @property
    def part(self) -> int:
        """The part's number, its `term` in the table `tally`."""
        return 2 * self.is_link + (not self.is_living)

    @property
    def prefix(self) -> str:
        """What every token of the partition begins with."""
        return f"{self.group_id}{_LETTERS[self.part]}"

    def body(self, words: Iterable[str]) -> str:
        """Return the text the engine indexes for a document's tokens."""
        prefix = self.prefix
        return " ".join([prefix + word for word in words])

    def match(self, terms: Iterable[Term]) -> str:
        """Return the engine's query for any of the terms; there is at least one.

        >>> Partition(12, is_link=True, is_living=True).match([Term("a"), Term("b", True)])
        '"12da" OR "12db" *'
        """
        prefix = self.prefix
        return " OR ".join(
            f'"{prefix}{term.text}" *' if term.is_prefix else f'"{prefix}{term.text}"'
            for term in terms
        )


@lru_cache(1024)
def _partition(group_id: int, is_link: bool, is_living: bool) -> Partition:
    return Partition(group_id, is_link, is_living)


def partition_of(group_id: int, element: int, is_living: bool) -> Partition:
    """Return the partition an element's document belongs to."""
    return _partition(group_id, element & 1 == LINK_BIT, is_living)
