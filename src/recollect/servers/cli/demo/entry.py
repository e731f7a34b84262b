"""One row of a table on its way into a memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.model import Value


@dataclass(frozen=True, slots=True)
class Target:
    """The concept a link ends in."""

    predicate: str
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a table: a concept, and the links from it to concepts of earlier entries."""

    type: str
    name: str
    source: str
    attributes: dict[str, Value]
    links: tuple[Target, ...] = field(default=())
