"""Where a word stands, packed: the documents, how often in each, and how large each is.

The rule: what is taken back is packed like what is put in, and the two cancel. So a block is
written once and never changed; blocks follow each other in any order, also behind one another in
the same bytes; and what is left of them all is where the word stands.

A block is as many numbers as it has documents, three times: the gaps between the documents, the
counts and the sizes, each column as narrow as its widest number. A column that is nothing but ones
takes no room. Reading it is a few calls, however many documents there are.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, compress
from operator import sub
from typing import NamedTuple, Self

Posting = tuple[int, int, int]
"""A document, how often the word stands in it, and how many words it has."""

_HEAD = struct.Struct("<IqBBB")  # how many, the first document, how wide each column is
_RAREST, _BYTE = struct.Struct("<IqBBBB"), 2**8  # of a word that stands once, in a short document
_FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}  # by bytes
_WIDTHS = (1, 1, 2, 4, 4, 8, 8, 8, 8)  # of a column whose widest number takes so many bytes


class Postings(NamedTuple):
    """Postings as columns, to be read at once."""

    documents: list[int]
    counts: list[int]
    sizes: list[int]

    @classmethod
    def of(cls, postings: Iterable[Posting]) -> Self:
        """Return some postings as columns."""
        columns = list(zip(*postings, strict=True))
        return cls(*map(list, columns)) if columns else cls([], [], [])

    def where(self, flags: Sequence[bool]) -> Postings:
        """Return those that are flagged."""
        return Postings(*(list(compress(column, flags)) for column in self))

    def among(self, documents: Collection[int]) -> Postings:
        """Return those of some documents, which tell quickly whether one is among them."""
        return self.where(list(map(documents.__contains__, self.documents)))


def pack(postings: Iterable[Posting]) -> bytes:
    """Return the block of postings; that of none is empty.

    >>> unpack(pack([(8, 1, 20), (-3, 2, 9)]))
    Postings(documents=[-3, 8], counts=[2, 1], sizes=[9, 20])
    """
    if not (ordered := sorted(postings)):
        return b""
    documents, counts, sizes = zip(*ordered, strict=True)
    if len(documents) == counts[0] == 1 and sizes[0] < _BYTE:  # most words of a write
        return _RAREST.pack(1, documents[0], 0, 0, 1, sizes[0])
    gaps = tuple(map(sub, documents[1:], documents))
    counts = () if max(counts) == 1 else counts
    widths = _width(gaps), _width(counts), _width(sizes)
    packed = _packing(len(documents), *widths).pack
    return packed(len(documents), documents[0], *widths, *gaps, *counts, *sizes)


@lru_cache(1_024)
def _packing(many: int, *widths: int) -> struct.Struct:
    """Return how a block is laid out whose columns are as wide as that."""
    columns = zip((many - 1, many, many), widths, strict=True)
    return struct.Struct(
        _HEAD.format + "".join(f"{length}{_FORMATS[width]}" for length, width in columns if width)
    )


def unpack(data: bytes) -> Postings:
    """Return the postings of a block, or of several behind one another, each in its order."""
    found, at = Postings([], [], []), 0
    while at < len(data):
        many, first, *widths = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        for column, width, length in zip(found, widths, (many - 1, many, many), strict=True):
            values: Sequence[int] = (1,) * length
            if width:
                values = struct.unpack_from(f"<{length}{_FORMATS[width]}", data, at)
                at += length * width
            column.extend(accumulate(values, initial=first) if length < many else values)
    return found


def joined(blocks: Iterable[tuple[int, bytes]]) -> tuple[Postings, Postings]:
    """Return what blocks put in and what they take back, without what cancels.

    A block that takes back has the kind 1, one that puts in 0.
    """
    come, gone = Postings([], [], []), Postings([], [], [])
    for kind, data in blocks:
        for column, more in zip(gone if kind else come, unpack(data), strict=True):
            column.extend(more)
    if not gone.documents:
        return come, gone
    moved = set(gone.documents)
    flags = list(map(moved.__contains__, come.documents))
    put, taken = Counter(zip(*come.where(flags), strict=True)), Counter(zip(*gone, strict=True))
    stay = come.where([not one for one in flags])
    for column, more in zip(stay, Postings.of((put - taken).elements()), strict=True):
        column.extend(more)
    return stay, Postings.of((taken - put).elements())


def without(data: bytes, documents: Collection[int]) -> tuple[int, bytes] | None:
    """Return a block without some documents, and how many it still has; None if it has none."""
    found = unpack(data)
    if not any(map(documents.__contains__, found.documents)):
        return None
    left = found.where([one not in documents for one in found.documents])
    return len(left.documents), pack(zip(*left, strict=True))


def _width(values: Sequence[int]) -> int:
    return _WIDTHS[(max(values).bit_length() + 7) // 8] if values else 0


def merged(found: Sequence[Postings]) -> Postings:
    """Return where any of several words stands; a document of more than one is told once."""
    if len(found) == 1:
        return found[0]
    counts: Counter[int] = Counter()
    sizes: dict[int, int] = {}
    for one in found:
        sizes.update(zip(one.documents, one.sizes, strict=True))
        for document, count in zip(one.documents, one.counts, strict=True):
            counts[document] += count
    return Postings(list(sizes), list(map(counts.__getitem__, sizes)), list(sizes.values()))
