"""Partitions of the text index: one per group, kind, and living or closed.

The rule: every token in the index begins with its partition, so a look-up never meets, counts
or ranks a document of another. The prefix is the group's digits and one consonant: digits end
at the letter, so no two prefixes and contents can be confused; and a prefix without a vowel
leaves the engine's Porter stemmer the syllables it would see without it. The stemmer leaves
words of one or two letters alone, but counts the prefix: a mark at their end keeps it off.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from recollect.kernel.search.tokens import Term
from recollect.kernel.store.schema import LINK_BIT

_LETTERS = "bcdf"
_UNSTEMMED = "\u00b7"


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
        """Return the text the engine indexes for a document's tokens.

        >>> Partition(12, is_link=False, is_living=True).body(["big", "cats"])
        '12bbig 12bcats'
        """
        marked = [word if len(word) > 2 else _marked(word) for word in words]
        prefix = self.prefix
        return prefix + f" {prefix}".join(marked) if marked else ""

    def token(self, word: str) -> str:
        """Return a word as the index holds it, but not stemmed.

        >>> Partition(12, is_link=False, is_living=True).token("cats")
        '12bcats'
        """
        return self.prefix + _marked(word)

    def match(self, terms: Iterable[Term]) -> str:
        """Return the engine's query for any of the terms; there is at least one.

        >>> Partition(12, is_link=True, is_living=True).match([Term("abc"), Term("b", True)])
        '"12dabc" OR "12db" *'
        """
        return " OR ".join(
            f'"{self.prefix}{term.text}" *' if term.is_prefix else f'"{self.token(term.text)}"'
            for term in terms
        )


def _marked(word: str) -> str:
    """Return a word as the index holds it behind a prefix; a mark keeps a short one unstemmed."""
    return word + _UNSTEMMED if len(word) < 3 and word.isascii() else word


@lru_cache(1024)
def _partition(group_id: int, is_link: bool, is_living: bool) -> Partition:
    return Partition(group_id, is_link, is_living)


def partition_of(group_id: int, element: int, is_living: bool) -> Partition:
    """Return the partition an element's document belongs to."""
    return _partition(group_id, element & 1 == LINK_BIT, is_living)
