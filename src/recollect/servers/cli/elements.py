"""Elements as people read them: a concept by its type and name, a link by its ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from rich.text import Text
from rich.tree import Tree

from recollect.kernel import called
from recollect.model import Cell, Concept, Element, Link, Triple
from recollect.servers.cli.cells import cell, grown, listed
from recollect.servers.cli.safe_text import one_line

Names = Mapping[str, str]
"""What to call the element with an id, for people: `Drug "Aspirin"`."""


def element_cell(value: Cell, names: Names) -> Text:
    """Return a cell of an answer on one line: elements by their names, other values as they are."""
    match value:
        case Concept() | Link():
            return element_line(value, names)
        case list():
            return listed(value, lambda one: element_cell(one, names))  # type: ignore[arg-type]
        case _:
            return cell(value)


def element_line(element: Element, names: Names) -> Text:
    """Return what an element is called, on one line."""
    match element:
        case Concept(type=kind, name=name):
            return label(kind, called(name, element.attributes, element.metadata))
        case Link():
            return link_line(element, names)
        case _:
            assert_never(element)


def label(kind: str, name: str) -> Text:
    """Return `Drug "Aspirin"`, the type in colour."""
    return Text(one_line(kind), "cyan").append(f' "{one_line(name)}"', style="bold")


def link_line(link: Link | Triple, names: Names) -> Text:
    """Return a link as `subject -predicate-> object`, its ends by name where known."""
    arrow = Text(" ─", style="dim").append(one_line(link.predicate), style="green")
    ends = end(link.subject, names), end(link.object, names)
    return Text.assemble(ends[0], arrow.append("→ ", style="dim"), ends[1])


def end(identifier: str, names: Names) -> Text:
    """Return the name of the end of a link, or its id if the name is not known."""
    return Text(one_line(names.get(identifier, identifier)), "" if identifier in names else "dim")


def element_tree(element: Element, names: Names) -> Tree:
    """Return all that an element holds; empty parts are left out."""
    parts = {"attributes": element.attributes, "metadata": element.metadata}
    held = {"id": element.id, **{name: dict(part) for name, part in parts.items() if part}}
    return grown(Tree(element_line(element, names), guide_style="dim"), held)
