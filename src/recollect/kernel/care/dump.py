"""Groups written out whole, as lines of JSON: ids, both clocks, the past, the log, the salts.

A line is one object; its first key is its kind, which says which row of which table it holds, and
under which names. Blobs are written in hexadecimal, types and predicates as their texts. What is
computed from the rest is left out, counts, the text index and vectors, and also who works on what
and the answers kept for idempotency keys. The output is a pure function of the contents: equal
groups give equal bytes. A dump goes to, and comes from, a file by its path or a stream that the
caller holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from io import TextIOBase
from os import PathLike
from typing import BinaryIO, Final, cast

import orjson

from recollect.errors import refused
from recollect.kernel.store.address import named_file
from recollect.kernel.store.cells import SqlValue, octets, text, whole
from recollect.kernel.store.group import load_group
from recollect.kernel.store.new_file import new_file
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.copies import GROUP as COPIED_GROUP, TERMS, copying
from recollect.model import Progress
from recollect.node import dataclass


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


FORMAT = "recollect_dump"
VERSION = 2
"""The one that is written. The first, which is read too, told the past of links apart."""

HEADER = {FORMAT: VERSION}
"""The first line. The last one is `{"end": lines}`, with the number of those before it."""

END = "end"


class LineKind(StrEnum):
    """What a value of a line is."""

    NUMBER = "a whole number from 0 to 2**48 - 1"  # an id, a version, a transaction
    ENDING = "a whole number from 0 to 2**48 - 1, or 2**62"  # a transaction, or that of the living
    CODE = "a whole number from 1 to 2**31 - 1"
    INSTANT = "milliseconds in the years 1 to 9999"
    BOUND = "milliseconds in the years 1 to 9999, in any zone, or no bound"
    TEXT = "a text"
    NAME = "a text that is not empty"
    ATTRIBUTE = "an attribute that may have an index"
    OPTIONAL_NAME = "a text that is not empty, or null"
    OPERATION = "create, update, close or purge"
    ID_BITS = "10 or 26 bytes in hexadecimal"
    SALT = "16 bytes in hexadecimal"
    HASH = "32 bytes in hexadecimal"
    MEMBERS = "an object"
    METADATA = "an object of metadata"
    TYPE = "a type of the dump"
    PREDICATE = "a plain predicate of the dump"
    SCHEMA_MODE = "strict"

    @property
    def is_term(self) -> bool:
        """Whether the column holds the code of a term."""
        return self in (LineKind.TYPE, LineKind.PREDICATE)

    @property
    def is_octets(self) -> bool:
        """Whether the column holds bytes."""
        return self in (LineKind.ID_BITS, LineKind.SALT, LineKind.HASH)


@dataclass(frozen=True, slots=True)
class DumpField:
    """One member of a line and the column it holds."""

    name: str
    column: str
    kind: LineKind


@dataclass(frozen=True, slots=True)
class DumpLine:
    """A kind of line: the rows of one table, in the order of the keys of the table."""

    table: str
    fields: tuple[DumpField, ...]
    keys: tuple[str, ...]  # columns that order the rows of a group

    @property
    def kind(self) -> str:
        """The first key of such a line."""
        return self.fields[0].name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the fields."""
        return tuple(field.column for field in self.fields)


def _line(table: str, keys: str, fields: str) -> DumpLine:
    """Return a line of fields `name:kind`, or `name=column:kind` where the column is called so."""
    found = []
    for place, kind in (one.split(":") for one in fields.split()):
        name, _, column = place.partition("=")
        found.append(DumpField(name, column or name, LineKind[kind.upper()]))
    return DumpLine(table, tuple(found), tuple(keys.split()))


_CONTENT = "attributes:members metadata:metadata valid_at:bound invalid_at:bound version:number"
_LIFE = "born_at:number changed_at:number expired_at:ending salt:salt"


def _past(kind: str) -> DumpLine:
    own = f"{kind}=id:number until:number {_CONTENT} changed_at:number"
    return _line("past", "id until", own)


GROUP = _line("grp", "name", "group=name:name id_bits:id_bits number:number at:instant chain:hash")
"""The line that begins a group; all lines up to the next one are of that group."""

TERM = _line("term", "code", "term=text:name code:code")

LINES: tuple[DumpLine, ...] = (
    TERM,
    _line("attribute_index", "type attribute", "index=attribute:attribute type:name"),
    _line("schema_mode", "mode", "schema=mode:schema_mode"),
    _line(
        "tx",
        "number",
        "transaction=number:number at:instant last_id:number"
        " actor:optional_name request:optional_name chain:hash",
    ),
    _line(
        "change", "tx element", "change=tx:number element:number operation:operation digest:hash"
    ),
    _line(
        "concept",
        "id",
        f"concept=id:number type:type name:name public_id:optional_name {_CONTENT} {_LIFE}",
    ),
    _line(
        "link",
        "id",
        "link=id:number subject:number predicate:predicate object:number key:text"
        f" public_id:optional_name {_CONTENT} {_LIFE}",
    ),
    _past("past"),
    _line(
        "work",
        "number",
        "work=number:number item:name state:name attempts:number due_at:bound payload:members",
    ),
    _line("receipt", "receipt position", "receipt:name position:number item:name"),
)
"""The lines of a group, in their order."""

OLDER: Final = (_past("concept_past"), _past("link_past"))
"""Lines of the first version, which are read and no longer written."""

COPYING: Final = {line: copying(line.table, line.keys, line.columns) for line in (*LINES, *OLDER)}
"""How the rows of each are read and put."""
