"""Tells whether the log beside a file continues that file, before the engine replays it.

The rule: the engine takes any whole log for the file's own, and mixes the pages of both. So every
commit gives the state of the file a random mark, in the row of `counter`, and keeps the mark
before. A file stands at a mark that its log has, or at the one from which the log goes on: as
far as it was copied from there. Any other file has been put in the place of the log's own. A log
without a mark, as another program writes it, tells nothing, and is left to the engine.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shlex import quote as shell_quote
from typing import Final
from urllib.parse import quote

import apsw

from recollect.errors import STORE_UNAVAILABLE
from recollect.kernel.store.sqlite.forks import LOG, beside, held

_MAGIC: Final = (0x377F0682, 0x377F0683)
_HEADER: Final = struct.Struct(">IIII8s8s")  # magic, version, page size, turn, salts, checksum
_FRAME: Final = struct.Struct(">II8s8s")  # page, size at a commit, salts, checksum
_LEAF: Final = 13  # the first byte of a page of rows
_CELLS: Final = 8  # where a page of rows says where each of them begins
_MARK_TYPE: Final = 12 + 2 * 16  # how a record says that it holds 16 bytes
_TRIES: Final = 10

_MARK = """
SELECT c.mark, s.rootpage FROM counter AS c, sqlite_schema AS s WHERE s.name = 'counter' LIMIT 1
"""

_Marks = tuple[bytes, bytes]
"""A mark, and the one before."""


def refuse_stale_log(path: Path) -> None:
    """Raise STORE_UNAVAILABLE when the log beside a store is one of another file.

    Nothing is replayed or written. Cost: the log is read.
    """
    log = beside(path, LOG)
    for _ in range(_TRIES):
        began = _salts(log)
        standing = _standing(path)
        if began is None or standing is None:
            return
        if _continues(log, began, *standing):
            return
        if _salts(log) == began and _standing(path) == standing:
            moved = shell_quote(str(log))
            raise STORE_UNAVAILABLE.error(
                f"{log.name} is the log of another file than {path.name}, and is not replayed",
                f"end what has the other file open, then: mv {moved} {moved}.old",
            )
        # Another process writes meanwhile, and began the log anew.


def _continues(log: Path, salts: bytes, mark: bytes, root: int) -> bool:
    """Whether a log has a mark, or goes on from it; True where it has none at all."""
    has_marks = False
    for is_checked in (False, True):  # to compute every checksum is slow, and seldom needed
        has_marks = False
        for own, before in _marks(log, salts, root, is_checked=is_checked):
            if mark == own or (not has_marks and mark == before):
                return True
            has_marks = True
    return not has_marks


def _standing(path: Path) -> tuple[bytes, int] | None:
    """Return the mark of a file without its log, and on which page it is; None where none is."""
    uri = f"file:{quote(str(path))}?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with held(partial(apsw.Connection, uri, flags)) as connection:
            row = connection.execute(_MARK).fetchone()
    except apsw.Error:  # older than marks, or half of what the log holds was copied to it
        return None
    if row is None or not isinstance(row[0], bytes):
        return None
    return row[0], int(str(row[1]))


def _salts(log: Path) -> bytes | None:
    """Return what the lines of a log have in common until it begins anew; None for no log."""
    try:
        with log.open("rb") as file:
            beginning = file.read(_HEADER.size)
    except OSError:
        return None
    if len(beginning) < _HEADER.size:
        return None
    magic, _, _, _, salts, _ = _HEADER.unpack(beginning)
    return bytes(salts) if magic in _MAGIC else None


def _marks(log: Path, salts: bytes, root: int, *, is_checked: bool) -> Iterator[_Marks]:
    """Yield the marks of a log, in the order they were written.

    When it is checked, only as far as the engine would replay it: a crash may leave more.
    """
    try:
        with log.open("rb") as file:
            magic, _, size, _, _, total = _HEADER.unpack(file.read(_HEADER.size))
            while len(frame := file.read(_FRAME.size + size)) == _FRAME.size + size:
                page, _, own, given = _FRAME.unpack_from(frame)
                if own != salts:
                    return
                if is_checked:
                    total = _checksum(frame[:8] + frame[_FRAME.size :], total, magic)
                    if total != given:
                        return
                found = _read(frame[_FRAME.size :]) if page == root else None
                if found is not None:
                    yield found
    except (OSError, struct.error):  # it has gone meanwhile
        return


def _checksum(octets: bytes, before: bytes, magic: int) -> bytes:
    """Return the engine's checksum of what follows something with the checksum `before`."""
    first, second = struct.unpack(">II", before)
    words = iter(struct.unpack(f"{'>' if magic & 1 else '<'}{len(octets) // 4}I", octets))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return struct.pack(">II", first, second)


def _read(page: bytes) -> _Marks | None:
    """Return the marks in the first row of a page, if it holds two at its end."""
    if page[0] != _LEAF or not int.from_bytes(page[3:5], "big"):
        return None
    at = int.from_bytes(page[_CELLS : _CELLS + 2], "big")
    length, at = _number(page, at)
    _, at = _number(page, at)
    record = page[at : at + length]
    ends, at = _number(record, 0)
    types = []
    while at < ends:
        kind, at = _number(record, at)
        types.append(kind)
    if types[-2:] != [_MARK_TYPE, _MARK_TYPE] or len(record) < ends + 32:
        return None
    return record[-32:-16], record[-16:]


def _number(octets: bytes, at: int) -> tuple[int, int]:
    """Return a number as the engine writes it, seven bits a byte, and where the next thing is."""
    found = 0
    for byte in octets[at : at + 8]:
        found, at = found << 7 | byte & 0x7F, at + 1
        if byte < 0x80:
            break
    return found, at
