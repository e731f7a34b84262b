"""MERGE: two concepts become one, and every link of the source goes on at the target.

A link never changes its ends: one that moves is closed, and another carries on under its id
and key; the links about it follow. Of links that come to say the same, the target's stays.
KIP 1.0-RC11, section 4.4.
"""

from __future__ import annotations

from recollect.errors import CONSTRAINT_VIOLATION, DUPLICATE_EXISTS
from recollect.kernel.search.tokens import ALIASES
from recollect.kernel.write.element import (
    ConceptElement,
    Element,
    ElementContent,
    LinkElement,
    canonical,
    listed,
)
from recollect.kernel.write.protection import refuse_merge
from recollect.kernel.write.unit import Unit
from recollect.model import MERGED_FROM, MOVED_FROM, Attributes, MergeReport, Value
from recollect.node import dataclass


def merge_concepts(unit: Unit, source: ConceptElement, target: ConceptElement) -> MergeReport:
    """Close the source; give the target its links, the attributes it lacks, and its names.

    What a plain name made may become one with a concept of another type. KIP_2002 for concepts of
    two types else, KIP_3004 for a protected one. Cost: every link of the source, and every link
    about those.
    """
    refuse_merge(unit, (source, target), None)
    if unit.terms.text(source.type) != unit.session.kinds.made:
        _refuse_types(unit, source, target)
    moving = _Moving(unit, source, target.id)
    unit.close([source, *moving.links])
    repointed, deduplicated = moving.carry_on()
    attributes, filled = _attributes(source, target)
    trail = _trail(unit, source, target)
    metadata = {**target.content.metadata, MERGED_FROM: trail}
    unit.set_content(target, target.content._replace(attributes=attributes, metadata=metadata))
    return MergeReport(repointed, deduplicated, filled)


def bear_anew(unit: Unit, concept: ConceptElement, type_: str) -> ConceptElement:
    """Close a concept and let one of another type go on under its id; return that one.

    It says the same and has all its links. KIP_3003 when a living concept has that type and name,
    KIP_3004 for a protected one. Cost: as for a merge.
    """
    refuse_merge(unit, (concept,), None)
    code = unit.terms.code(type_)
    there = None if code is None else unit.directory.concept((code, concept.name))
    if there is not None:
        raise DUPLICATE_EXISTS.error(
            f'{{type: "{type_}", name: "{concept.name}"}} is there already',
            "merge the two",
            known=(unit.public_id(there),),
        )
    links = unit.directory.links_about([concept.id])
    unit.close([concept, *links])
    born = unit.bear_anew(concept, type_)
    unit.set_content(born, concept.content)
    moving = _Moving(unit, concept, born.id, links)
    moving.renamed.clear()  # its id is what it was
    moving.carry_on()
    return born


def with_trail(
    unit: Unit, link: LinkElement, content: ElementContent, concept: str
) -> ElementContent:
    """Return what a moved link says, with the trail of where it comes from: its versions go on."""
    trail: Value = {"concept": concept, "version": unit.version(link)}
    return content._replace(metadata={**content.metadata, MOVED_FROM: trail})


@dataclass(slots=True, eq=False)
class _Place:
    """Where links come to be that will say the same, so that one of them remains."""

    subject: int | _Place  # a place is an end that is still to be made
    predicate: int
    object: int | _Place
    key: str
    links: list[LinkElement]
    made: LinkElement | None = None


_Ends = tuple["int | _Place", int, "int | _Place", str]


class _Moving:
    """The links that a merge moves, found while they live, and made anew when they are closed."""

    def __init__(
        self,
        unit: Unit,
        source: ConceptElement,
        target: int,
        links: list[LinkElement] | None = None,
    ) -> None:
        self._unit = unit
        self._source = source
        self.links = unit.directory.links_about([source.id]) if links is None else links
        self._places: dict[_Ends, _Place] = {}
        self._moved: dict[int, int | _Place] = {source.id: target}
        self._lost: dict[int, list[LinkElement]] = {}  # links that become one that stays, by its id
        self.renamed = {source.id}  # ends that are known by another id from now on
        for link in self.links:  # an end is older than its link, so it has its place by then
            self._find_place(link)

    def _find_place(self, link: LinkElement) -> None:
        subject = self._moved.get(link.subject, link.subject)
        target = self._moved.get(link.object, link.object)
        if isinstance(subject, int) and isinstance(target, int):
            stays = self._unit.directory.link((subject, link.predicate, target), link.key)
            if stays is not None:
                self._lost.setdefault(stays.id, []).append(link)
                self._moved[link.id] = stays.id
                return
        ends = subject, link.predicate, target, link.key
        place = self._places.setdefault(ends, _Place(*ends, links=[]))
        place.links.append(link)
        self._moved[link.id] = place

    def carry_on(self) -> tuple[int, int]:
        """Make what the closed links become; count those with another end, and the lost ones."""
        unit, deduplicated = self._unit, 0
        for stays, links in self._lost.items():
            survivor = unit.directory.by_id(stays)
            assert survivor is not None
            for link in links:
                _fill(unit, survivor, link)
            self.renamed.update(link.id for link in links)
            deduplicated += len(links)
        repointed = 0
        for place in self._places.values():
            kept = next((one for one in place.links if self._has_its_ends(one)), place.links[0])
            triple = _made(place.subject), place.predicate, _made(place.object)
            place.made = unit.carry_on(kept, triple)
            source = unit.public_id(self._source)
            unit.set_content(place.made, with_trail(unit, kept, kept.content, source))
            for link in place.links:
                if link is not kept:
                    _fill(unit, place.made, link)
                    self.renamed.add(link.id)
            deduplicated += len(place.links) - 1
            repointed += not self._has_its_ends(kept)
        return repointed, deduplicated

    def _has_its_ends(self, link: LinkElement) -> bool:
        """Whether a link is between the same elements as before, as callers know them."""
        return self.renamed.isdisjoint((link.subject, link.object))


def _made(end: int | _Place) -> int:
    if isinstance(end, int):
        return end
    assert end.made is not None  # places are made in the order in which they were found
    return end.made.id


def _fill(unit: Unit, link: Element, lost: LinkElement) -> None:
    """Give a link the keys it lacks of one that becomes it; its fact clock follows them."""
    attributes = _lacking(link.content.attributes, lost.content.attributes)
    metadata = _lacking(link.content.metadata, lost.content.metadata)
    unit.put(link, attributes, metadata, metadata)


def _lacking(held: Attributes, other: Attributes) -> Attributes:
    return {key: other[key] for key in other if key not in held and not key.startswith("_")}


def _attributes(source: ConceptElement, target: ConceptElement) -> tuple[Attributes, int]:
    """Return the attributes of the target with what it lacked, and how many were filled."""
    held, other = target.content.attributes, source.content.attributes
    filled = {key: other[key] for key in other if key not in held}
    aliases = [*listed(held.get(ALIASES)), *listed(other.get(ALIASES)), source.name]
    return {**held, **filled, ALIASES: _distinct(aliases)}, len(filled)


def _trail(unit: Unit, source: ConceptElement, target: ConceptElement) -> list[Value]:
    """Return the names of all that the target was made of: its own first, the source last."""
    known = (listed(one.content.metadata.get(MERGED_FROM)) for one in (target, source))
    name = f"{unit.terms.text(source.type)}:{source.name}"
    return _distinct([*(entry for entries in known for entry in entries), name])


def _distinct(values: list[Value]) -> list[Value]:
    return list({canonical(value): value for value in values}.values())


def _refuse_types(unit: Unit, source: ConceptElement, target: ConceptElement) -> None:
    """Raise KIP_2002 for two concepts that are not of one type."""
    if source.type == target.type:
        return
    types = [unit.terms.text(one.type) for one in (source, target)]
    raise CONSTRAINT_VIOLATION.error(
        f'the concepts are of two types: "{types[0]}" and "{types[1]}"',
        "merge concepts of one type",
    )
