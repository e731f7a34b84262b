"""Where a search looks: the group, the type asked for, and the point in both times.

The rule: every statement of a search binds the same parameters, from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

import orjson

from recollect.kernel.search.rank import Weights
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Partition
from recollect.model import LIVING, ElementKind, Instant
from recollect.node import dataclass, field

Where = Mapping[str, Sequence[str]]
"""Attributes of concepts, and the texts that each may be."""


Pick = Callable[[Sequence[int]], Set[int]]
"""Those of some concepts that fit."""


@dataclass(frozen=True, slots=True)
class SearchBounds:
    """What bounds a search beside its words."""

    group: Group
    type: int | None = None  # term code of WITH TYPE
    valid: Instant | None = None  # keep what is true then; None: any fact time
    known: int | None = None  # the transaction to answer as of; None: now
    where: Where | None = None  # of concepts
    among: Set[int] | None = None  # concepts that all others are left out beside; None: all
    pick: Pick | None = None  # what knows sooner than their contents whether concepts fit `where`
    says: bool = False  # of links: keep those that say something in words
    weights: Mapping[ElementKind, Weights] = field(default_factory=dict)  # else they are counted

    def of_any_type(self) -> SearchBounds:
        """Return the same scope without its type."""
        return SearchBounds(self.group, None, self.valid, self.known, weights=self.weights)

    def partitions(self, kind: ElementKind) -> tuple[Partition, ...]:
        """Return where documents of that time and kind stand.

        What was alive then may be closed or superseded since, so the past needs both.
        """
        is_link = kind is ElementKind.LINK
        living = Partition(self.group.group_id, is_link, is_living=True)
        if self.known is None:
            return (living,)
        return (living, Partition(self.group.group_id, is_link, is_living=False))

    def parameters(self, **more: SqlValue) -> dict[str, SqlValue]:
        """Return the parameters of a statement: `:known` is past every transaction for now."""
        return {
            "group": self.group.group_id,
            "type": self.type,
            "valid": self.valid,
            "known": LIVING - 1 if self.known is None else self.known,
            "says": self.says,
            "where": None if self.where is None else orjson.dumps(self.where).decode(),
            **more,
        }
