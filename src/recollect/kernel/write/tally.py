"""The counts that DESCRIBE and the planner read, kept by difference.

Every flush adds what it changes, so the counts agree with the rows at every read.
"""

from __future__ import annotations

from collections import Counter

from recollect.kernel.store.counts import add_counts
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.schema import (
    LINK_BIT,
    TALLY_CONCEPTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
)
from recollect.kernel.write.element import ConceptElement, Element, LinkElement, State

Move = tuple[Element, State | None]
"""An element and the state its row is about to say."""


def count_moves(session: Session, group_id: int, moves: list[Move]) -> None:
    """Add the difference that one flush makes; called before any of it is on disk."""
    counts: Counter[tuple[str, int]] = Counter()
    for element, target in moves:
        on_disk = element.on_disk
        is_alive = target is not None and target.is_living
        change = is_alive - (on_disk is not None and on_disk.is_living)
        if isinstance(element, LinkElement):
            counts[TALLY_LINKS, element.predicate] += change
            made = (target is not None) - (on_disk is not None)
            if made and (element.key or (element.subject | element.object) & LINK_BIT):
                _count_made(counts, element, made)
        elif isinstance(element, ConceptElement):
            counts[TALLY_CONCEPTS, element.type] += change
    add_counts(session, group_id, counts)


def _count_made(counts: Counter[tuple[str, int]], link: LinkElement, made: int) -> None:
    """Count what the planner must know of all links that were ever there."""
    if link.key:
        counts[TALLY_KEYED, link.predicate] += made
    if link.subject & LINK_BIT:
        counts[TALLY_LINK_SUBJECTS, link.predicate] += made
    if link.object & LINK_BIT:
        counts[TALLY_LINK_OBJECTS, link.predicate] += made
