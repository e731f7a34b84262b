"""Looks at the tables in which the engine keeps the text index, as far as nobody else does.

The rule: what the index says of documents is compared with one that is made anew. Here stands what
that would not show: how the engine counts documents, which it deleted, in which piece (a segment)
each of them is, where pieces begin. Its own check looks at the words of each piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.errors import RecollectError
from recollect.kernel.store.cells import octets, whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.sqlite.functions import document_length
from recollect.node import dataclass

_TOTALS_ROW: Final = 1
_STRUCTURE_ROW: Final = 10
_SEGMENT_BITS: Final = 37  # above the number of a page
_OF_DELETED: Final = 1 << 16  # added to the number of a segment for its pages of deleted documents
_SECOND_FORM: Final = bytes([0xFF, 0, 0, 1])
_VERSION: Final = 4
_HEAD_BYTES: Final = 8  # of a page of deleted documents

_BLOCK = "SELECT d.block FROM text_index_data AS d WHERE d.id = ?"
_SIZES = "SELECT s.sz, count(*) FROM text_index_docsize AS s GROUP BY s.sz"
_ORIGINS = "SELECT DISTINCT s.origin FROM text_index_docsize AS s WHERE s.sz != x'00'"
_DELETED = "SELECT d.id, d.block FROM text_index_data AS d WHERE d.id >= ?"
_FIRSTS = """
SELECT x.segid, x.term, x.pgno FROM text_index_idx AS x WHERE x.term = (
  SELECT min(o.term) FROM text_index_idx AS o WHERE o.segid = x.segid)
"""
_SETTINGS = "SELECT c.k, c.v FROM text_index_config AS c"


@dataclass(frozen=True, slots=True)
class _Segment:
    """A piece of the index."""

    number: int
    first_page: int
    last_page: int
    oldest: int  # of the origins of its documents
    newest: int
    pages_of_deleted: int
    deleted: int


def structure_fault(session: Session) -> str | None:
    """Return the first thing that does not hold, if anything. Cost: the sizes of all documents."""
    try:
        return next(_faults(session), None)
    except (RecollectError, IndexError):
        return "its own record of its pieces cannot be read"


def _faults(session: Session) -> Iterator[str]:
    if session.rows(_SETTINGS) != [("version", _VERSION)]:
        yield "its settings are not those it was made with"
    if _counted(session) != _totals(session):
        yield "its totals are not those of the sizes of its documents"
    segments = list(_segments(octets(session.rows(_BLOCK, (_STRUCTURE_ROW,))[0][0])))
    for (origin,) in session.rows(_ORIGINS):
        if not any(one.oldest <= whole(origin) <= one.newest for one in segments):
            yield "a document belongs to none of its pieces"
    firsts = session.rows(_FIRSTS)
    if {whole(segment) for segment, _, _ in firsts} != {one.number for one in segments}:
        yield "its pieces are not those that it lists"
    for segment, term, page in firsts:
        if term != b"" or whole(page) >> 1 != 1:
            yield f"the piece {whole(segment)} begins in the middle"
    yield from _of_deleted(session, segments)


def _counted(session: Session) -> tuple[int, int]:
    """Return how many documents there are, and their words, by the sizes."""
    rows = [(octets(size), whole(count)) for size, count in session.rows(_SIZES)]
    if any(not _is_number(size) for size, _ in rows):
        return -1, -1
    return sum(count for _, count in rows), sum(document_length(one) * n for one, n in rows)


def _is_number(size: bytes) -> bool:
    """Whether a size is one whole number as the engine writes it."""
    return bool(size) and size[-1] < 0x80 and all(byte >= 0x80 for byte in size[:-1])


def _totals(session: Session) -> tuple[int, int]:
    rows = session.rows(_BLOCK, (_TOTALS_ROW,))
    held = octets(rows[0][0]) if rows else b""
    if not held:
        return 0, 0
    documents, at = _number(held, 0)
    words, at = _number(held, at)
    return (documents, words) if at == len(held) else (-1, 0)


def _segments(held: bytes) -> Iterator[_Segment]:
    """Yield the pieces of the engine's record, which is nothing but numbers behind its head."""
    if held[4:8] != _SECOND_FORM:
        raise IndexError
    levels, at = _number(held, 8)
    _, at = _number(held, at)
    _, at = _number(held, at)
    for _ in range(levels):
        _, at = _number(held, at)
        count, at = _number(held, at)
        for _ in range(count):
            numbers = []
            for _ in range(8):
                number, at = _number(held, at)
                numbers.append(number)
            yield _Segment(*numbers[:7])
    if at != len(held):
        raise IndexError


def _of_deleted(session: Session, segments: list[_Segment]) -> Iterator[str]:
    pages: dict[int, list[bytes]] = {}
    for number, block in session.rows(_DELETED, (_OF_DELETED << _SEGMENT_BITS,)):
        pages.setdefault((whole(number) >> _SEGMENT_BITS) - _OF_DELETED, []).append(octets(block))
    for segment in segments:
        own = pages.pop(segment.number, [])
        is_told = len(own) == segment.pages_of_deleted and all(map(_is_whole, own))
        if not is_told or sum(map(_listed, own)) != segment.deleted:
            yield f"what was deleted of the piece {segment.number} is not told"
    if pages:
        yield "it tells what was deleted of a piece that is not there"


def _is_whole(page: bytes) -> bool:
    """Whether a page of deleted documents has as many as it says, and nothing else."""
    width = page[0]
    if width not in (4, 8) or any(page[1:4]):
        return False
    slots = range(_HEAD_BYTES, len(page) - width + 1, width)
    return sum(any(page[at : at + width]) for at in slots) == _listed(page)


def _listed(page: bytes) -> int:
    """Return how many documents a page says that it has."""
    return int.from_bytes(page[4:_HEAD_BYTES], "big")


def _number(held: bytes, at: int) -> tuple[int, int]:
    """Return a number as the engine writes it, and where the next thing is."""
    found = 0
    for _ in range(8):
        byte = held[at]
        found, at = found << 7 | byte & 0x7F, at + 1
        if byte < 0x80:
            return found, at
    return found << 8 | held[at], at + 1
