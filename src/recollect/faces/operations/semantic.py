"""The seam of the semantic leg: facts and nodes near a text in meaning, ranked per group.

The rule: a leg answers for one group and one moment, only with what is there and true then, best
first, ties by id; an element without a vector is simply not in its answer. A leg that cannot
answer raises EMBEDDER_UNAVAILABLE, and leaves the search to the other one. Specification 004,
section 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.faces.operations.records import ENTITY
from recollect.kernel import Nexus
from recollect.model import AsOf, ElementKind, Ranked


class SemanticLeg(Protocol):
    """Finds by meaning what the keyword leg finds by words."""

    def facts(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nearest facts of the group of `nexus`, at most `limit`; none: no leg."""

    def nodes(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nearest nodes of the group of `nexus`, at most `limit`; none: no leg."""


class ByMeaning:
    """Compares questions with the vectors of the memory, if it has an embedder."""

    def facts(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the facts whose words are nearest."""
        return _nearest(nexus, query, ElementKind.LINK, None, limit, as_of)

    def nodes(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        """Return the nodes whose name and summary are nearest."""
        return _nearest(nexus, query, ElementKind.CONCEPT, ENTITY, limit, as_of)


def _nearest(
    nexus: Nexus, query: str, kind: ElementKind, type_: str | None, limit: int, as_of: AsOf
) -> Sequence[Ranked]:
    if nexus.vectors.model is None:
        return ()
    return nexus.vectors.nearest(query, kind, type=type_, limit=limit, as_of=as_of)
