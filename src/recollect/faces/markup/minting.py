"""Permanent ids, and numbers for the order of siblings, that no one had before.

The rule: both come from one concept that counts on, and that no markup shows. An id is the next
number that nothing of the group has or had; one that was erased does not come again either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from recollect.faces.markup.graph import COUNTER, COUNTER_TYPE, NEXT_ID, NEXT_ORDER, Graph
from recollect.model import Change, PutConcept, Value

_LONGEST = 15
"""Digits of an id that the count goes on behind."""


class Minting:
    """The counts of a group, for one change."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._avoided: set[str] = set()
        held = graph.nexus.elements.look_up([COUNTER]).get(COUNTER)
        said = {} if held is None else held.element.attributes
        self._began = self._id, self._order = (
            _count(said.get(NEXT_ID)),
            _count(said.get(NEXT_ORDER)),
        )

    def avoid(self, ids: Collection[str]) -> None:
        """Give none of these ids, which a document names."""
        self._avoided.update(ids)

    def take(self, count: int) -> list[str]:
        """Return so many new ids, in order."""
        found: list[str] = []
        while len(found) < count:
            missing = count - len(found)
            numbers = [str(self._id + one) for one in range(missing)]
            self._id += missing
            self._graph.fetch(numbers)
            found += [
                one for one in numbers if one not in self._avoided and not self._graph.is_taken(one)
            ]
        return found

    def count_on_behind(self, ids: Iterable[str]) -> None:
        """Go on behind the largest number among ids that others gave."""
        numbers = [
            int(one) for one in ids if len(one) <= _LONGEST and one.isascii() and one.isdigit()
        ]
        self._id = max([self._id, *(one + 1 for one in numbers)])

    def take_order(self) -> int:
        """Return a number behind all that were given before."""
        self._order += 1
        return self._order - 1

    def changes(self) -> list[Change]:
        """Return what keeps the counts, if they went on."""
        if (self._id, self._order) == self._began:
            return []
        counts: dict[str, Value] = {NEXT_ID: self._id, NEXT_ORDER: self._order}
        return [PutConcept(COUNTER_TYPE, COUNTER, counts, id=COUNTER)]


def _count(said: Value) -> int:
    return said if isinstance(said, int) and said > 0 else 1
