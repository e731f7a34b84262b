"""Which places there are after a change, as sets, and what closes for want of one.

How it works. What a document says becomes two sets: places removed and places added. The result
is the places there are, less the removed, plus the added. Then a region is read: everything below
what lost a place, level by level, in the space it lost it in. A place of the region whose parent
no chain of places leads to from the space closes as well, so that what was moved out survives.
At last every node of the region that has no place in any space is homeless, and closes unless
something that is no markup is linked with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from recollect.faces.markup.graph import NODE_TYPES, OWN_PREDICATES, PLACES, Graph, Place, Spot
from recollect.node import dataclass, field

_Child = tuple[str, str]
"""A child and a space."""


@dataclass(slots=True)
class Placing:
    """The places that a change removes and adds."""

    graph: Graph
    added: dict[Spot, Place] = field(default_factory=dict)
    removed: dict[Spot, Place] = field(default_factory=dict)
    closed_spaces: set[str] = field(default_factory=set)
    homeless: set[str] = field(default_factory=set)  # nodes that close
    kept: set[str] = field(default_factory=set)  # that have no place, and do not close
    _by_child: dict[_Child, list[Place]] = field(default_factory=dict)
    _by_parent: dict[_Child, list[Place]] = field(default_factory=dict)

    def after(self, child: str, space: str) -> Iterator[Place]:
        """Yield the places of a node in a space after the change; it was fetched, or is new."""
        for place in self.graph.known_places(child):
            if place.space == space and place.spot not in self.removed:
                yield place
        yield from self._by_child.get((child, space), ())

    def index(self) -> None:
        """Make ready to be asked: to be called once everything was added and removed."""
        by_child, by_parent = (
            defaultdict[_Child, list[Place]](list),
            defaultdict[_Child, list[Place]](list),
        )
        for place in self.added.values():
            by_child[place.child, place.space].append(place)
            if place.parent is not None:
                by_parent[place.parent, place.space].append(place)
        self._by_child, self._by_parent = dict(by_child), dict(by_parent)

    def begun(self) -> Iterator[tuple[str, str, Sequence[Place]]]:
        """Yield what is added below each parent in each space, once it is indexed."""
        for (parent, space), places in self._by_parent.items():
            yield parent, space, places

    def cycles(self, suspects: Iterable[Place]) -> Iterator[tuple[Place, list[str]]]:
        """Yield the added places that close a cycle, with the ids on it, the child first."""
        asked = [one for one in suspects if one.parent is not None]
        self._fetch_ancestors(asked)
        for place in asked:
            assert place.parent is not None
            came_from = {place.parent: place.child}
            frontier = [place.parent]
            while frontier and place.child not in came_from:
                above = frontier.pop()
                for higher in self.after(above, place.space):
                    if higher.parent is not None and higher.parent not in came_from:
                        came_from[higher.parent] = above
                        frontier.append(higher.parent)
            if place.parent == place.child:
                yield place, [place.child]
            elif place.child in came_from:
                path = [place.child]
                while (step := came_from[path[-1]]) != place.child:
                    path.append(step)
                yield place, path

    def settle(self) -> None:
        """Close the places that are out of reach, and name the nodes that are left without one."""
        lost = defaultdict[str, set[str]](set)
        for place in self.removed.values():
            lost[place.space].add(place.child)
        for space in self.closed_spaces:
            below = self.graph.children([space], space)
            lost[space] |= {place.child for one in below.values() for place, _ in one}
        region: set[str] = set()
        for space, children in lost.items():
            region |= self._close_unreachable(space, children)
        self._name_homeless(region)

    def _close_unreachable(self, space: str, lost: set[str]) -> set[str]:
        """Close what cannot be reached in a space any more; return all that lost a place there."""
        region = self._region(space, lost)
        standing = {one: list(self.after(one, space)) for one in region}
        reached: set[str] = set()
        frontier = (
            []
            if space in self.closed_spaces
            else [
                one
                for one, places in standing.items()
                if any(place.parent is None or place.parent not in region for place in places)
            ]
        )
        below = defaultdict[str, list[str]](list)
        for one, places in standing.items():
            for place in places:
                if place.parent is not None:
                    below[place.parent].append(one)
        while frontier:
            one = frontier.pop()
            if one not in reached:
                reached.add(one)
                frontier += below.get(one, ())
        losers = set(lost)
        for one, places in standing.items():
            for place in places:
                is_root = place.parent is None or place.parent not in region
                is_open = is_root and space not in self.closed_spaces
                if is_open or place.parent in reached or place.is_given:
                    continue
                losers.add(one)
                if self.added.pop(place.spot, None) is None:
                    self.removed[place.spot] = place
        return losers

    def _region(self, space: str, lost: set[str]) -> set[str]:
        """Return nodes and all that stands below them in a space, whose places are then known."""
        region, frontier = set(lost), set(lost)
        while frontier:
            known = [one for one in frontier if one in self.graph.elements]
            below = self.graph.children(known, space) if known else {}
            found = {place.child for one in below.values() for place, _ in one}
            for one in frontier:
                found |= {place.child for place in self._by_parent.get((one, space), ())}
            frontier = found - region
            region |= frontier
        self.graph.fetch_places([one for one in region if one in self.graph.elements])
        return region

    def _name_homeless(self, losers: set[str]) -> None:
        self.index()  # what was added may be out of reach
        placed = {child for child, _ in self._by_child}
        for one in losers - placed:
            held = self.graph.elements.get(one)
            if held is not None and held.type not in NODE_TYPES:
                continue
            places = self.graph.known_places(one)
            if all(
                place.spot in self.removed or place.space in self.closed_spaces for place in places
            ):
                self.homeless.add(one)
        asked = [one for one in self.homeless if one in self.graph.elements]
        self.kept = _held_by_others(self.graph, asked) if asked else set()
        self.homeless -= self.kept

    def _fetch_ancestors(self, places: Collection[Place]) -> None:
        frontier = {place.parent for place in places if place.parent is not None}
        met: set[str] = set()
        while frontier:
            met |= frontier
            known = [one for one in frontier if one in self.graph.elements]
            self.graph.fetch_places(known)
            above = {
                place.parent
                for one in frontier
                for places_of in (self.graph.known_places(one), self._added_of(one))
                for place in places_of
                if place.parent is not None
            }
            frontier = above - met
            self.graph.fetch(frontier)

    def _added_of(self, child: str) -> Iterator[Place]:
        for space in self.graph.spaces:
            yield from self._by_child.get((child, space), ())


def _held_by_others(graph: Graph, ids: Collection[str]) -> set[str]:
    """Return the nodes that a living link touches which is no markup."""
    kept: set[str] = set()
    for joint in graph.nexus.joints.at(ids, "subject"):
        if joint.link.predicate not in OWN_PREDICATES or _is_given(joint.key, joint.link.predicate):
            kept.add(joint.link.subject)
    for joint in graph.nexus.joints.at(ids, "object"):
        if joint.link.predicate not in OWN_PREDICATES or _is_given(joint.key, joint.link.predicate):
            kept.add(joint.link.object)
    return kept


def _is_given(key: str, predicate: str) -> bool:
    return not key and predicate in PLACES
