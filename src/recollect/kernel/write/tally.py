"""The counts that DESCRIBE and the planner read, kept by difference.

The rule: every flush adds what it changes, so the counts agree with the rows at every read.
"""

from __future__ import annotations

from collections import Counter

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


Counts = Counter[tuple[str, int]]
"""Differences by kind of tally and term."""


def counts_of(moves: list[Move]) -> Counts:
    """Return the difference that one flush makes; asked before any of it is on disk."""
    counts = Counts()
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
    return counts


def _count_made(counts: Counts, link: LinkElement, made: int) -> None:
    """Count what the planner must know of all links that were ever there."""
    if link.key:
        counts[TALLY_KEYED, link.predicate] += made
    if link.subject & LINK_BIT:
        counts[TALLY_LINK_SUBJECTS, link.predicate] += made
    if link.object & LINK_BIT:
        counts[TALLY_LINK_OBJECTS, link.predicate] += made
