"""Markdown: headings and list items are nodes, what stands below them is their Content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recollect.faces.markup.model import CONTENT, LABEL, Document, Node
from recollect.faces.markup.outlines.outline_tree import Converted, Losses, OutlineTree

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*))?")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,}).*")
_HEADINGS: Final = 100  # levels of headings stand before those of items
_STRUCTURE = re.compile(r"[ \t]*(?:#{1,6}(?:[ \t]|$)|[-*+][ \t]|[-*+]$|\d{1,9}[.)](?:[ \t]|$)|\\)")


def read_markdown(text: str) -> Converted[Document]:
    """Return the document that a Markdown text says."""
    tree, fence = OutlineTree(), None
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        stripped = line.strip(" \t")
        opened = _FENCE.fullmatch(line)
        if fence is not None or opened is not None:
            if fence is None and opened is not None:
                fence = opened[1]
            elif fence is not None and stripped == fence:
                fence = None
            _content(tree, line)
            continue
        title, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        if title is not None:
            tree.add(len(title[1]), _plain(title[2] or ""))
        elif item is not None:
            level = _HEADINGS + _columns(item[1])
            gap = len(item[3] or " ")
            one = tree.add(level, _plain((item[4] or "").strip()))
            one.margin = _columns(item[1]) + len(item[2]) + (gap if gap <= 4 else 1)
        elif stripped:
            if not line[:1].isspace() and not tree.last.lines and tree.last.level >= _HEADINGS:
                pass  # a lazy line of an item
            elif not line[:1].isspace():
                tree.close(_HEADINGS)
            else:
                tree.close(_HEADINGS + _columns(line[: len(line) - len(line.lstrip())]))
            _content(tree, line)
        else:
            tree.last.lines.append("")
    return Converted(tree.document())


def _content(tree: OutlineTree, line: str) -> None:
    """Add a line to the Content of the node above it; before all of them it makes one."""
    if tree.last is tree.root:
        tree.add(_HEADINGS + 1_000, "")
    margin = tree.last.margin
    said = line.lstrip(" \t")
    blanks = line[: len(line) - len(said)]
    if margin and "\t" in blanks:
        blanks = " " * _columns(blanks)
    text = blanks[margin:] + said
    tree.last.lines.append(text[1:] if text[:1] == "\\" and _STRUCTURE.match(text[1:]) else text)


def _plain(text: str) -> str:
    return text[1:] if text[:1] == "\\" and _STRUCTURE.match(text[1:]) else text


def _columns(blanks: str) -> int:
    return len(blanks.expandtabs(4))


def write_markdown(document: Document) -> Converted[str]:
    """Return a document as Markdown: spaces are headings, nodes items of lists."""
    losses, lines = Losses("Markdown"), list[str]()
    for section in document.sections:
        if section.kind is not None:
            lines += [f"# {_line(losses.add_space(section))}".rstrip(), ""]
            losses.add_fields(section.fields, (LABEL,))
        for node in section.nodes:
            lines += _items(node, 0, losses)
        if section.kind is not None:
            lines.append("")
    text = "\n".join(lines).rstrip("\n")
    return Converted(f"{text}\n" if text else "", losses.notices())


def _items(node: Node, level: int, losses: Losses) -> Iterator[str]:
    waiting = [(node, level)]
    while waiting:
        one, level = waiting.pop()
        margin = "  " * level
        yield f"{margin}- {_line(losses.add_node(one))}".rstrip()
        losses.add_fields(one.fields, (LABEL, CONTENT))
        if one.content:
            for line in one.content.split("\n"):
                said = f"\\{line}" if _STRUCTURE.match(line) else line
                yield f"{margin}  {said}" if line else ""
        waiting.extend((child, level + 1) for child in reversed(one.nodes))


def _line(label: str) -> str:
    text = " ".join(label.split("\n"))
    return f"\\{text}" if _STRUCTURE.match(text) else text
