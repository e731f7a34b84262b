"""The counts that DESCRIBE and the planner read, kept by difference.

The rule: every flush adds what it changes, so the counts agree with the rows at every read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from recollect.kernel.store.schema import (
    LINK_BIT,
    TALLY_BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS,
    TALLY_CONCEPTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
)
from recollect.kernel.write.element import ConceptElement, Content, Element, LinkElement, State
from recollect.model import BEGINNING, FOREVER

Move = tuple[Element, State, State | None]
"""An element, what its row says, and what it is about to say."""


Counts = Counter[tuple[str, int]]
"""Differences by kind of tally and term."""


def counts_of(made: Iterable[Element], moves: Iterable[Move]) -> Counts:
    """Return the difference that one flush makes."""
    counts = Counts()
    for element in made:
        _count(counts, element, 1)
        _count_row(counts, element, 1)
        _count_bounded(counts, element, _is_bounded(element.content))
    for element, old, new in moves:
        is_alive = new is not None and new.is_living
        _count(counts, element, is_alive - old.is_living)
        if new is None:
            _count_row(counts, element, -1)
        is_bounded = new is not None and _is_bounded(new.content)
        _count_bounded(counts, element, is_bounded - _is_bounded(old.content))
    return counts


def _count(counts: Counts, element: Element, living: int) -> None:
    """Count a living element of its type or predicate; a minus takes it away."""
    if isinstance(element, LinkElement):
        counts[TALLY_LINKS, element.predicate] += living
    elif isinstance(element, ConceptElement):
        counts[TALLY_CONCEPTS, element.type] += living


def _is_bounded(content: Content) -> bool:
    """Whether there is a time at which what an element says is not true."""
    return content.valid_at != BEGINNING or content.invalid_at != FOREVER


def _count_bounded(counts: Counts, element: Element, rows: int) -> None:
    if isinstance(element, LinkElement):
        counts[TALLY_BOUNDED_LINKS, element.predicate] += rows
    elif isinstance(element, ConceptElement):
        counts[TALLY_BOUNDED_CONCEPTS, element.type] += rows


def _count_row(counts: Counts, element: Element, rows: int) -> None:
    """Count what the planner must know of all links that were ever there."""
    if not isinstance(element, LinkElement):
        return
    if element.key:
        counts[TALLY_KEYED, element.predicate] += rows
    if element.subject & LINK_BIT:
        counts[TALLY_LINK_SUBJECTS, element.predicate] += rows
    if element.object & LINK_BIT:
        counts[TALLY_LINK_OBJECTS, element.predicate] += rows
