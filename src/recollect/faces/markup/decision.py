"""What a call asks for, and what its document comes to."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.errors import Span
from recollect.faces.markup.details import DocumentChanges
from recollect.faces.markup.graph import Spot
from recollect.faces.markup.placing import Placing
from recollect.faces.markup.resolving import Appearance, Resolved
from recollect.faces.markup.text import MOST_LEVELS
from recollect.node import dataclass, field


@dataclass(frozen=True, slots=True)
class AnswerScope:
    """What an exchange allows its answer; without one a change may touch the whole group."""

    shown: frozenset[str]  # ids whose nodes and spaces may be changed, and created below
    shortened: frozenset[str] = frozenset()  # whose Content was not shown whole
    mapped: Mapping[str, str] = field(default_factory=dict)  # permanent ids by temporary ones


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call asks for."""

    is_snapshot: bool  # whether all that is present shall exist: `load`
    is_fresh: bool = False  # whether every id gets a new one
    target: str | None = None  # the node or the space that new roots go to
    base: int | None = None  # the transaction that the document was made of
    extra_fields: bool = False
    scope: AnswerScope | None = None  # None: the whole group
    dry_run: bool = False
    request_id: str | None = None  # in the log of what is written


@dataclass(slots=True)
class Decided:
    """What a document comes to."""

    resolved: Resolved
    said: DocumentChanges
    placing: Placing
    spots: dict[Spot, Appearance] = field(default_factory=dict)  # who says so
    moved: set[str] = field(default_factory=set)
    reordered: set[Spot] = field(default_factory=set)
    protected: dict[str, None] = field(default_factory=dict)  # what a snapshot makes read-only
    orders: dict[Spot, float] = field(default_factory=dict)  # of places added, and of others
    _above: dict[tuple[str, str], Spot] | None = None  # by child and space

    def span_of(self, spot: Spot) -> Span | None:
        """Return where the document speaks of a place, or of the one that takes it along."""
        if self._above is None:
            self._above = {(one[0], one[1]): one for one in self.placing.removed}
        at: Spot | None = spot
        for _ in range(MOST_LEVELS):
            if at is None or at in self.spots:
                break
            at = self._above.get((at[2] or "", spot[1]))
        if at is not None and at in self.spots:
            return self.spots[at].node.span
        return next((one.span for id, one in self.resolved.headers if id == spot[1]), None)
