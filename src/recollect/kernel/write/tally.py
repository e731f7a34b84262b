"""The counts that DESCRIBE and the planner read, kept by difference.

The rule: every flush adds what it changes, so the counts agree with the rows at every read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from recollect.kernel.store.cells import (
    TALLY_BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS,
    TALLY_CONCEPTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
)
from recollect.kernel.write.element import ConceptElement, Content, Element, LinkElement, State
from recollect.model import BEGINNING, FOREVER, LINK_BIT

Move = tuple[Element, State, State | None]
"""An element, what its row says, and what it is about to say."""


Counts = Counter[tuple[str, int]]
"""Differences by kind of tally and term."""


def counts_of(made: Iterable[Element], moves: Iterable[Move]) -> Counts:
    """Return the difference that one flush makes."""
    counts = Counts()
    for element in made:
        _count(counts, element, 1, 1, _is_bounded(element.content))
    for element, old, new in moves:
        living = (new is not None and new.is_living) - old.is_living
        is_bounded = new is not None and _is_bounded(new.content)
        bounded = is_bounded - _is_bounded(old.content)
        _count(counts, element, living, -1 if new is None else 0, bounded)
    return counts


def _is_bounded(content: Content) -> bool:
    """Whether there is a time at which what an element says is not true."""
    return content.valid_at != BEGINNING or content.invalid_at != FOREVER


def _count(counts: Counts, element: Element, living: int, rows: int, bounded: int) -> None:
    """Count an element that lives, and its row, of its type or predicate; a minus takes it away.

    Of all links that were ever there the planner must know which have keys, or links for ends.
    """
    if isinstance(element, ConceptElement):
        counts[TALLY_CONCEPTS, element.type] += living
        if bounded:
            counts[TALLY_BOUNDED_CONCEPTS, element.type] += bounded
        return
    assert isinstance(element, LinkElement)
    predicate = element.predicate
    counts[TALLY_LINKS, predicate] += living
    if bounded:
        counts[TALLY_BOUNDED_LINKS, predicate] += bounded
    if rows and element.key:
        counts[TALLY_KEYED, predicate] += rows
    if rows and element.subject & LINK_BIT:
        counts[TALLY_LINK_SUBJECTS, predicate] += rows
    if rows and element.object & LINK_BIT:
        counts[TALLY_LINK_OBJECTS, predicate] += rows
