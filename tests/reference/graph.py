"""The graph as two Python lists.

An element's `id` is its place in the order of birth; its `public_id` is what a query shows.
Only living elements are held: a deleted one is gone.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field

from recollect import model
from recollect.model import Value

Interval = tuple[int | None, int | None]
"""When a fact is true, in milliseconds, half open; None leaves a side open."""

ALWAYS: Interval = (None, None)


@dataclass(slots=True)
class Concept:
    """A node; `(type, name)` names one of them."""

    id: int
    public_id: str
    type: str
    name: str
    attributes: dict[str, Value] = field(default_factory=dict)
    metadata: dict[str, Value] = field(default_factory=dict)
    valid: Interval = ALWAYS
    clocks: dict[str, Value] = field(default_factory=dict)  # what META reads by reserved names
    first_version: int = 1


@dataclass(slots=True)
class Link:
    """A proposition; its ends are the ids of concepts or links, and no two have one triple."""

    id: int
    public_id: str
    subject: int
    predicate: str
    object: int
    attributes: dict[str, Value] = field(default_factory=dict)
    metadata: dict[str, Value] = field(default_factory=dict)
    valid: Interval = ALWAYS
    clocks: dict[str, Value] = field(default_factory=dict)
    first_version: int = 1  # more for one that carries on another


Element = Concept | Link


@dataclass(slots=True)
class Graph:
    """All living elements, oldest first."""

    concepts: list[Concept] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    last_id: int = 0
    committed: dict[int, tuple[int, str]] = field(default_factory=dict)  # version and content

    def elements(self) -> list[Element]:
        return [*self.concepts, *self.links]

    def element(self, id: int) -> Element:
        return next(one for one in self.elements() if one.id == id)

    def add_concept(self, type: str, name: str, public_id: str | None) -> Concept:
        self.last_id += 1
        concept = Concept(self.last_id, public_id or f"element {self.last_id}", type, name)
        self.concepts.append(concept)
        return concept

    def add_link(self, subject: int, predicate: str, object: int) -> Link:
        self.last_id += 1
        link = Link(self.last_id, f"element {self.last_id}", subject, predicate, object)
        self.links.append(link)
        return link

    def link(self, subject: int, predicate: str, object: int) -> Link | None:
        triple = (subject, predicate, object)
        found = (one for one in self.links if (one.subject, one.predicate, one.object) == triple)
        return next(found, None)

    def remove(self, ids: Iterable[int]) -> tuple[int, int]:
        """Remove elements, every link that ends in one, and theirs; count concepts, links."""
        gone = set(ids)
        while True:
            ending = {one.id for one in self.links if {one.subject, one.object} & gone}
            if ending <= gone:
                break
            gone |= ending
        before = len(self.concepts), len(self.links)
        self.concepts = [one for one in self.concepts if one.id not in gone]
        self.links = [one for one in self.links if one.id not in gone]
        return before[0] - len(self.concepts), before[1] - len(self.links)

    def copy(self) -> Graph:
        return copy.deepcopy(self)

    def shown(self, element: Element) -> model.Element:
        """Return the element as an answer shows it."""
        if isinstance(element, Concept):
            return model.Concept(
                element.public_id, element.type, element.name, element.attributes, element.metadata
            )
        return model.Link(
            element.public_id,
            self.element(element.subject).public_id,
            element.predicate,
            self.element(element.object).public_id,
            element.attributes,
            element.metadata,
        )
