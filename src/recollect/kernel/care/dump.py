"""Groups written out whole, as lines of JSON: ids, both clocks, the past, the log, the salts.

The output is a pure function of the contents: equal groups give equal bytes.

Where a dump goes and comes from: a file by its path, or a stream that the caller holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOBase
from os import PathLike
from typing import BinaryIO, cast

import orjson

from recollect.errors import refused
from recollect.kernel.care.dump_format import COPYING, END, GROUP, HEADER, LINES, DumpLine, LineKind
from recollect.kernel.store.address import named_file
from recollect.kernel.store.cells import SqlValue, octets, text, whole
from recollect.kernel.store.group import load_group
from recollect.kernel.store.new_file import new_file
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.copies import GROUP as COPIED_GROUP, TERMS
from recollect.model import Progress


@contextmanager
def written_whole(target: str | PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """Give the stream to write to; a file appears under its name only when it is whole."""
    if not isinstance(target, (str, PathLike)):
        _check_stream(target, "write")
        yield target
        return
    with new_file(target, "memory.jsonl") as part, part.open("xb") as stream:
        yield stream


@contextmanager
def readable(source: str | PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """Give the stream to read from; INVALID_ARGUMENT for a file that cannot be read."""
    if not isinstance(source, (str, PathLike)):
        _check_stream(source, "readline")
        yield source
        return
    path = named_file(source)
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise refused(
            f"{source} cannot be read: {error.strerror}", "name a file that `recollect dump` wrote"
        ) from error


def _check_stream(stream: object, method: str) -> None:
    """Refuse anything that does not carry bytes, whatever its declared type."""
    if isinstance(stream, TextIOBase) or not hasattr(stream, method):
        raise refused(
            f"a {type(stream).__name__} does not carry bytes",
            'pass a path, or a file opened with "b" in its mode',
        )


_AT_ONCE = 2_000  # rows read together


def write_dump(session: Session, names: Sequence[str], stream: BinaryIO, progress: Progress) -> int:
    """Write the groups of those names and return the number of lines before the last.

    All of it is one moment, that of `session`. Memory: some thousand rows, whatever the size.
    """
    lines = 0
    for chunk in _chunks(session, names, progress):
        stream.write(b"".join(one + b"\n" for one in chunk))
        lines += len(chunk)
    stream.write(orjson.dumps({END: lines}) + b"\n")
    return lines


def _chunks(session: Session, names: Sequence[str], progress: Progress) -> Iterator[list[bytes]]:
    yield [orjson.dumps(HEADER)]
    for name in names:
        group = load_group(session, name)
        if group is None:
            continue
        row = session.row(COPIED_GROUP, {"group": group.group_id})
        assert row is not None
        yield [_encoded(GROUP, row, {})]
        terms = {
            whole(code): text(term) for code, term in session.rows(TERMS, {"group": group.group_id})
        }
        for line in LINES:
            done, total = 0, _count(session, line, group.group_id)
            for rows in _pages(session, line, group.group_id):
                yield [_encoded(line, row, terms) for row in rows]
                done += len(rows)
                progress(f"{name}: {line.kind}", done, total)


def _pages(session: Session, line: DumpLine, group_id: int) -> Iterator[list[SqlRow]]:
    """Yield the rows of a table that are a group's, in the order of its keys."""
    asked: dict[str, SqlValue] = {"group": group_id, "most": _AT_ONCE}
    statement = COPYING[line].first
    while True:
        rows = session.rows(statement, asked)
        if rows:
            yield [row[len(line.keys) :] for row in rows]
        if len(rows) < _AT_ONCE:
            return
        statement = COPYING[line].next
        asked |= {f"after_{at}": rows[-1][at] for at in range(len(line.keys))}


def _count(session: Session, line: DumpLine, group_id: int) -> int:
    row = session.row(COPYING[line].count, {"group": group_id})
    assert row is not None
    return whole(row[0])


def _encoded(line: DumpLine, row: SqlRow, terms: dict[int, str]) -> bytes:
    members: dict[str, object] = {}
    for field, cell in zip(line.fields, row, strict=True):
        if field.kind.is_octets:
            members[field.name] = octets(cell).hex()
        elif field.kind.is_term:
            members[field.name] = terms[whole(cell)]
        elif field.kind in (LineKind.MEMBERS, LineKind.METADATA):
            members[field.name] = orjson.Fragment(text(cell))
        else:
            members[field.name] = cast(str | int | None, cell)
    return orjson.dumps(members)
