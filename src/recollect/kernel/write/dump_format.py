"""The lines of a dump: which row of which table each kind of line holds, and under which names.

A dump is JSON, one object a line; the first key of a line is its kind. Blobs are written in
hexadecimal, types and predicates as their texts. Counts and the text index are not in it: they
follow from the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FORMAT = "recollect_dump"
VERSION = 1

HEADER = {FORMAT: VERSION}
"""The first line. The last one is `{"end": lines}`, with the number of those before it."""

END = "end"


class Kind(StrEnum):
    """What a value of a line is."""

    WHOLE = "a whole number"
    TEXT = "a text"
    OPTIONAL_TEXT = "a text or null"
    OCTETS = "bytes in hexadecimal"
    MEMBERS = "an object"
    TERM = "a type or predicate of the dump"


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a line and the column it stands for."""

    name: str
    column: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Line:
    """A kind of line: the rows of one table, in the order of the keys of the table."""

    table: str
    fields: tuple[Field, ...]
    keys: tuple[str, ...]  # columns that order the rows of a group

    @property
    def kind(self) -> str:
        """The first key of such a line."""
        return self.fields[0].name

    @property
    def columns(self) -> str:
        """The columns of the fields, as a list in SQL."""
        return ", ".join(field.column for field in self.fields)


def _line(table: str, keys: str, *fields: tuple[str, Kind] | tuple[str, Kind, str]) -> Line:
    """Return a line whose fields are (name, kind), or (name, kind, column) where they differ."""
    named = (Field(one[0], one[-1] if len(one) == 3 else one[0], one[1]) for one in fields)
    return Line(table, tuple(named), tuple(keys.split()))


_CONTENT = (
    ("attributes", Kind.MEMBERS),
    ("metadata", Kind.MEMBERS),
    ("valid_at", Kind.WHOLE),
    ("invalid_at", Kind.WHOLE),
    ("version", Kind.WHOLE),
)
_LIFE = (
    ("born_at", Kind.WHOLE),
    ("changed_at", Kind.WHOLE),
    ("expired_at", Kind.WHOLE),
    ("salt", Kind.OCTETS),
)
_PAST = (("until", Kind.WHOLE), *_CONTENT, ("changed_at", Kind.WHOLE))

GROUP = _line(
    "grp",
    "name",
    ("group", Kind.TEXT, "name"),
    ("id_bits", Kind.OCTETS),
    ("number", Kind.WHOLE),
    ("at", Kind.WHOLE),
    ("chain", Kind.OCTETS),
)
"""The line that begins a group; all lines up to the next one are of that group."""

TERM = _line("term", "code", ("term", Kind.TEXT, "text"), ("code", Kind.WHOLE))

LINES: tuple[Line, ...] = (
    TERM,
    _line(
        "attribute_index",
        "type attribute",
        ("index", Kind.TEXT, "attribute"),
        ("type", Kind.TEXT),
    ),
    _line(
        "tx",
        "number",
        ("transaction", Kind.WHOLE, "number"),
        ("at", Kind.WHOLE),
        ("last_id", Kind.WHOLE),
        ("actor", Kind.OPTIONAL_TEXT),
        ("request", Kind.OPTIONAL_TEXT),
        ("chain", Kind.OCTETS),
    ),
    _line(
        "change",
        "tx element",
        ("change", Kind.WHOLE, "tx"),
        ("element", Kind.WHOLE),
        ("operation", Kind.TEXT),
        ("digest", Kind.OCTETS),
    ),
    _line(
        "concept",
        "id",
        ("concept", Kind.WHOLE, "id"),
        ("type", Kind.TERM),
        ("name", Kind.TEXT),
        ("public_id", Kind.OPTIONAL_TEXT),
        *_CONTENT,
        *_LIFE,
    ),
    _line(
        "link",
        "id",
        ("link", Kind.WHOLE, "id"),
        ("subject", Kind.WHOLE),
        ("predicate", Kind.TERM),
        ("object", Kind.WHOLE),
        ("key", Kind.TEXT),
        ("public_id", Kind.OPTIONAL_TEXT),
        *_CONTENT,
        *_LIFE,
    ),
    _line("concept_past", "id until", ("concept_past", Kind.WHOLE, "id"), *_PAST),
    _line("link_past", "id until", ("link_past", Kind.WHOLE, "id"), *_PAST),
)
"""The lines of a group, in their order."""
