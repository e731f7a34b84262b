"""Reads the lines of a dump: each is checked whole before a row is made of it.

A dump comes from outside, so nothing in it is trusted: not its length, not its types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

import orjson

from recollect.errors import UPGRADE, RecollectError, refused
from recollect.kernel.care.dump_format import (
    END,
    FORMAT,
    GROUP,
    LINES,
    OLDER,
    VERSION,
    DumpLine,
    LineKind,
)
from recollect.kernel.store.cells import BITS_BYTES, KEY_BYTES, STRICT, SqlValue
from recollect.kernel.write.attribute_indexes import indexable
from recollect.kernel.write.element import BOUNDS, INSTANTS
from recollect.kernel.write.validation import identifier, members, plain_predicate
from recollect.model import BEGINNING, FOREVER, LIVING, MERGED_FROM, MOVED_FROM, Operation
from recollect.node import dataclass

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
