"""A document made into changes of the graph: which places it adds and removes, and what it may.

How it works. The document is resolved, and what it says about nodes is compared with the graph.
Then every appearance is looked at once: its state, and whether it stands there already, say if a
place is added, removed or moved, or if nothing is asserted. The places are settled as sets, so
what is out of reach closes. Everything that would change is then held against what is read-only,
against the scope of the call and against what changed since its base. Only when no fault is left
do changes come out, in an order in which each finds what it needs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial

from recollect.errors import AMBIGUOUS_PLACE, CYCLE, EDGE_NOT_ALLOWED, Notice
from recollect.faces.markup.decision import Asked, Decided
from recollect.faces.markup.details import Details
from recollect.faces.markup.faults import Faults
from recollect.faces.markup.graph import (
    CONCEPTUAL,
    HAS,
    IN_SPACE,
    IS_A,
    LAST,
    ONTOLOGY,
    PARENT,
    Graph,
    Place,
    Spot,
    is_extension,
    is_foreign,
    is_protected,
)
from recollect.faces.markup.guarding import Guard
from recollect.faces.markup.minting import Minting
from recollect.faces.markup.model import Document, Node, Space
from recollect.faces.markup.ordering import Sibling, arranged, moved_siblings
from recollect.faces.markup.placing import Placing
from recollect.faces.markup.resolving import (
    CREATED,
    DELETED,
    PROTECTED,
    UPDATED,
    Appearance,
    Resolved,
    Resolver,
)
from recollect.node import dataclass, field


@dataclass(slots=True)
class Applying:
    """Decides what one document changes; it lives in one block of the memory."""

    graph: Graph
    asked: Asked
    faults: Faults
    notices: list[Notice] = field(default_factory=list)
    minting: Minting = field(init=False)
    resolver: Resolver = field(init=False)
    resolved: Resolved = field(init=False)
    decided: Decided = field(init=False)
    _values: set[tuple[str, str]] = field(default_factory=set)  # new values: id, space
    _conceptual: set[str] = field(default_factory=set)  # that stand in a CONCEPTUAL SPACE here

    @property
    def placing(self) -> Placing:
        """The places that are added and removed."""
        return self.decided.placing

    def decide(self, document: Document) -> Decided:
        """Return what changes; the first fault is raised with all of them."""
        asked = self.asked
        self.minting = Minting(self.graph)
        self.resolver = Resolver(
            self.graph,
            self.minting,
            self.faults,
            self.notices,
            asked.is_snapshot,
            asked.is_fresh,
            asked.target,
            asked.scope.mapped if asked.scope else {},
        )
        self.resolved = self.resolver.resolve(document)
        details = Details(
            self.graph,
            self.resolved,
            self.faults,
            self.notices,
            asked.is_snapshot,
            asked.extra_fields,
        )
        if self.faults.errors:  # what follows relies on every id
            details.check_names()
            self.faults.raise_first()
        said = details.read()
        self.decided = Decided(self.resolved, said, Placing(self.graph))
        self._place_all()
        self._settle()
        Guard(self.graph, asked, self.faults, self.decided).check()
        self.faults.raise_first()
        self._order_all()
        if asked.is_snapshot:
            self.minting.count_on_behind([*self.resolved.new, *self.resolved.new_spaces])
        return self.decided

    # Places

    def _place_all(self) -> None:
        """Decide about the place of every appearance."""
        resolved = self.resolved
        spaces = {one.space for one in resolved.appearances} - {None}
        plain = {one for one in spaces if one and self._space_kind(one) == CONCEPTUAL}
        self._conceptual = {
            one.id for one in resolved.appearances if one.space in plain and not one.is_field
        }
        for id, header in resolved.headers:
            if self.asked.is_snapshot:
                if header.state == PROTECTED:
                    self._protect(id)
            elif id in self.graph.elements:
                if header.state == DELETED:
                    self.placing.closed_spaces.add(id)
                elif header.state == CREATED:
                    self._echo(id, header)
        for one in resolved.appearances:
            if not one.is_field:
                self._place(one)
        placing = self.placing
        for spot in placing.added.keys() & placing.removed.keys():
            del placing.removed[spot]
        for spot in [one for one in placing.added if one[0] not in resolved.new]:
            if self._stands(spot):
                del placing.added[spot]
        placing.index()
        for parent, space, places in placing.begun():
            if not any(placing.after(parent, space)):
                for place in places:
                    self._refuse_parent(self.decided.spots[place.spot], parent, space)

    def _stands(self, spot: Spot) -> bool:
        return any(one.spot == spot for one in self.graph.known_places(spot[0]))

    def _place(self, one: Appearance) -> None:
        """Decide about one appearance, as its state says."""
        is_new = one.id in self.resolved.new
        is_here = not is_new and self._is_here(one)
        if self.asked.is_snapshot:
            if one.state == DELETED:
                return
            if one.state == PROTECTED:
                self._protect(one.id)
            if not is_here and (one.is_named or is_new):
                self._add(one)
            return
        match one.state:
            case "deleted":
                self._delete(one, is_here=is_here)
            case "created" if is_here:
                self._echo(one.id, one.node)
            case "created":
                self._add(one)
            case "updated" if not is_here:
                self._move(one)
            case _ if is_new:
                self._add(one)
            case _:
                return

    def _is_here(self, one: Appearance) -> bool:
        """Whether a known node stands where the document has it."""
        places = self.graph.known_places(one.id)
        if not one.is_named:
            return bool(places)
        return any(here.space == one.space and here.parent == one.parent for here in places)

    def _add(self, one: Appearance) -> None:
        if one.space is None:
            self.resolver.refuse_place(one)
            return
        predicate = self._predicate(one, one.space)
        if predicate is not None:
            spot = one.id, one.space, one.parent
            self.placing.added.setdefault(spot, Place(*spot, predicate))
            self.decided.spots.setdefault(spot, one)

    def _move(self, one: Appearance) -> None:
        """Add a place, and remove the one that a node has in the same space."""
        here = [place for place in self.graph.known_places(one.id) if place.space == one.space]
        if len(here) > 1:
            self.faults.add(
                AMBIGUOUS_PLACE,
                f'"{one.id}" stands in {len(here)} places of the space "{one.space}"',
                one.node.span,
                hint="mark the place that it leaves [deleted], and the new one [created]",
            )
            return
        for place in here:
            self._remove(place, one)
            self.decided.moved.add(one.id)
        self._add(one)

    def _delete(self, one: Appearance, *, is_here: bool) -> None:
        """Remove the place at which a node stands, if it stands there."""
        if not is_here or one.id not in self.graph.elements:
            self.notices.append(
                Notice(
                    "already_deleted",
                    f"{one.node.id.text} does not stand here any more",
                    span=one.node.span,
                )
            )
            return
        places = [
            place
            for place in self.graph.known_places(one.id)
            if place.space == one.space and (not one.is_named or place.parent == one.parent)
        ]
        if one.space is None or len(places) != 1:
            self.resolver.refuse_place(one)
            return
        self._remove(places[0], one)

    def _remove(self, place: Place, one: Appearance) -> None:
        if place.is_given:
            target = place.space if place.parent is None else place.parent
            self.faults.add(
                AMBIGUOUS_PLACE,
                f'the place of "{one.id}" was written by KIP, and is in every space of its kind',
                one.node.span,
                hint=(
                    "DELETE PROPOSITIONS ?link WHERE { ?link "
                    f'({{id: "{one.id}"}}, "{place.predicate}", {{id: "{target}"}}) }}'
                ),
            )
            return
        self.placing.removed[place.spot] = place
        self.decided.spots.setdefault(place.spot, one)

    def _predicate(self, one: Appearance, space: str) -> str | None:
        """Return what joins a node with its parent; None, and a fault, where nothing does."""
        kind = self._space_kind(space)
        is_extra = one.is_below_extension or is_extension(self.resolved.kinds[one.id])
        is_root = one.parent is None
        if kind == CONCEPTUAL or is_extra:
            return IN_SPACE if is_root else PARENT
        if kind == ONTOLOGY:
            return IN_SPACE if is_root else IS_A
        is_concept = self._is_concept(one.id, space)
        if is_root:
            if not is_concept:
                self._values.add((one.id, space))
            return HAS if is_concept else IN_SPACE
        assert one.parent is not None
        if self._is_concept(one.parent, space):
            self.faults.add(
                EDGE_NOT_ALLOWED,
                f'"{one.parent}" is a concept, so nothing stands below it in an ATTRIBUTE SPACE',
                one.node.span,
                hint="write it below a value, or below the concept in a CONCEPTUAL SPACE",
            )
            return None
        if not is_concept:
            self._values.add((one.id, space))
        return HAS if is_concept else IS_A

    def _is_concept(self, id: str, space: str) -> bool:
        """Whether a node is a concept in an attribute space, and not one of its values."""
        places = self.graph.known_places(id)
        if (id, space) in self._values:
            return False
        if any(one.space == space and one.predicate in (IN_SPACE, IS_A) for one in places):
            return False
        held = self.graph.elements.get(id)
        if id in self._conceptual or (held is not None and is_foreign(held)):
            return True
        return any(self._space_kind(one.space) == CONCEPTUAL for one in places)

    def _space_kind(self, space: str) -> str:
        made = self.resolved.new_spaces.get(space)
        return self.graph.space_kind(space) if made is None else made[0]

    def _protect(self, id: str) -> None:
        held = self.graph.elements.get(id)
        if held is None or not is_protected(held):
            self.decided.protected[id] = None

    def _echo(self, id: str, where: Node | Space) -> None:
        self.notices.append(Notice("echo", f"{id} is there already", span=where.span))

    def _refuse_parent(self, one: Appearance, parent: str, space: str) -> None:
        self.faults.add(
            AMBIGUOUS_PLACE,
            f'"{parent}" does not stand in the space "{space}", so nothing stands below it there',
            one.node.span,
            hint=f'mark "{parent}" [created] there too',
        )

    def _settle(self) -> None:
        """Close what is out of reach, after the added places are known to make no cycle."""
        often = Counter(one.id for one in self.resolved.appearances)
        suspects = [
            place
            for place in self.placing.added.values()
            if place.child not in self.resolved.new or often[place.child] > 1
        ]
        found = list(self.placing.cycles(suspects))
        for place, ids in found:
            told = ", ".join(f'"{one}"' for one in ids[:10])
            self.faults.add(
                CYCLE,
                f"a node would stand below itself: {told}",
                self.decided.spots[place.spot].node.span,
                hint="place it somewhere else",
                details={"ids": ids},
            )
        if not found and (self.placing.removed or self.placing.closed_spaces):
            self.placing.settle()
            for one in sorted(self.placing.kept):
                told = f"{one} has no place any more, and stays: something else is linked with it"
                self.notices.append(Notice("kept", told))

    # Order

    def _order_all(self) -> None:
        """Number what is added, and known siblings that are updated and contradicted."""
        graph, placing = self.graph, self.placing
        met = defaultdict[tuple[str, str | None], dict[str, Sibling]](dict)
        for one in self.resolved.appearances:
            if one.space is None or one.is_field:
                continue
            spot = one.id, one.space, one.parent
            if spot in placing.added:
                met[one.space, one.parent].setdefault(one.id, Sibling(one.id, None))
            elif spot not in placing.removed:
                stands = next((at for at in graph.known_places(one.id) if at.spot == spot), None)
                if stands is not None:
                    is_updated = one.state == UPDATED and not self.asked.is_snapshot
                    sibling = Sibling(one.id, stands.order, is_updated and not stands.is_given)
                    met[one.space, one.parent].setdefault(one.id, sibling)
        for (space, parent), below in met.items():
            siblings = [*below.values()]
            fresh = {one.id for one in siblings if one.order is None} | moved_siblings(siblings)
            near = partial(self._near, space, parent, fresh)
            standing = partial(self._standing, space, parent, fresh)
            take = self.minting.take_order
            for id, order in arranged(siblings, near, standing, take).items():
                self.decided.orders[id, space, parent] = order
            moved = moved_siblings(siblings)
            self.decided.reordered.update((id, space, parent) for id in moved)

    def _near(
        self,
        space: str,
        parent: str | None,
        fresh: set[str],
        anchor: Sibling,
        most: int,
        *,
        before: bool = False,
    ) -> tuple[list[tuple[str, float]], bool] | None:
        """Return what stays next to a sibling, the nearest first, and whether that is all."""
        order = LAST if anchor.order is None else anchor.order
        place = Place(anchor.id, space, parent, "", order)
        read = self.graph.beside(place, most, before=before)
        at = next((at for at, (id, _) in enumerate(read) if id == anchor.id), None)
        if at is None:
            return None
        removed = self.placing.removed
        stays = [
            one
            for one in read[at + 1 :]
            if one[0] not in fresh and (one[0], space, parent) not in removed
        ]
        return stays, len(read) < most

    def _standing(self, space: str, parent: str | None, fresh: set[str]) -> list[str]:
        """Return what stands below a parent and stays there, in order."""
        below = self.graph.children([space if parent is None else parent], space)
        return [
            place.child
            for place, _ in below.get(parent, ())
            if place.spot not in self.placing.removed and place.child not in fresh
        ]
