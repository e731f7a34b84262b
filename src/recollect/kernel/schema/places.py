"""Where a statement speaks of something, to point an error at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from recollect.errors import Span
from recollect.kernel.lang import ast


def nodes(part: object) -> Iterator[ast.Node]:
    """Yield the nodes of a tree, each before what it holds, in the order of the text."""
    if isinstance(part, tuple):
        for one in part:
            yield from nodes(one)
    elif isinstance(part, ast.Node):
        yield part
        for each in fields(part):
            yield from nodes(getattr(part, each.name))


def place_of_concept(tree: ast.Node, type_: str, name: str) -> Span | None:
    """Return where a tree names a concept by both, or by its name alone, for the first time."""
    for node in nodes(tree):
        if not isinstance(node, ast.ConceptPattern) or not _is(node.name, name):
            continue
        if node.type is None or _is(node.type, type_):
            return node.span
    return None


def _is(text: ast.Text | None, value: str) -> bool:
    return isinstance(text, ast.Literal) and text.value == value
