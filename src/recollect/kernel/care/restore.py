"""Groups read back from a dump: the same ids, clocks, past and log, or nothing at all.

A dump comes from outside, so nothing in it is trusted, not its length, not its types: each line is
checked whole before a row is made of it. What follows from the rest is made anew: counts, the text
index, declared indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

import orjson

from recollect.errors import INTERNAL_ERROR, UPGRADE, RecollectError, refused
from recollect.kernel.care.dump import (
    COPYING,
    END,
    FORMAT,
    GROUP,
    LINES,
    OLDER,
    TERM,
    VERSION,
    DumpLine,
    LineKind,
)
from recollect.kernel.care.examination import examine_group
from recollect.kernel.care.recount import recount
from recollect.kernel.search.tokens import rebuild
from recollect.kernel.store.cells import BITS_BYTES, KEY_BYTES, STRICT, SqlValue, text
from recollect.kernel.store.group import Group, create_group, load_group, make_stale
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.copies import HOLDS, STAND
from recollect.kernel.store.statements.counts import RAISE_IDS, TAKEN
from recollect.kernel.write.attribute_indexes import indexable, settle_indexes
from recollect.kernel.write.element import BOUNDS, INSTANTS
from recollect.kernel.write.validation import identifier, members, plain_predicate, set_name_keys
from recollect.model import BEGINNING, FOREVER, LIVING, MERGED_FROM, MOVED_FROM, Operation, Progress
from recollect.node import dataclass

_AT_ONCE = 2_000  # rows written together
_BYTES_AT_ONCE = 2**24  # of their lines


def restore_dump(session: Session, stream: BinaryIO, progress: Progress) -> list[str]:
    """Write the groups of a dump inside a write transaction and return their names.

    INVALID_ARGUMENT, naming the line, for a group that is not empty, for ids that are in use in the
    store, and for anything but a whole dump; the caller then rolls all of it back. Memory: some
    thousand rows, whatever the size.
    """
    restoring = _Restoring(session)
    for chunk in _chunks(read_lines(stream)):
        restoring.put(chunk)
        progress("rows", restoring.rows, restoring.rows)
    session.execute_many(RAISE_IDS, [{}])
    session.count_rows()
    for done, group in enumerate(restoring.groups, 1):
        _complete(session, group, progress)
        progress("groups", done, len(restoring.groups))
    return [group.name for group in restoring.groups]


def _complete(session: Session, group: Group, progress: Progress) -> None:
    """Check what was read of a group, by itself and against its log; make what follows."""
    for finding in examine_group(session, group, progress):
        what = "does not agree with its log" if finding.check == "log" else "does not hold together"
        raise refused(
            f'the dump of the group "{group.name}" {what}: {finding.message}',
            "dump the memory again",
        )
    set_name_keys(session, group.group_id)
    recount(session, group.group_id)
    rebuild(session, group.group_id, progress)
    settle_indexes(session)


class _Restoring:
    """The group whose lines are being read, and what came before."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._codes: dict[SqlValue, SqlValue] = {}  # of the terms of the last group
        self.groups: list[Group] = []
        self.rows = 0

    def put(self, chunk: list[Read]) -> None:
        """Write lines of one kind."""
        line = chunk[0].line
        if line is GROUP:
            for read in chunk:
                self._begin(read)
            return
        if not self.groups:
            raise fault(chunk[0].place, "it comes before the first group")
        if line is TERM:
            self._codes.update((term, code) for term, code in (one.row for one in chunk))
        if line.table in ("concept", "link"):
            self._refuse_taken(chunk)
        group_id = self.groups[-1].group_id
        rows = [(group_id, *self._coded(line, read)) for read in chunk]
        try:
            self._session.execute_many(COPYING[line].put, rows)
        except RecollectError as error:
            if error.code is not INTERNAL_ERROR:
                raise
            raise fault(
                chunk[0].place, "this line, or one soon after it, repeats an earlier line"
            ) from error
        self.rows += len(chunk)

    def _begin(self, read: Read) -> None:
        """Begin a group, which must not hold anything yet."""
        given, id_bits, number, at, chain = read.row
        session, name = self._session, text(given)
        is_new = load_group(session, name) is None
        group = create_group(session, name)
        if not is_new and session.row(HOLDS, {"group": group.group_id}) != (0,):
            raise refused(
                f'the group "{name}" is not empty, and a dump is restored into an empty one',
                "restore into a new memory",
            )
        if not is_new:
            make_stale(session, group.group_id)  # what is cached of it has other id bits
        stand = {"id_bits": id_bits, "number": number, "at": at, "chain": chain}
        session.execute_many(STAND, [stand | {"group": group.group_id}])
        restored = load_group(session, group.name)
        assert restored is not None
        self._codes = {}
        self.groups.append(restored)

    def _refuse_taken(self, chunk: list[Read]) -> None:
        """Refuse ids that other groups of the store have: they are one for all groups."""
        ids = orjson.dumps([read.row[0] for read in chunk]).decode()
        if self._session.row(TAKEN, {"ids": ids, "group": self.groups[-1].group_id}) != (0,):
            raise refused(
                "ids of the dump are in use in this store, and a dump keeps its ids",
                "dump each group by itself, with --group, and restore it into one file each",
                details={"line": chunk[0].place},
            )

    def _coded(self, line: DumpLine, read: Read) -> Iterator[SqlValue]:
        for field, cell in zip(line.fields, read.row, strict=True):
            if not field.kind.is_term:
                yield cell
            elif cell in self._codes:
                yield self._codes[cell]
            else:
                raise fault(read.place, f"{field.name} is not a term of the group")


def _chunks(lines: Iterator[Read]) -> Iterator[list[Read]]:
    """Yield the lines in runs of one kind."""
    chunk: list[Read] = []
    size = 0
    for read in lines:
        is_full = len(chunk) == _AT_ONCE or size > _BYTES_AT_ONCE
        if chunk and (is_full or read.line is not chunk[0].line):
            yield chunk
            chunk, size = [], 0
        chunk.append(read)
        size += read.size
    if chunk:
        yield chunk


_LONGEST = 64 * 2**20  # bytes of one line
_SHOWN = 40  # characters of a dump that a message repeats
_NUMBERS = range(2**48)
_CODES = range(1, 2**31)
"""Of fact times: once, those of those years in any zone were taken in."""
_LINES: Mapping[str, DumpLine] = {line.kind: line for line in (GROUP, *LINES, *OLDER)}


@dataclass(frozen=True, slots=True)
class Read:
    """One line as it was read: its place, from 1, and its row; terms are still texts."""

    place: int
    line: DumpLine
    row: tuple[SqlValue, ...]
    size: int  # bytes


def read_lines(stream: BinaryIO) -> Iterator[Read]:
    """Yield the lines of a dump between its first and its last.

    INVALID_ARGUMENT for anything but a dump, a dump of a newer program, a malformed line, and a
    truncated dump. Memory: one line.
    """
    header = _parsed(_next(stream, 1), 1)
    if FORMAT not in header:
        raise refused("the text is not a dump of Recollect", "pass what `recollect dump` wrote")
    version = header[FORMAT]
    if type(version) is not int or not 1 <= version <= VERSION:
        raise refused(
            f"the dump is of version {_short(version)}, and this program reads 1 to {VERSION}",
            UPGRADE,
        )
    place = 1
    while True:
        place += 1
        text = _next(stream, place)
        parsed = _parsed(text, place)
        kind = next(iter(parsed), "")
        if kind == END:
            break
        line = _LINES.get(kind)
        if line is None:
            raise fault(place, f"no line begins with {_short(kind)}")
        yield Read(place, line, _row(line, parsed, place), len(text))
    if parsed != {END: place - 1}:
        raise fault(place, "lines are missing before the end")
    if stream.readline(2).strip():
        raise fault(place + 1, "there is more after the end")


def fault(place: int, problem: str) -> RecollectError:
    """Return the error of a line that cannot be restored."""
    return refused(
        f"line {place} of the dump cannot be restored: {problem}",
        "dump the memory again",
        details={"line": place},
    )


def _short(value: object) -> str:
    """Return a part of a dump in a form that fits into a message."""
    shown = ascii(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def _next(stream: BinaryIO, place: int) -> bytes:
    text = stream.readline(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise fault(place, f"it is longer than {_LONGEST} bytes")
    if not text.endswith(b"\n"):
        raise fault(place, "the dump is cut off here")
    return text


def _parsed(text: bytes, place: int) -> dict[str, object]:
    try:
        parsed = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise fault(place, "it is not JSON") from error
    if not isinstance(parsed, dict):
        raise fault(place, "it is not an object")
    return parsed


def _row(line: DumpLine, parsed: Mapping[str, object], place: int) -> tuple[SqlValue, ...]:
    names = [field.name for field in line.fields]
    if list(parsed) != names:
        raise fault(place, f"its members are not {', '.join(names)}")
    row: list[SqlValue] = []
    for field in line.fields:
        try:
            row.append(_CELLS[field.kind](parsed[field.name]))
        except (RecollectError, ValueError) as error:
            raise fault(place, f'"{field.name}" is not {field.kind.value}') from error
    return tuple(row)


def _whole(allowed: range, *others: int) -> Callable[[object], int]:
    def checked(value: object) -> int:
        if type(value) is not int or (value not in allowed and value not in others):
            raise ValueError(value)
        return value

    return checked


def _text(value: object) -> str:
    return "" if value == "" else identifier(value, "text")


def _name(value: object) -> str:
    return identifier(value, "text")


def _optional_name(value: object) -> str | None:
    return None if value is None else _name(value)


def _operation(value: object) -> str:
    return Operation(_name(value)).value


def _schema_mode(value: object) -> str:
    if value != STRICT:
        raise ValueError(value)
    return STRICT


def _octets(*lengths: int) -> Callable[[object], bytes]:
    def checked(value: object) -> bytes:
        if not isinstance(value, str):
            raise ValueError(value)
        octets = bytes.fromhex(value)
        if len(octets) not in lengths or 2 * len(octets) != len(value):  # spaces do not count
            raise ValueError(value)
        return octets

    return checked


def _members(value: object) -> str:
    return orjson.dumps(members(value, "members")).decode()


def _metadata(value: object) -> str:
    return orjson.dumps(members(value, "metadata", reserved=(MERGED_FROM, MOVED_FROM))).decode()


_CELLS: Mapping[LineKind, Callable[[object], SqlValue]] = {
    LineKind.NUMBER: _whole(_NUMBERS),
    LineKind.ENDING: _whole(_NUMBERS, LIVING),
    LineKind.CODE: _whole(_CODES),
    LineKind.INSTANT: _whole(INSTANTS),
    LineKind.BOUND: _whole(BOUNDS, BEGINNING, FOREVER),
    LineKind.TEXT: _text,
    LineKind.NAME: _name,
    LineKind.ATTRIBUTE: indexable,
    LineKind.OPTIONAL_NAME: _optional_name,
    LineKind.OPERATION: _operation,
    LineKind.ID_BITS: _octets(BITS_BYTES, BITS_BYTES + KEY_BYTES),
    LineKind.SALT: _octets(16),
    LineKind.HASH: _octets(32),
    LineKind.MEMBERS: _members,
    LineKind.METADATA: _metadata,
    LineKind.TYPE: _name,
    LineKind.PREDICATE: plain_predicate,
    LineKind.SCHEMA_MODE: _schema_mode,
}
