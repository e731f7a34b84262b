"""The counts of the living that DESCRIBE and the planner read, kept by difference.

Every flush adds what it changes, so the counts agree with the rows at every read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from recollect.kernel.store.counts import add_counts
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.schema import (
    LINK_BIT,
    TALLY_CONCEPTS,
    TALLY_LINKED,
    TALLY_LINKS,
    TALLY_MULTIPLE,
)
from recollect.kernel.write.directory import Directory
from recollect.kernel.write.element import (
    ConceptElement,
    Element,
    LinkElement,
    State,
    Triple,
)

Move = tuple[Element, State | None]
"""An element and the state its row is about to say."""


def count_moves(session: Session, group_id: int, directory: Directory, moves: list[Move]) -> None:
    """Add the difference that one flush makes; called before any of it is on disk."""
    counts: Counter[tuple[str, int]] = Counter()
    triples: Counter[Triple] = Counter()
    for element, target in moves:
        change = _is_alive(target) - _is_alive(element.on_disk)
        if not change:
            continue
        if isinstance(element, ConceptElement):
            counts[TALLY_CONCEPTS, element.type] += change
        elif isinstance(element, LinkElement):
            counts[TALLY_LINKS, element.predicate] += change
            if (element.subject | element.object) & LINK_BIT:
                counts[TALLY_LINKED, element.predicate] += change
            triples[element.triple] += change
    _count_multiple(counts, directory, triples)
    add_counts(session, group_id, counts)


def _count_multiple(
    counts: Counter[tuple[str, int]], directory: Directory, triples: Mapping[Triple, int]
) -> None:
    """Count the triples that come to have several links, or cease to."""
    directory.expect_triples(triples)
    for triple, change in triples.items():
        links = directory.all_links(triple)
        if len(links) > 1:
            was = sum(_is_alive(link.on_disk) for link in links)
            counts[TALLY_MULTIPLE, triple[1]] += (was + change > 1) - (was > 1)


def _is_alive(state: State | None) -> bool:
    return state is not None and state.is_living
