"""What the kernel asks of the index of texts: which documents hold a word, and how often.

The rule: the index is in partitions, one per group, kind, and living or closed, and every question
names its own; nothing that stands in another can be met, counted or ranked. Words come as they are
written. What they are indexed as, stemmed behind the name of their partition, is the engine's.

That name is the group's digits and one consonant: digits end at the letter, so no two names and
words can be confused; and a name without a vowel leaves the Porter stemmer the syllables it would
see without it. The stemmer leaves words of one or two letters alone, but counts the name: a mark at
their end keeps it off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple, Protocol

from recollect.model import LINK_BIT
from recollect.node import dataclass

_LETTERS = "bcdf"
_UNSTEMMED = "\u00b7"


@dataclass(frozen=True, slots=True)
class Term:
    """One token to look for; a prefix stands for every token that begins with it."""

    text: str
    is_prefix: bool = False


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

    def token(self, word: str) -> str:
        """Return a word as it is handed to the stemmer.

        >>> Partition(12, is_link=False, is_living=True).token("cats")
        '12bcats'
        """
        return self.prefix + marked(word)


def marked(word: str) -> str:
    """Return a word as it stands behind a prefix; a mark keeps a short one unstemmed."""
    return word + _UNSTEMMED if len(word) < 3 and word.isascii() else word


@lru_cache(1024)
def _partition(group_id: int, is_link: bool, is_living: bool) -> Partition:
    return Partition(group_id, is_link, is_living)


def partition_of(group_id: int, element: int, is_living: bool) -> Partition:
    """Return the partition an element's document belongs to."""
    return _partition(group_id, element & 1 == LINK_BIT, is_living)


class IndexedDocuments(NamedTuple):
    """Some documents of a partition, each with its words, to be read once.

    A document has the id of its element, or below 0 that of `text_past`.
    """

    partition: Partition
    words: Iterator[tuple[int, Sequence[str]]]


Size = int | bytes
"""How many words a document has, as the engine keeps it; see `Texts.length`."""


class Occurrences(NamedTuple):
    """Where a term stands."""

    documents: Set[int]
    sizes: Collection[Size]
    """How large each of them is, in their order."""

    repeated: Mapping[int, tuple[Size, int]]
    """Of those that have it more than once also how often."""


class Texts(Protocol):
    """The index of texts, as one session sees it."""

    def change(self, gone: Sequence[IndexedDocuments], come: Sequence[IndexedDocuments]) -> None:
        """Take out documents as they were put in, then put documents in.

        All are of one group, each partition is there once, and all are read. Cost: a few
        statements.
        """

    def erase(self, group_id: int, documents: Collection[int]) -> None:
        """Take documents out so that nothing tells what they said. Cost: the group's index."""

    def forget(self, group_id: int) -> None:
        """Take out every document of a group; its rows are still there."""

    def forget_all(self) -> None:
        """Take out every document there is, however broken the index is."""

    def frequencies(
        self, partitions: Sequence[Partition], terms: Sequence[Term], most: int
    ) -> list[int]:
        """Return in how many documents of one group each term is.

        From `most` on the count may end; -1 counts to the end.
        """

    def occurrences(
        self, partitions: Sequence[Partition], terms: Sequence[Term], among: Collection[int] | None
    ) -> Iterator[Occurrences]:
        """Yield where each term stands, in all of the documents or in some."""

    def length(self, size: Size) -> int:
        """Return how many words a document of that size has; STORE_CORRUPT for what is none."""

    def holding(
        self, partitions: Sequence[Partition], ways: Sequence[Sequence[Term]], most: int = -1
    ) -> set[int]:
        """Return the documents that hold all terms of one of the ways; `most` of them, if more."""

    def lengths(self, group_id: int, documents: Iterable[int]) -> dict[int, int]:
        """Return how many words those of the documents have that are there."""

    def size(self) -> int:
        """Return how many documents there are, of all groups."""

    def fingerprint(self, group_id: int) -> bytes:
        """Return a hash of a group's words, of where they stand and how often.

        An index and the one that is made anew from the same rows have the same. Runs in a write
        transaction. Cost: the group's part of the index.
        """

    def holds_nothing(self, group_id: int) -> bool:
        """Whether no word of a group is there. Runs in a write transaction."""
