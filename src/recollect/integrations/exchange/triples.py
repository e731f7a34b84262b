"""Triples in tables: CSV with a header, and lines of JSON with the same names.

The rule: subject, predicate and object must be there, everything else may be.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Final

from recollect.errors import RecollectError, refused
from recollect.integrations.exchange.members import (
    Members,
    optional_text,
    table,
    text,
    time,
    time_as_told,
    unreadable,
    without_null,
)
from recollect.integrations.exchange.records import (
    Bad,
    ByName,
    Record,
    StatementRecord,
    statement_id,
    words,
)
from recollect.integrations.exchange.source import Source
from recollect.model import FACT, Value
from recollect.node import dataclass, field

COLUMNS: Final = (
    "subject",
    "predicate",
    "object",
    "subject_type",
    "object_type",
    "fact",
    "valid_at",
    "invalid_at",
    "confidence",
    "source",
    "id",
)
"""The columns that CSV may have; the first three it must."""

_NEEDED: Final = COLUMNS[:3]


def read_csv(source: Source, type_: str) -> Iterator[Record]:
    """Yield the triples of a table with a header; ends without a type are of `type_`."""
    lines = _Lines(source)
    rows = csv.reader(lines, strict=True)
    header: list[str] | None = None
    while True:
        first = lines.number + 1
        try:
            row = next(rows)
            if header is None:
                header = _header(row)
            elif any(cell.strip() for cell in row):
                yield from triple(type_, lines.number, _members(header, row))
        except StopIteration:
            break
        except UnicodeDecodeError:
            bad = Bad(lines.number, "is not UTF-8")
        except csv.Error as error:
            bad = Bad(first, f"is not CSV: {error}")
        except RecollectError as error:
            bad = Bad(lines.number, error.message)
        else:
            continue
        if header is None:  # nothing tells what the columns are, so no line can be left out
            raise _headless(source, f"line {bad.line} cannot be imported: {bad.reason}")
        yield bad
    if header is None:
        raise _headless(source, "it is empty, and must begin with the names of its columns")


def triple(type_: str, line: int, members: Members) -> Iterator[Record]:
    """Yield the statement that one triple is."""
    start = ByName(optional_text(members, "subject_type") or type_, text(members, "subject"))
    end = ByName(optional_text(members, "object_type") or type_, text(members, "object"))
    predicate = text(members, "predicate").strip()
    begins, ends = time(members, "valid_at"), time(members, "invalid_at")
    if begins is not None and ends is not None and begins >= ends:
        raise unreadable(f"valid_at {begins} is not before invalid_at {ends}")
    said = optional_text(members, "fact") or words(start.name, predicate, end.name)
    metadata = {
        **table(members, "metadata"),
        "valid_from": time_as_told(members, "valid_at"),
        "valid_until": time_as_told(members, "invalid_at"),
        "confidence": _confidence(members),
        "source": optional_text(members, "source"),
    }
    yield StatementRecord(
        line,
        start,
        predicate,
        end,
        said,
        optional_text(members, "id") or statement_id(start, predicate, end, said, begins),
        {key: one for key, one in table(members, "attributes").items() if key != FACT},
        without_null(metadata),
    )


@dataclass(slots=True)
class _Lines:
    """The lines of a file as texts; one that is no text can be gone past."""

    source: Source
    number: int = 0
    _lines: Iterator[tuple[int, bytes]] = field(init=False)

    def __post_init__(self) -> None:
        self._lines = self.source.lines()

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        return line.decode()


def _members(header: list[str], row: list[str]) -> Members:
    if len(row) != len(header):
        raise unreadable(f"has {len(row)} cells, and the header has {len(header)}")
    return {key: cell for key, cell in zip(header, row, strict=True) if cell.strip()}


def _header(row: list[str]) -> list[str]:
    header = [one.strip().lower() for one in row]
    missing = [one for one in _NEEDED if one not in header]
    if missing and any(mark in row[0] for mark in ";\t"):
        raise unreadable("its columns are not separated by commas")
    if missing:
        raise unreadable(f"the header has no column {missing[0]}: it must begin with its names")
    unknown = [one for one in header if one not in COLUMNS]
    if unknown:
        raise unreadable(f'the column "{unknown[0]}" is not one of {", ".join(COLUMNS)}')
    if len(set(header)) < len(header):
        raise unreadable("the header names a column twice")
    return header


def _headless(source: Source, reason: str) -> RecollectError:
    hint = f"begin it with a line such as {','.join(_NEEDED)}"
    return refused(f"{source.name}: {reason}", hint)


def _confidence(members: Members) -> Value:
    match members.get("confidence"):
        case None:
            return None
        case bool() as other:
            raise unreadable(f"confidence is {other}, not a number")
        case int() | float() as number:
            found = float(number)
        case str() as spelled:
            try:
                found = float(spelled)
            except ValueError as error:
                raise unreadable(f"confidence is {spelled!r}, not a number") from error
        case _:
            raise unreadable("confidence is not a number")
    if 0 <= found <= 1:
        return found
    raise unreadable(f"confidence is {found}, not between 0 and 1")
