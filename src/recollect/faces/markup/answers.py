"""What the calls of Knowing Markup on a memory return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from recollect.errors import Notice
from recollect.faces.markup.model import Document
from recollect.node import dataclass, node

ChangeKind = Literal["created", "placed", "updated", "moved", "reordered", "removed", "closed"]


@node(frozen=True, slots=True)
class NodeChange:
    """What happens to one node or space: `str()` is a line to approve.

    `removed` is from a place, after which the node stands elsewhere; `closed` is for good.

    >>> print(NodeChange("created", "12", "Car", "main"))
    created 12 "Car" in main
    """

    kind: ChangeKind
    id: str
    label: str | None
    space: str | None  # the id of the space it happens in; None: it stands in none

    def __str__(self) -> str:
        label = "" if self.label is None else f' "{_one_line(self.label)}"'
        where = {"removed": "from", "moved": "to a new place in", "placed": "also in"}
        space = (
            "" if self.space in (None, self.id) else f" {where.get(self.kind, 'in')} {self.space}"
        )
        return f"{self.kind} {self.id}{label}{space}"


@dataclass(frozen=True, slots=True)
class Applied:
    """What `apply` or `load` did, or would do."""

    reply: Document  # the document with permanent ids
    ids: Mapping[str, str]  # permanent ids by what the document called them: {"new-1": "12"}
    changes: tuple[NodeChange, ...]
    notices: tuple[Notice, ...]
    transaction: int | None  # None: nothing was written
    is_dry_run: bool


@dataclass(frozen=True, slots=True)
class Rendered:
    """A memory, a space or a branch as text."""

    text: str
    shown: frozenset[str]  # ids of the nodes and spaces that a reader may change
    shortened: frozenset[str]  # of those whose Content is not shown whole
    omitted: int  # nodes left out below those that are shown
    cost: int
    transaction: int | None  # as of which it is; None for an instant of the past


@dataclass(frozen=True, slots=True)
class SpaceEntry:
    """A space of the memory."""

    id: str
    kind: str  # "CONCEPTUAL SPACE", "ATTRIBUTE SPACE" or "ONTOLOGY SPACE"
    label: str


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a node stands."""

    space: str
    parent: str | None  # None: at the root of the space
    predicate: str  # of the link that says so: "parent"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


_LONGEST = 60
