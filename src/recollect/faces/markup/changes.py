"""What a document comes to, as changes of the graph, as lines to approve, and as the reply.

The rule: the changes stand in an order in which each finds what it needs: what is made, what is
said of it, the links between, and last what closes; nothing closes that went with another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from recollect.faces.markup.answers import ChangeKind, NodeChange
from recollect.faces.markup.decision import Decided
from recollect.faces.markup.graph import (
    CONTENT,
    KIND,
    LABEL,
    LAST,
    ORDER,
    READ_ONLY,
    SPACE,
    UNSEARCHED,
    Graph,
    Place,
    label_of,
    text_of,
)
from recollect.faces.markup.model import Document, Id, Node, Space
from recollect.faces.markup.resolving import CREATED
from recollect.model import (
    SEARCH_ATTRIBUTES,
    Attributes,
    Change,
    Concept,
    Delete,
    PutConcept,
    PutLink,
    RemoveKeys,
    Value,
)

_SEARCHED_SPACE: Attributes = {SEARCH_ATTRIBUTES: [LABEL, CONTENT]}


def changes_of(decided: Decided, graph: Graph) -> Iterator[Change]:
    """Yield the changes of the graph."""
    resolved, said, placing = decided.resolved, decided.said, decided.placing
    for id, (kind, label) in resolved.new_spaces.items():
        told = {LABEL: label, **said.attributes.get(id, {})}
        if id in decided.protected:
            told = {**told, READ_ONLY: True}
        yield put_space(id, kind, told)
    for id in resolved.new:
        if id not in placing.homeless:
            told = said.attributes.get(id, {})
            if id in decided.protected:
                told = {**told, READ_ONLY: True}
            yield PutConcept(resolved.kinds[id], id, told, id=id)
    for id, told in said.attributes.items():
        held = graph.elements.get(id)
        if held is not None:
            yield from _updates(held, told)
    for id in decided.protected:
        held = graph.elements.get(id)
        if held is not None:
            yield PutConcept(held.type, held.name, {READ_ONLY: True}, id=held.id)
    for spot, place in placing.added.items():
        yield put_place(place, decided.orders.get(spot, LAST))
    for spot, order in decided.orders.items():
        if spot not in placing.added:
            stands = next(one for one in graph.places(spot[0]) if one.spot == spot)
            if not stands.is_given:
                yield put_place(stands, order)
    yield from said.links
    for place in placing.removed.values():
        goes_along = {place.child, place.parent} & placing.homeless
        if place.link and not goes_along and place.space not in placing.closed_spaces | goes_along:
            yield Delete(place.link)
    for place in placing.removed.values():
        is_deep = place.space in placing.closed_spaces and place.parent is not None
        if place.link and is_deep and not {place.child, place.parent} & placing.homeless:
            yield Delete(place.link)
    for id in sorted(placing.homeless):
        if id in graph.elements:
            yield Delete(id)
    for id in sorted(placing.closed_spaces):
        yield Delete(id)


def _updates(held: Concept, told: Attributes) -> Iterator[Change]:
    put = {key: value for key, value in told.items() if value is not None}
    gone = frozenset(key for key, value in told.items() if value is None)
    if put:
        yield PutConcept(held.type, held.name, put, id=held.id)
    if gone:
        yield RemoveKeys(held.id, attributes=gone)


def put_space(id: str, kind: str, told: Attributes) -> PutConcept:
    """Return what makes a space."""
    return PutConcept(SPACE, id, {**told, KIND: kind}, _SEARCHED_SPACE, id=id)


def put_place(place: Place, order: float) -> PutLink:
    """Return what makes a place, or gives it another order."""
    target = place.space if place.parent is None else place.parent
    said: dict[str, Value] = {"space": place.space}
    if order != LAST:
        said[ORDER] = int(order) if order.is_integer() else order
    return PutLink(place.child, place.predicate, target, said, UNSEARCHED, key=place.space)


def reports_of(decided: Decided, graph: Graph) -> Iterator[NodeChange]:
    """Yield what happens to each node and space, a line each."""
    resolved, said, placing = decided.resolved, decided.said, decided.placing

    def label(id: str) -> str | None:
        told = said.attributes.get(id, {}).get(LABEL)
        held = graph.elements.get(id)
        if told is not None:
            return text_of(told)
        made = resolved.new_spaces.get(id)
        return made[1] if made else (label_of(held) if held else None)

    told: set[str] = set()
    for id in resolved.new_spaces:
        yield NodeChange("created", id, label(id), id)
    for (id, _, _), place in placing.added.items():
        is_new = id in resolved.new and id not in told
        is_moved = id in decided.moved and id not in told
        told.add(id)
        kind: ChangeKind = "created" if is_new else "moved" if is_moved else "placed"
        yield NodeChange(kind, id, label(id), place.space)
    for id in said.updated:
        places = graph.known_places(id)
        yield NodeChange("updated", id, label(id), places[0].space if places else None)
    for id, space, _ in sorted(decided.reordered, key=str):
        yield NodeChange("reordered", id, label(id), space)
    for id, space, _ in placing.removed:
        if id not in placing.homeless and id not in decided.moved:
            yield NodeChange("removed", id, label(id), space)
    for id in sorted(placing.homeless | placing.closed_spaces):
        if id in graph.elements:
            yield NodeChange("closed", id, label(id), _space_of(id, decided))


def _space_of(id: str, decided: Decided) -> str | None:
    if id in decided.placing.closed_spaces:
        return id
    return next((space for child, space, _ in decided.placing.removed if child == id), None)


def reply_of(document: Document, decided: Decided) -> Document:
    """Return a document with permanent ids; what was made without a mark is `[created]`."""
    if not decided.resolved.ids and all(one.id for one in document.sections if one.kind):
        return document
    made = {id(one.node) for one in decided.resolved.new.values()}
    spaces = {id(header): space for space, header in decided.resolved.headers}

    def node_of(node: Node) -> Node:
        nodes = tuple(map(node_of, node.nodes))
        own = decided.resolved.permanent(node.id)
        states = (CREATED,) if id(node) in made and not node.states else node.states
        return replace(node, id=own, states=states, nodes=nodes)

    def section_of(section: Space) -> Space:
        nodes = tuple(map(node_of, section.nodes))
        space = spaces.get(id(section))
        own = Id(space) if space else section.id
        return replace(section, id=own, nodes=nodes)

    return replace(document, sections=tuple(map(section_of, document.sections)))
