"""What the files of other programs say, in one form: the records of a reader, and their ids.

The rule: a reader only reads. It yields what each line says and where it stands, and knows
neither the memory nor what is in it. The same record always has the same id, so that what comes
again is found.
"""

from __future__ import annotations

import re
import uuid
from typing import Final

import orjson

from recollect.faces.operations.records import ENTITY
from recollect.model import Attributes, Value, normal_text
from recollect.node import dataclass, field

DEFAULT_TYPE: Final = ENTITY
"""The type of what a file gives no type."""


@dataclass(frozen=True, slots=True)
class ByName:
    """An end of a link by type and name: it is made where it is not there yet."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class ById:
    """An end of a link by the id that its file gives it: it must be there."""

    id: str


End = ByName | ById


@dataclass(frozen=True, slots=True)
class Thing:
    """A concept, and what is said of it; `id` is what its file calls it."""

    line: int
    type: str
    name: str
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    id: str | None = None
    searched: tuple[str, ...] | None = None  # the attributes that are searched; None: all
    otherwise: str | None = None  # the name where something else in the memory has that one
    is_exact: bool = False  # just as a memory held it: nothing is added, and its name is its own
    timeless: frozenset[str] = frozenset()  # keys of the metadata that set no fact time
    earlier: Attributes = field(default_factory=dict)  # metadata that was set before


@dataclass(frozen=True, slots=True)
class StatementRecord:
    """A link that says something in words: a fact, which has an id of its own."""

    line: int
    subject: End
    predicate: str
    object: End
    text: str
    id: str
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str = ""  # what else must be the same for two facts to be about one thing
    sources: tuple[str, ...] = ()  # ids of the episodes that told it


@dataclass(frozen=True, slots=True)
class Bond:
    """A link just as a memory holds it, with its key."""

    line: int
    subject: End
    predicate: str
    object: End
    id: str | None = None
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str = ""
    earlier: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Account:
    """An episode: what was told, as it was told."""

    line: int
    id: str
    name: str | None
    body: str
    source: str
    source_description: str | None
    reference_time: str
    metadata: Attributes = field(default_factory=dict)
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """An episode spoke of a thing; both by id."""

    line: int
    episode: str
    thing: str


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is well formed and has no place in a memory."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Bad:
    """Something that cannot be read."""

    line: int
    reason: str


Record = Thing | StatementRecord | Bond | Account | Mention | Left | Bad


_NAMESPACE: Final = uuid.UUID("9f0b7a52-6f0d-5f0e-8a4e-5b1de3f2c7a4")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def made_id(*parts: Value) -> str:
    """Return the id of what says this: a UUID of version 5."""
    return str(uuid.uuid5(_NAMESPACE, orjson.dumps(parts).decode()))


def end_parts(end: End) -> list[Value]:
    """Return what an end is known by."""
    match end:
        case ByName(type, name):
            return [type, normal_text(name)]
        case ById(id):
            return [id]


def statement_id(subject: End, predicate: str, target: End, *more: Value) -> str:
    """Return the id of a fact whose file gives it none."""
    return made_id("statement", end_parts(subject), predicate, end_parts(target), *more)


def words(subject: str, predicate: str, target: str) -> str:
    """Return a bare link in words, so that a search finds it.

    >>> words("Ann", "worksAt", "Acme"), words("Ann", "LIVES_IN", "Berlin")
    ('Ann works at Acme', 'Ann lives in Berlin')
    """
    spaced = _HUMP.sub(" ", predicate.replace("_", " ")).strip()
    plain = spaced.lower() if spaced.isupper() or " " in spaced else spaced
    return f"{subject} {plain} {target}"
