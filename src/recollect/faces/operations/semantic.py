"""The seam of the semantic leg: facts and nodes near a text in meaning, ranked per group.

The rule: a leg answers for one group and one moment, only with what is there and true then, best
first, ties by id; an element without a vector is simply not in its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.kernel import Nexus
from recollect.model import AsOf, Ranked


class SemanticLeg(Protocol):
    """Finds by meaning what the keyword leg finds by words."""

    def facts(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nearest facts of the group of `nexus`, at most `limit`."""

    def nodes(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nearest nodes of the group of `nexus`, at most `limit`."""
