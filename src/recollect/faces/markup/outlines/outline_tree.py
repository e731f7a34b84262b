"""What all formats of outlines share: the result, and a tree that grows by levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from recollect.errors import MARKUP_LIMIT, Notice
from recollect.faces.markup.model import CONTENT, LABEL, Document, Id, Node, Space
from recollect.faces.markup.text import MOST_LEVELS, MOST_NODES
from recollect.node import dataclass, field

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Converted(Generic[ValueT]):
    """A document or a text, and what was left out of it."""

    value: ValueT
    notices: tuple[Notice, ...] = ()


@dataclass(slots=True)
class Growing:
    """A node that is read: fields and nodes are still to come."""

    level: int
    fields: dict[str, str] = field(default_factory=dict)
    nodes: list[Growing] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # of its Content
    margin: int = 0  # columns that those lines do not begin with


class OutlineTree:
    """A tree that grows by levels: what is deeper stands below what came before."""

    def __init__(self) -> None:
        self.root = Growing(-1)
        self._stack = [self.root]
        self._count = 0

    @property
    def last(self) -> Growing:
        """The node that was added last, or the root."""
        return self._stack[-1]

    def add(self, level: int, label: str) -> Growing:
        """Add a node at a level, below the last one of a smaller level."""
        while self._stack[-1].level >= level:
            self._stack.pop()
        one = Growing(level, {LABEL: label} if label else {})
        self._stack[-1].nodes.append(one)
        self._stack.append(one)
        self._count += 1
        if self._count > MOST_NODES or len(self._stack) > MOST_LEVELS + 1:
            raise MARKUP_LIMIT.error(
                f"the outline has more than {MOST_NODES} nodes or {MOST_LEVELS} levels", "split it"
            )
        return one

    def close(self, level: int) -> None:
        """Let what follows belong to the last node of a smaller level."""
        while self._stack[-1].level >= level:
            self._stack.pop()

    def document(self, title: str | None = None) -> Document:
        """Return the document: a conceptual space if there is a title, else nodes without one."""
        numbers = _counted()
        nodes = tuple(_made(one, numbers) for one in self.root.nodes)
        if title is None:
            return Document((Space(nodes=nodes),))
        fields = {LABEL: title} if title else {}
        return Document((Space("CONCEPTUAL SPACE", None, (), fields, nodes),))


def _counted() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


def _made(one: Growing, numbers: Iterator[int]) -> Node:
    id = Id(f"new-{next(numbers)}", is_temporary=True)
    fields = dict(one.fields)
    while one.lines and not one.lines[-1]:
        one.lines.pop()
    while one.lines and not one.lines[0]:
        del one.lines[0]
    if one.lines:
        fields[CONTENT] = "\n".join(one.lines)
    nodes = tuple(_made(child, numbers) for child in one.nodes)
    return Node(id, None, ("created",), fields, nodes)


class Losses:
    """What a format does not carry: one notice of each kind, with how often."""

    def __init__(self, format: str) -> None:
        self._format = format
        self._counts: dict[str, int] = {}
        self._labels: dict[str, str] = {}  # by the ids that were met

    def add(self, what: str, times: int = 1) -> None:
        """Note something that is left out."""
        self._counts[what] = self._counts.get(what, 0) + times

    def add_fields(self, fields: Mapping[str, str], carried: tuple[str, ...]) -> None:
        """Note the fields that are left out."""
        for key in fields:
            if key not in carried:
                self.add(f"the field {key[:40]}")

    def add_space(self, space: Space) -> str:
        """Note what a space is besides a label, which is returned."""
        self.add(f"{space.kind} as a type of spaces")
        label = space.label or ""
        if space.id is not None:
            self._labels.setdefault(space.id.text, label)
        return label

    def add_node(self, node: Node) -> str:
        """Note what a node is besides a label and a text; return the label it first had."""
        id = node.id.text
        self.add("ids")
        if node.kind is not None:
            self.add(f"{node.kind} as a kind of nodes")
        if node.states:
            self.add("states")
        if id in self._labels:
            self.add("that a node stands at several places")
        first = self._labels.setdefault(id, node.label or "")
        return node.label or first

    def notices(self) -> tuple[Notice, ...]:
        """Return the notices, in the order in which the losses came up."""
        return tuple(
            Notice(
                "left_out",
                f"{self._format} does not carry {what}{'' if count == 1 else f' ({count} times)'}",
            )
            for what, count in self._counts.items()
        )
