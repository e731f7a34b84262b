"""The lines of a dump: which row of which table each kind of line holds, and under which names.

A dump is JSON, one object a line; the first key of a line is its kind. Blobs are written in
hexadecimal, types and predicates as their texts. It leaves out counts, the text index and vectors,
which are computed from the rest, and also who works on what and the answers kept for idempotency
keys.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from recollect.kernel.store.statements.copies import copying
from recollect.node import dataclass

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


def _line(
    table: str, keys: str, *fields: tuple[str, LineKind] | tuple[str, LineKind, str]
) -> DumpLine:
    """Return a line whose fields are (name, kind), or (name, kind, column) where they differ."""
    named = (DumpField(one[0], one[-1] if len(one) == 3 else one[0], one[1]) for one in fields)
    return DumpLine(table, tuple(named), tuple(keys.split()))


_CONTENT = (
    ("attributes", LineKind.MEMBERS),
    ("metadata", LineKind.METADATA),
    ("valid_at", LineKind.BOUND),
    ("invalid_at", LineKind.BOUND),
    ("version", LineKind.NUMBER),
)
_LIFE = (
    ("born_at", LineKind.NUMBER),
    ("changed_at", LineKind.NUMBER),
    ("expired_at", LineKind.ENDING),
    ("salt", LineKind.SALT),
)


def _past(kind: str) -> DumpLine:
    own = ("until", LineKind.NUMBER), *_CONTENT, ("changed_at", LineKind.NUMBER)
    return _line("past", "id until", (kind, LineKind.NUMBER, "id"), *own)


GROUP = _line(
    "grp",
    "name",
    ("group", LineKind.NAME, "name"),
    ("id_bits", LineKind.ID_BITS),
    ("number", LineKind.NUMBER),
    ("at", LineKind.INSTANT),
    ("chain", LineKind.HASH),
)
"""The line that begins a group; all lines up to the next one are of that group."""

TERM = _line("term", "code", ("term", LineKind.NAME, "text"), ("code", LineKind.CODE))

LINES: tuple[DumpLine, ...] = (
    TERM,
    _line(
        "attribute_index",
        "type attribute",
        ("index", LineKind.ATTRIBUTE, "attribute"),
        ("type", LineKind.NAME),
    ),
    _line("schema_mode", "mode", ("schema", LineKind.SCHEMA_MODE, "mode")),
    _line(
        "tx",
        "number",
        ("transaction", LineKind.NUMBER, "number"),
        ("at", LineKind.INSTANT),
        ("last_id", LineKind.NUMBER),
        ("actor", LineKind.OPTIONAL_NAME),
        ("request", LineKind.OPTIONAL_NAME),
        ("chain", LineKind.HASH),
    ),
    _line(
        "change",
        "tx element",
        ("change", LineKind.NUMBER, "tx"),
        ("element", LineKind.NUMBER),
        ("operation", LineKind.OPERATION),
        ("digest", LineKind.HASH),
    ),
    _line(
        "concept",
        "id",
        ("concept", LineKind.NUMBER, "id"),
        ("type", LineKind.TYPE),
        ("name", LineKind.NAME),
        ("public_id", LineKind.OPTIONAL_NAME),
        *_CONTENT,
        *_LIFE,
    ),
    _line(
        "link",
        "id",
        ("link", LineKind.NUMBER, "id"),
        ("subject", LineKind.NUMBER),
        ("predicate", LineKind.PREDICATE),
        ("object", LineKind.NUMBER),
        ("key", LineKind.TEXT),
        ("public_id", LineKind.OPTIONAL_NAME),
        *_CONTENT,
        *_LIFE,
    ),
    _past("past"),
    _line(
        "work",
        "number",
        ("work", LineKind.NUMBER, "number"),
        ("item", LineKind.NAME),
        ("state", LineKind.NAME),
        ("attempts", LineKind.NUMBER),
        ("due_at", LineKind.BOUND),
        ("payload", LineKind.MEMBERS),
    ),
    _line(
        "receipt",
        "receipt position",
        ("receipt", LineKind.NAME),
        ("position", LineKind.NUMBER),
        ("item", LineKind.NAME),
    ),
)
"""The lines of a group, in their order."""

OLDER: Final = (_past("concept_past"), _past("link_past"))
"""Lines of the first version, which are read and no longer written."""

COPYING: Final = {line: copying(line.table, line.keys, line.columns) for line in (*LINES, *OLDER)}
"""How the rows of each are read and put."""
