"""How Knowing Markup is kept on the graph: types, predicates, attributes, and what they mean.

The rule: whoever reads or writes the graph for Knowing Markup takes every name from here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Final

from recollect.faces.kinds import ALL_KINDS
from recollect.model import SEARCH_ATTRIBUTES, Attributes, Concept, Value
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
