"""The values of Knowing Markup: a document, its spaces and its nodes.

The rule: a value says what a text means and nothing of how it is written. Comments and spacing are
no part of it; where a node was read is kept for messages, and takes no part in a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from recollect.errors import Span, refused
from recollect.node import dataclass, field, node

SPACE_KINDS: Final = ("CONCEPTUAL SPACE", "ATTRIBUTE SPACE", "ONTOLOGY SPACE")
"""The three types of spaces (specification, section 3)."""

EXTENSIONS: Final = (
    *("TEMPLATE", "ARTICLE", "FUNCTION", "WORKFLOW"),
    *("NOTE", "SPACE", "ACTION", "BRANCH"),
)
"""The words before `ID:` that make a node more than a plain one (section 4.5)."""

STATES: Final = ("created", "updated", "deleted", "read-only")
"""The states, as they stand between square brackets (section 4.3)."""


def sign_of(state: str | None) -> str:
    """Return the sign of a state, as it stands behind an id; nothing for none.

    >>> sign_of("created"), sign_of(None)
    (' [created]', '')
    """
    return "" if state is None else f" [{state}]"


LABEL: Final = "Label"
CONTENT: Final = "Content"
VALUE: Final = "Value"
USE_TEMPLATE: Final = "Use template"
USE_FUNCTION: Final = "Use function"
KNOWN_FIELDS: Final = (LABEL, USE_TEMPLATE, USE_FUNCTION, VALUE, CONTENT)
"""The fields that mean something to Recollect, in the order in which they are printed."""


@node(frozen=True, slots=True)
class Id:
    """The id of a node or a space; a temporary one is `new-` and digits, not in quotes.

    >>> str(Id("new-1", is_temporary=True)), Id("new-1") == Id("new-1", is_temporary=True)
    ('new-1', False)
    """

    text: str
    is_temporary: bool = False

    def __str__(self) -> str:
        return self.text


class _Told:
    """What nodes and spaces say of themselves."""

    __slots__ = ()
    states: tuple[str, ...]
    fields: Mapping[str, str]

    @property
    def state(self) -> str | None:
        """The state, if it has one."""
        return self.states[0] if self.states else None

    @property
    def label(self) -> str | None:
        """The field `Label`."""
        return self.fields.get(LABEL)

    @property
    def content(self) -> str | None:
        """The field `Content`."""
        return self.fields.get(CONTENT)

    @property
    def value(self) -> str | None:
        """The field `Value`."""
        return self.fields.get(VALUE)

    @property
    def use_function(self) -> str | None:
        """The field `Use function`."""
        return self.fields.get(USE_FUNCTION)


@node(frozen=True, slots=True)
class Node(_Told):
    """A node at one place of a document: `kind` is its extension, `nodes` stand below it.

    >>> Node(Id("1"), fields={"Label": "Lion"}).label
    'Lion'
    """

    id: Id
    kind: str | None = None
    states: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    nodes: tuple[Node, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)  # of its header
    remarked: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Fields not in quotes that hold ` #`: a remark follows, if what precedes is their value."""

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, in document order."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(reversed(one.nodes))


@node(frozen=True, slots=True)
class Space(_Told):
    """A section of a document: a space with a header, or nodes without one (`kind` None).

    >>> Space("CONCEPTUAL SPACE", fields={"Label": "Vehicles"}).label
    'Vehicles'
    """

    kind: str | None = None
    id: Id | None = None
    states: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    nodes: tuple[Node, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)  # of its header
    remarked: tuple[str, ...] = field(default=(), compare=False, repr=False)  # as a node's

    def walk(self) -> Iterator[Node]:
        """Yield all nodes of the section, in document order."""
        for one in self.nodes:
            yield from one.walk()


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its sections in order; one without header and nodes says nothing and is dropped.

    Raises INVALID_ARGUMENT for a section without header that has an id, states or fields.

    >>> Document((Space(), Space("ONTOLOGY SPACE"))).sections
    (Space(kind='ONTOLOGY SPACE', id=None, states=(), fields={}, nodes=()),)
    """

    sections: tuple[Space, ...] = ()

    def __post_init__(self) -> None:
        for one in self.sections:
            if one.kind is None and (one.id is not None or one.states or one.fields):
                raise refused(
                    "a section without a header has an id, states or fields", "give it a kind"
                )
        said = tuple(one for one in self.sections if one.kind is not None or one.nodes)
        object.__setattr__(self, "sections", said)

    def walk(self) -> Iterator[Node]:
        """Yield all nodes, in document order."""
        for one in self.sections:
            yield from one.walk()
