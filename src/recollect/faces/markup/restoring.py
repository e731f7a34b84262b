"""A branch brought back as it was after an earlier transaction.

The rule: the node gets its fields, its uses, its values and its places of then; of what stood
below it then, what is gone now comes back under its own id, and what is there now, but nowhere in
that space, gets its place back. What stands there stays as it is, but for a space, which gets all
its places back. A place whose space or parent is gone does not come; the node itself then stands
below the nearest ancestor that lives, at the root of its space, or in `main`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from recollect.errors import CYCLE, UNKNOWN_ID
from recollect.faces.markup.answers import NodeChange
from recollect.faces.markup.changes import put_place, put_space
from recollect.faces.markup.graph import (
    CONCEPTUAL,
    DETAILS,
    HAS,
    IN_SPACE,
    LABEL,
    MAIN,
    MAIN_LABEL,
    MARKUP_TYPES,
    NODE_TYPES,
    PLACES,
    Graph,
    Place,
    label_of,
)
from recollect.faces.markup.placing import Placing
from recollect.model import Change, Concept, PutConcept, PutLink, RemoveKeys


class Restoring:
    """What brings one node back."""

    def __init__(self, now: Graph, then: Graph, id: str) -> None:
        """KM_3001 where the id was nothing then."""
        self._now, self._then, self._id = now, then, id
        then.fetch([id])
        now.fetch([id])
        if id not in then.elements:
            raise UNKNOWN_ID.error(
                f'nothing had the id "{id}" then', "name a transaction after which it was there"
            )
        self._spaces = self._stood_in()
        self._branch = self._below()
        now.fetch(self._branch)
        now.fetch_places([one for one in self._branch if one in now.elements])
        self._gone = [
            one
            for one in self._branch
            if one not in now.elements and then.elements[one].type in MARKUP_TYPES
        ]
        self._places = [*self._missing_places()]
        self._places += self._home()
        self._refuse_cycles()

    def changes(self) -> Iterator[Change]:
        """Yield the changes of the graph."""
        for id in self._gone:
            held = self._then.elements[id]
            yield PutConcept(held.type, held.name, held.attributes, held.metadata, id=id)
        if self._id in self._now.elements:
            yield from self._updates(self._now.elements[self._id])
        if any(one.space == MAIN for one in self._places) and MAIN not in self._now.spaces:
            yield put_space(MAIN, CONCEPTUAL, {LABEL: MAIN_LABEL})
        yield from (put_place(one, one.order) for one in self._places)
        ids = [*self._gone, *([self._id] if self._id in self._now.elements else [])]
        for one in (
            self._then.nexus.joints.at(ids, "subject", DETAILS, as_of=self._then.as_of)
            if ids
            else ()
        ):
            link = one.link
            self._now.fetch([link.object])
            if link.object in self._now.elements or link.object in self._gone:
                yield PutLink(
                    link.subject,
                    link.predicate,
                    link.object,
                    link.attributes,
                    link.metadata,
                    key=one.key,
                )

    def reports(self) -> Iterator[NodeChange]:
        """Yield what happens to each node."""
        spaces = {one.child: one.space for one in self._places}
        for id in self._gone:
            label = label_of(self._then.elements[id])
            yield NodeChange("created", id, label, spaces.get(id))
        for place in self._places:
            if place.child in self._now.elements:
                label = label_of(self._then.elements[place.child])
                yield NodeChange("placed", place.child, label, place.space)
        held = self._now.elements.get(self._id)
        if held is not None and held.attributes != self._then.elements[self._id].attributes:
            places = self._now.known_places(self._id)
            space = places[0].space if places else None
            yield NodeChange("updated", self._id, label_of(self._then.elements[self._id]), space)

    def _updates(self, held: Concept) -> Iterator[Change]:
        before = self._then.elements[self._id].attributes
        newer = frozenset(held.attributes.keys() - before.keys())
        if before != {key: held.attributes.get(key) for key in before}:
            yield PutConcept(held.type, held.name, before, id=held.id)
        if newer:
            yield RemoveKeys(held.id, attributes=newer)

    def _stood_in(self) -> list[str]:
        """Return the spaces that the node stood in then; a space stands in itself."""
        spaces = [one.space for one in self._then.places(self._id)]
        if self._id in self._then.spaces:
            spaces.append(self._id)
        elif not spaces:  # what it stood below is erased: what stood below it tells the space
            below = self._then.nexus.joints.at([self._id], "object", PLACES, as_of=self._then.as_of)
            spaces += [one.key for one in below if one.key]
        return list(dict.fromkeys(spaces))

    def _below(self) -> list[str]:
        """Return the node, and what stood below it then in the spaces it stood in."""
        then = self._then
        found = {self._id: None}
        for space in self._spaces:
            frontier = [self._id]
            while frontier:
                below = then.children(frontier, space)
                frontier = [
                    place.child
                    for places in below.values()
                    for place, _ in places
                    if place.child not in found
                ]
                found.update(dict.fromkeys(frontier))
        then.fetch_places(list(found))
        return list(found)

    def _missing_places(self) -> Iterator[Place]:
        """Yield the places of then that are not there now, and can be."""
        alive = {*self._gone, *self._now.elements}
        wanted, branch = self._branch, {*self._branch}
        gone = {self._id, *self._gone}
        self._now.fetch(
            place.parent
            for one in wanted
            for place in self._then.known_places(one)
            if place.parent is not None
        )
        alive |= {*self._now.elements, *self._now.spaces}
        for one in wanted:
            places = self._now.known_places(one)
            stands = {place.spot for place in places}
            lost = {*self._spaces} - {place.space for place in places}
            for place in self._then.known_places(one):
                is_whole = place.space in alive and {one, place.parent} <= {None, *alive}
                is_below = place.parent in branch and place.space in lost
                is_meant = one in gone or place.space == self._id or is_below
                if place.spot not in stands and is_whole and is_meant and not place.is_given:
                    yield place

    def _home(self) -> Iterator[Place]:
        """Yield a place for the node, where none of its own can come."""
        id, then, now = self._id, self._then, self._now
        is_placed = now.known_places(id) or any(one.child == id for one in self._places)
        if is_placed or then.elements[id].type not in NODE_TYPES:
            return
        stood = [one for one in then.known_places(id) if one.space in now.spaces]
        space = next((one for one in self._spaces if one in now.spaces), MAIN)
        place = stood[0] if stood else Place(id, space, None, IN_SPACE)
        while place.parent is not None and place.parent not in now.elements:
            above = [one.parent for one in then.places(place.parent) if one.space == place.space]
            place = replace(place, parent=above[0] if above else None)
            now.fetch([] if place.parent is None else [place.parent])
        is_root = place.parent is None and place.predicate != HAS
        yield replace(place, predicate=IN_SPACE) if is_root else place

    def _refuse_cycles(self) -> None:
        placing = Placing(self._now)
        placing.added.update((one.spot, one) for one in self._places)
        placing.index()
        known = [one for one in self._places if one.child in self._now.elements]
        for _, ids in placing.cycles(known):
            raise CYCLE.error(
                f'"{ids[0]}" would stand below itself',
                "move what stands above it now first",
                details={"ids": ids},
            )
