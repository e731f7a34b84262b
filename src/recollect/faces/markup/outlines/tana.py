"""Tana Paste, out only: nodes are items, their fields `Name:: value`, their Content a child."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.faces.markup.model import CONTENT, LABEL, Document, Node
from recollect.faces.markup.outlines.outline_tree import Converted, Losses


def write_tana(document: Document) -> Converted[str]:
    """Return a document as Tana Paste."""
    losses, lines = Losses("Tana Paste"), ["%%tana%%"]
    for section in document.sections:
        level = 0
        if section.kind is not None:
            lines.append(f"- {_line(losses.add_space(section))}")
            level = 1
        for node in section.nodes:
            lines += _items(node, level, losses)
    return Converted("".join(f"{one}\n" for one in lines), losses.notices())


def _items(node: Node, level: int, losses: Losses) -> Iterator[str]:
    waiting = [(node, level)]
    while waiting:
        one, level = waiting.pop()
        margin = "  " * level
        yield f"{margin}- {_line(losses.add_node(one))}"
        for key, value in one.fields.items():
            if key not in (LABEL, CONTENT):
                yield f"{margin}  - {key}:: {_line(value)}"
        for line in (one.content or "").split("\n"):
            if line.strip():
                yield f"{margin}  - {_line(line)}"
        waiting.extend((child, level + 1) for child in reversed(one.nodes))


def _line(text: str) -> str:
    """Return a text on one line, without what Tana reads as a field."""
    return " ".join(text.split("\n")).replace("::", ":\u200b:")
