"""Counts of the living graph, coarse enough that plans survive most writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Statistics:
    """Counts by type and predicate, in powers of four, and what is known to be absent.

    `epoch` names this value in the key of the plan cache. Unknown names count zero. What is
    absent is only certain of the committed present, not of the past or inside a write.
    """

    epoch: int = 0
    is_certain: bool = True
    concepts: Mapping[str, int] = field(default_factory=dict)
    links: Mapping[str, int] = field(default_factory=dict)
    multiple: frozenset[str] = frozenset()  # predicates with several links for one triple
    linked: frozenset[str] = frozenset()  # predicates with a link at an end

    @classmethod
    def of(
        cls,
        concepts: Mapping[str, int],
        links: Mapping[str, int],
        multiple: frozenset[str],
        linked: frozenset[str],
    ) -> Statistics:
        """Return the statistics of these counts; equal counts have the same epoch."""
        counts = (frozenset(concepts.items()), frozenset(links.items()))
        epoch = hash((*counts, multiple, linked))
        return cls(epoch, True, concepts, links, multiple, linked)

    def uncertain(self) -> Statistics:
        """Return the same counts without the promise of what is absent."""
        return replace(self, is_certain=False)

    def type_count(self, type_: str | None) -> int:
        """Return about how many concepts have the type, or there are at all."""
        return self.concepts.get(type_, 0) if type_ is not None else sum(self.concepts.values())

    def link_count(self, predicates: tuple[str, ...]) -> int:
        """Return about how many links have one of the predicates, or there are at all."""
        if not predicates:
            return sum(self.links.values())
        return sum(self.links.get(one, 0) for one in predicates)

    def ends_are_concepts(self, predicates: tuple[str, ...]) -> bool:
        """Whether no living link of the predicates has a link at an end."""
        absent = not self.linked if not predicates else self.linked.isdisjoint(predicates)
        return self.is_certain and absent

    def triples_are_single(self, predicates: tuple[str, ...]) -> bool:
        """Whether a triple of the predicates names one living link at most."""
        absent = not self.multiple if not predicates else self.multiple.isdisjoint(predicates)
        return self.is_certain and absent


def coarse(count: int) -> int:
    """Round a count down to a power of four.

    >>> [coarse(n) for n in (0, 1, 3, 4, 17, 1000)]
    [0, 1, 1, 4, 16, 256]
    """
    return 0 if count <= 0 else 4 ** ((count.bit_length() - 1) // 2)
