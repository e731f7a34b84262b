"""Knowing Markup on the graph: how it is kept, and what is read of it, many elements at once.

The rules: whoever reads or writes the graph for Knowing Markup takes every name from here. A call
reads through one `Graph`, which reads each thing once; it must be inside one block of the memory,
and is stale after a write. A link without a key, which KIP wrote, is a place in every space of the
matching kind in which its object stands.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from recollect.faces.kinds import ALL_KINDS
from recollect.faces.markup.faults import unknown
from recollect.kernel import Nexus
from recollect.model import SEARCH_ATTRIBUTES, AsOf, Attributes, Concept, Joint, Value
from recollect.node import node

NODE: Final = "Node"
SPACE: Final = "Space"
ARTICLE: Final = "Article"
ACTION: Final = "Action"
NOTE: Final = "Note"
TEMPLATE: Final = "Template"
FUNCTION: Final = "Function"
WORKFLOW: Final = "Workflow"

EXTENSIONS: Final[Mapping[str, str]] = {
    one.upper(): one for one in (TEMPLATE, ARTICLE, FUNCTION, WORKFLOW, NOTE, ACTION)
}
"""The concept type of each extension, by its word."""

WORDS: Final[Mapping[str, str]] = {kind: word for word, kind in EXTENSIONS.items()}
NODE_TYPES: Final = frozenset({NODE, *EXTENSIONS.values()})
MARKUP_TYPES: Final = NODE_TYPES | {SPACE}

CONCEPTUAL: Final = "CONCEPTUAL SPACE"
ATTRIBUTE: Final = "ATTRIBUTE SPACE"
ONTOLOGY: Final = "ONTOLOGY SPACE"

MAIN: Final = "main"
MAIN_LABEL: Final = "Main"
"""The space of what names no other: made when it is first needed."""

IN_SPACE: Final = "in_space"
PARENT: Final = "parent"
IS_A: Final = "is_a"
HAS: Final = "has"
PLACES: Final = (IN_SPACE, PARENT, IS_A, HAS)
"""The predicates of places: links from the child, whose key is the id of the space."""

SHOWN_IN: Final[Mapping[str, frozenset[str]]] = {
    CONCEPTUAL: frozenset({PARENT}),
    ATTRIBUTE: frozenset({IS_A, HAS}),
    ONTOLOGY: frozenset({IS_A}),
}
"""The predicates whose links without a key are places in the spaces of a kind."""

USES_TEMPLATE: Final = "uses_template"
USES_FUNCTION: Final = "uses_function"
FIELD_VALUE: Final = "field_value"
FIELD_NODE: Final = "field_node"
DETAILS: Final = (USES_TEMPLATE, USES_FUNCTION, FIELD_VALUE, FIELD_NODE)
CALL: Final = "Call"
EXCHANGE: Final = "Exchange"
RUN: Final = "WorkflowRun"
"""What the protocol keeps: nobody reads it as a node."""

UNSEARCHED: Final[Attributes] = {SEARCH_ATTRIBUTES: list[Value]()}
"""The metadata of what no search finds."""

SHOWED: Final = "showed"
"""From an exchange or a call to each node and space that it showed."""

OWN_PREDICATES: Final = frozenset({*PLACES, *DETAILS, SHOWED})
"""The predicates of links that are markup: they keep no node alive that has no place."""

LABEL: Final = "label"
CONTENT: Final = "content"
KIND: Final = "kind"
READ_ONLY: Final = "read_only"
ORDER: Final = "order"
RESERVED: Final = frozenset({LABEL, CONTENT, KIND, READ_ONLY})
"""Attributes that no field of another name may be."""

COUNTER_TYPE: Final = "MarkupCounter"
COUNTER: Final = "markup-counter"
NEXT_ID: Final = "next_id"
NEXT_ORDER: Final = "next_order"
"""What the next id and the next place in an order are taken from, so that neither comes again."""

LAST: Final = math.inf
"""The order of a place that says none: it comes after all others."""


def text_of(value: Value) -> str:
    """Return the text by which a value of the graph is shown.

    >>> text_of("a"), text_of(5), text_of(True)
    ('a', '5', 'true')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def text_or_none(value: Value) -> str | None:
    """Return a value that is a text."""
    return value if isinstance(value, str) else None


def texts_of(value: Value) -> tuple[str, ...]:
    """Return the texts of a list."""
    return tuple(map(str, value)) if isinstance(value, list) else ()


def label_of(concept: Concept) -> str | None:
    """Return the label of a concept: a concept of another face without one has its name."""
    label = concept.attributes.get(LABEL)
    if label is not None:
        return text_of(label)
    return None if concept.type in MARKUP_TYPES else concept.name


def is_foreign(concept: Concept) -> bool:
    """Whether a concept is of another face: it is itself, and no markup closes it."""
    return concept.type not in MARKUP_TYPES


def is_protected(concept: Concept) -> bool:
    """Whether a concept is read-only, by its attribute or as its own call's."""
    if concept.attributes.get(READ_ONLY) is True:
        return True
    return is_foreign(concept) and concept.type in ALL_KINDS.owned


@node(frozen=True, slots=True)
class Place:
    """Where a node stands: below a node of a space, or at its root."""

    child: str
    space: str
    parent: str | None  # None: at the root
    predicate: str
    order: float = LAST
    link: str | None = None  # its id; None: it is not written yet
    is_given: bool = False  # by a link without a key, which KIP wrote
    is_living: bool = True

    @property
    def spot(self) -> Spot:
        """What makes two places one."""
        return self.child, self.space, self.parent


Spot = tuple[str, str, str | None]
"""Child, space, parent: there is one place at most of each."""


def order_of(attributes: Attributes) -> float:
    """Return where among its siblings a place is."""
    order = attributes.get(ORDER)
    return float(order) if isinstance(order, int | float) else LAST


def is_extension(kind: str) -> bool:
    """Whether a concept type is one of the extensions, or a space: joined by `parent`."""
    return kind in WORDS or kind == SPACE


_SPACES = 'FIND(?space) WHERE { ?space {type: "Space"} }'


class Graph:
    """One moment of the graph."""

    def __init__(self, nexus: Nexus, as_of: AsOf | None = None) -> None:
        self.nexus = nexus
        self.as_of = as_of
        self.elements: dict[str, Concept] = {}  # living concepts that were met
        self.gone: dict[str, Concept | None] = {}  # ids without a living concept: the last one
        self._taken: set[str] = set()  # ids that were fetched and are, or were, of something
        self._spaces: dict[str, Concept] | None = None
        self._places: dict[str, list[Place]] = {}

    @property
    def spaces(self) -> Mapping[str, Concept]:
        """The living spaces by id, oldest first."""
        if self._spaces is None:
            rows = self.nexus.read(_SPACES, as_of=self.as_of).rows
            found = [one for (one,) in rows if isinstance(one, Concept)]
            self._spaces = {one.id: one for one in found}
            self.elements |= self._spaces
        return self._spaces

    def space_kind(self, space: str) -> str:
        """Return the kind of a space; no kind for what is none."""
        held = self.spaces.get(space)
        return "" if held is None else text_of(held.attributes.get(KIND))

    def fetch(self, ids: Iterable[str]) -> None:
        """Read the concepts that ids name, unless they are known."""
        wanted = {one for one in ids if one not in self.elements and one not in self.gone}
        if not wanted:
            return
        found = self.nexus.elements.look_up(wanted, as_of=self.as_of, closed=True)
        self._taken |= found.keys()
        self.gone |= dict.fromkeys(wanted - found.keys())
        for one, dated in found.items():
            element = dated.element
            if not isinstance(element, Concept) or element.type == COUNTER_TYPE:
                self.gone[one] = None
            elif dated.expired_at is None:
                self.elements[one] = element
            else:
                self.gone[one] = element

    def held(self, id: str) -> Concept:
        """Return the living concept that has an id; KM_3001 where none has it."""
        self.fetch([id])
        found = self.elements.get(id)
        if found is None:
            raise unknown(id)
        return found

    def was_used(self, id: str) -> bool:
        """Whether an id that was fetched is, or once was, that of a concept."""
        return id in self.elements or self.gone.get(id) is not None

    def is_taken(self, id: str) -> bool:
        """Whether an id that was fetched is, or once was, that of anything."""
        return id in self.elements or id in self._taken

    def places(self, id: str) -> list[Place]:
        """Return the living places of a node, oldest first."""
        self.fetch_places([id])
        return self._places[id]

    def known_places(self, id: str) -> Sequence[Place]:
        """Return the places of a node that were read; none for one that is new."""
        return self._places.get(id, ())

    def fetch_places(self, ids: Collection[str]) -> None:
        """Read the places of nodes, unless they are known."""
        wanted = [one for one in dict.fromkeys(ids) if one not in self._places]
        if not wanted:
            return
        for one in wanted:
            self._places[one] = []
        joints = self.nexus.joints.at(wanted, "subject", PLACES, as_of=self.as_of)
        self._meet(joints)
        given = [one for one in joints if not one.key]
        self.fetch_places([one.link.object for one in given if one.link.predicate != IN_SPACE])
        for joint in joints:
            if joint.far is not None:
                self._places[joint.link.subject] += self._places_of(joint)

    def children(
        self, parents: Collection[str], space: str, *, closed: bool = False
    ) -> dict[str | None, list[tuple[Place, Concept]]]:
        """Return what stands below nodes in a space, in order; the space's own id is its root.

        With `closed`, places that were closed come too. None stands for the root.
        """
        joints = self.nexus.joints.at(parents, "object", PLACES, as_of=self.as_of, closed=closed)
        self._meet(joint for joint in joints if joint.is_living)
        found = defaultdict[str | None, list[tuple[Place, Concept]]](list)
        for joint in joints:
            if joint.far is not None and self._is_in(joint, space):
                place = self._place(joint, space)
                found[place.parent].append((place, joint.far))
        for below in found.values():
            below.sort(key=lambda one: one[0].order)  # of one order: by age
        return found

    def counted(self, parents: Collection[str], space: str) -> dict[str, int | None]:
        """Return how many stand below nodes in a space; None where that is not known at once.

        It is not of the past, nor where KIP wrote a place, or where a node stands in more spaces.
        """
        if self.as_of is not None:
            return dict.fromkeys(parents)
        found = self.nexus.joints.counted(parents, PLACES, space)
        return {one: own if own == all_of else None for one, (all_of, own) in found.items()}

    def line(self, parent: str, space: str, start: int, most: int) -> list[Concept]:
        """Return what stands below a node in a space from one on, of places that markup wrote."""
        joints = self.nexus.joints.line(parent, space, start, most)
        self._meet(joints)
        return [one.far for one in joints if one.far is not None]

    def beside(self, place: Place, most: int, *, before: bool) -> list[tuple[str, float]]:
        """Return the siblings that markup wrote after a place, or before it, the nearest first.

        Those of its own order come too, and so does it; at most so many are read.
        """
        parent = place.space if place.parent is None else place.parent
        read = self.nexus.joints.beside
        joints = read(parent, place.space, place.order, most, before=before)
        self._meet(joints)
        return [(one.far.id, order_of(one.link.attributes)) for one in joints if one.far]

    def _meet(self, joints: Iterable[Joint]) -> None:
        for joint in joints:
            if joint.far is not None:
                self.elements.setdefault(joint.far.id, joint.far)

    def _is_in(self, joint: Joint, space: str) -> bool:
        """Whether a link to a node, or to a space, is a place in that space."""
        link, child = joint.link, joint.far
        if joint.key:
            return joint.key == space
        if link.object == space:
            return link.predicate in (IN_SPACE, HAS)
        parent = self.elements.get(link.object)
        kinds = [one.type for one in (child, parent) if one is not None]
        return link.predicate != IN_SPACE and self._is_shown(link.predicate, space, kinds)

    def _is_shown(self, predicate: str, space: str, kinds: Iterable[str]) -> bool:
        if predicate in SHOWN_IN.get(self.space_kind(space), ()):
            return True
        return predicate == PARENT and any(map(is_extension, kinds))

    def _places_of(self, joint: Joint) -> Iterable[Place]:
        """Yield the places that a link from a node is."""
        link, far = joint.link, joint.far
        assert far is not None
        if joint.key:
            if joint.key in self.spaces:
                yield self._place(joint, joint.key)
        elif far.type == SPACE and link.predicate in (IN_SPACE, HAS):
            yield self._place(joint, far.id)
        elif link.predicate != IN_SPACE:
            child = self.elements.get(link.subject)
            kinds = [one.type for one in (child, far) if one is not None]
            for space in dict.fromkeys(one.space for one in self._places.get(far.id, ())):
                if self._is_shown(link.predicate, space, kinds):
                    yield self._place(joint, space)

    def _place(self, joint: Joint, space: str) -> Place:
        link = joint.link
        parent = None if link.object == space else link.object
        order = order_of(link.attributes)
        return Place(
            link.subject,
            space,
            parent,
            link.predicate,
            order,
            link.id,
            is_given=not joint.key,
            is_living=joint.is_living,
        )
