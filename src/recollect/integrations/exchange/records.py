"""What the files of other programs say, in one form: the records that a reader yields.

The rule: a reader only reads. It yields what each line says and where it stands, and knows
neither the memory nor what is in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from recollect.faces.operations.records import ENTITY
from recollect.model import Attributes

DEFAULT_TYPE: Final = ENTITY
"""The type of what a file gives no type."""


@dataclass(frozen=True, slots=True)
class Named:
    """An end of a link by type and name: it is made where it is not there yet."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class ById:
    """An end of a link by the id that its file gives it: it must be there."""

    id: str


End = Named | ById


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
class Statement:
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


Record = Thing | Statement | Bond | Account | Mention | Left | Bad
