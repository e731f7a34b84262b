"""Org: headlines are nodes, property drawers their other fields, text below them their Content."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.faces.markup.model import CONTENT, LABEL, Document, Node
from recollect.faces.markup.outlines.outline_tree import Converted, Losses, OutlineTree

_HEADLINE = re.compile(r"(\*+)[ \t]+(.*)")
_TITLE = re.compile(r"#\+TITLE:[ \t]*(.*)", re.IGNORECASE)
_PLANNING = re.compile(r"[ \t]*(?:DEADLINE|SCHEDULED|CLOSED):.*")
_PROPERTY = re.compile(r"[ \t]*:([^:\s][^:]*):(?:[ \t]+(.*))?")


def read_org(text: str) -> Converted[Document]:
    """Return the document that an Org file says."""
    tree, losses, title, in_drawer = OutlineTree(), Losses("a document"), None, False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        headline, stripped = _HEADLINE.fullmatch(line), line.strip()
        if headline is not None:
            tree.add(len(headline[1]), headline[2].strip())
            in_drawer = False
        elif (found := _TITLE.fullmatch(line)) is not None and title is None:
            title = found[1].strip()
        elif stripped.upper() == ":PROPERTIES:" and all(map(_PLANNING.fullmatch, tree.last.lines)):
            in_drawer = True
        elif in_drawer and stripped.upper() == ":END:":
            in_drawer = False
        elif in_drawer and (one := _PROPERTY.fullmatch(line)) is not None:
            key = re.sub(r"[^\w \-]", " ", one[1]).strip()
            is_field = key and key[0].isalpha() and key.upper() != "ID"
            if is_field and tree.last is not tree.root:
                tree.last.fields[key] = (one[2] or "").strip()
            else:
                losses.add(f"the property {one[1][:40]}")
        elif tree.last is not tree.root:
            tree.last.lines.append(line[1:] if line.startswith(",*") else line)
        elif stripped:
            losses.add("text before the first headline")
    return Converted(tree.document(title), losses.notices())


def write_org(document: Document) -> Converted[str]:
    """Return a document as an Org file: a space is a headline, its nodes stand below it."""
    losses, lines = Losses("Org"), list[str]()
    for section in document.sections:
        level = 1
        if section.kind is not None:
            lines.append(f"* {_line(losses.add_space(section))}")
            level = 2
        for node in section.nodes:
            lines += _headlines(node, level, losses)
    return Converted("".join(f"{one}\n" for one in lines), losses.notices())


def _headlines(node: Node, level: int, losses: Losses) -> Iterator[str]:
    waiting = [(node, level)]
    while waiting:
        one, level = waiting.pop()
        yield f"{'*' * level} {_line(losses.add_node(one))}"
        texts = one.content.split("\n") if one.content else []
        while texts and _PLANNING.fullmatch(texts[0]):
            yield texts.pop(0)
        others = {key: value for key, value in one.fields.items() if key not in (LABEL, CONTENT)}
        if others:
            yield ":PROPERTIES:"
            for key, value in others.items():
                if "\n" in value:
                    losses.add("line breaks in properties")
                yield f":{key}: {_line(value)}"
            yield ":END:"
        yield from (f",{line}" if line.startswith("*") else line for line in texts)
        waiting.extend((child, level + 1) for child in reversed(one.nodes))


def _line(text: str) -> str:
    return " ".join(text.split("\n"))
