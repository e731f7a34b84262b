"""Counts of the living graph, coarse enough that plans survive most writes."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.node import dataclass, field, replace


@dataclass(frozen=True)
class Statistics:
    """Counts by type and predicate, in powers of four, and what is known to be absent.

    `epoch` names this value in the key of the plan cache. Unknown names count zero. What was
    never there is certain of every moment, but not inside a write.
    """

    epoch: int = 0
    is_certain: bool = True
    concepts: Mapping[str, int] = field(default_factory=dict)
    links: Mapping[str, int] = field(default_factory=dict)
    keyed: frozenset[str] = frozenset()  # predicates that ever had a link with a key
    link_subjects: frozenset[str] = frozenset()  # predicates that ever had a link about a link
    link_objects: frozenset[str] = frozenset()  # predicates that ever had a link to a link
    bounded_types: frozenset[str] = frozenset()  # types with concepts that are not true for ever
    bounded_links: frozenset[str] = frozenset()  # predicates with such links

    def counted(self) -> Statistics:
        """Return the same with its epoch: equal counts have the same one.

        What is bounded makes no difference to a plan.
        """
        counts = frozenset(self.concepts.items()), frozenset(self.links.items())
        told = (*counts, self.keyed, self.link_subjects, self.link_objects)
        return replace(self, epoch=hash(told))

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
        return sum([self.links.get(one, 0) for one in predicates])

    def subjects_are_concepts(self, predicates: tuple[str, ...]) -> bool:
        """Whether no link of the predicates was ever about a link."""
        return self._is_absent(self.link_subjects, predicates)

    def objects_are_concepts(self, predicates: tuple[str, ...]) -> bool:
        """Whether no link of the predicates ever led to a link."""
        return self._is_absent(self.link_objects, predicates)

    def triples_are_single(self, predicates: tuple[str, ...]) -> bool:
        """Whether a triple of the predicates names one link at most, at any moment."""
        return self._is_absent(self.keyed, predicates)

    def _is_absent(self, found: frozenset[str], predicates: tuple[str, ...]) -> bool:
        return self.is_certain and (found.isdisjoint(predicates) if predicates else not found)


def coarse(count: int) -> int:
    """Round a count down to a power of four.

    >>> [coarse(n) for n in (0, 1, 3, 4, 17, 1000)]
    [0, 1, 1, 4, 16, 256]
    """
    return 0 if count <= 0 else 4 ** ((count.bit_length() - 1) // 2)
