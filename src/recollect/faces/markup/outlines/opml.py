"""OPML 2.0: outlines are nodes, `text` their Label, `_note` their Content, other attributes fields.

The rule: a file with a document type or an entity of its own is refused before anything is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from recollect.errors import refused
from recollect.faces.markup.model import (
    CONTENT,
    LABEL,
    USE_FUNCTION,
    USE_TEMPLATE,
    VALUE,
    Document,
    Node,
)
from recollect.faces.markup.outlines.outline_tree import Converted, Losses, OutlineTree

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KNOWN = {"value": VALUE, "use_template": USE_TEMPLATE, "use_function": USE_FUNCTION}
_NAME = re.compile(r"[A-Za-z_][\w.\-]*")


def read_opml(text: str) -> Converted[Document]:
    """Return the document that an OPML file says; a title is the Label of its space."""
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        told = f"the text is no OPML: {expat.errors.messages[error.code]}, line {error.lineno}"
        raise refused(told, "mend the XML there") from error
    if not reader.is_opml:
        raise refused("the text is no OPML: it has no opml element")
    return Converted(reader.tree.document(reader.title or None), reader.losses.notices())


def _refuse(*_: object) -> None:
    raise refused("the file declares a document type or an entity", "remove it")


class _Reader:
    """Takes the events of the parser."""

    def __init__(self) -> None:
        self.tree = OutlineTree()
        self.losses = Losses("a document")
        self.title: str | None = None
        self.is_opml = False
        self._level = 0
        self._inside: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""
        self._inside.append(name)
        if name == "opml":
            self.is_opml = True
            if (version := attributes.get("version", "")) != "2.0":
                told = f"the file is OPML of version {version[:40]!r}, not 2.0"
                raise refused(told, "export it as OPML 2.0")
        if name == "outline":
            self._level += 1
            one = self.tree.add(self._level, attributes.get("text", ""))
            for key, value in attributes.items():
                if key == "_note":
                    one.lines += value.split("\n")
                elif key != "text":
                    self._take(one.fields, key, value)

    def _take(self, fields: dict[str, str], key: str, value: str) -> None:
        name = re.sub(r"[^\w \-]", " ", key).strip()
        known = {
            one.lower().replace(" ", "_"): one for one in ("Value", "Use template", "Use function")
        }
        name = known.get(name.lower(), name)
        if name and name[0].isalpha() and name.lower() not in ("id", "label", "content"):
            fields[name] = value
        else:
            self.losses.add(f"the attribute {key[:40]}")

    def end(self, name: str) -> None:
        """Take the end of an element."""
        self._inside.pop()
        if name == "outline":
            self.tree.close(self._level + 1)
            self._level -= 1

    def characters(self, text: str) -> None:
        """Take text: only that of the title means something."""
        if self._inside[-2:] == ["head", "title"]:
            self.title = (self.title or "") + text
        elif text.strip() and self._inside[-2:-1] != ["head"]:
            self.losses.add("text outside of attributes")


def write_opml(document: Document) -> Converted[str]:
    """Return a document as OPML 2.0; several spaces are outlines of the first level."""
    losses = Losses("OPML")
    only = document.sections[0] if len(document.sections) == 1 else None
    title = only.label or "" if only is not None else ""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">', "  <head>"]
    lines += [f"    <title>{_text(title, losses)}</title>", "  </head>", "  <body>"]
    for section in document.sections:
        label = "" if section.kind is None else losses.add_space(section)
        is_outline = section.kind is not None and only is None
        if is_outline:
            lines.append(f"    <outline text={_attribute(label, losses)}>")
        for node in section.nodes:
            lines += _outlines(node, 3 if is_outline else 2, losses)
        if is_outline:
            lines.append("    </outline>")
    lines += ["  </body>", "</opml>"]
    return Converted("".join(f"{one}\n" for one in lines), losses.notices())


def _outlines(node: Node, level: int, losses: Losses) -> Iterator[str]:
    waiting: list[tuple[Node | None, int]] = [(node, level)]
    while waiting:
        one, level = waiting.pop()
        margin = "  " * level
        if one is None:
            yield f"{margin}</outline>"
            continue
        attributes = [("text", losses.add_node(one))]
        attributes += [("_note", one.content)] if one.content else []
        for key, value in one.fields.items():
            if key not in (LABEL, CONTENT):
                if " " in key and key not in _KNOWN.values():
                    losses.add(f"the blanks of the field {key[:40]}")
                attributes.append((key.replace(" ", "_"), value))
        said = " ".join(
            f"{key}={_attribute(value, losses)}"
            for key, value in attributes
            if _is_name(key, losses)
        )
        yield f"{margin}<outline {said}{'' if one.nodes else '/'}>"
        if one.nodes:
            waiting.append((None, level))
            waiting.extend((child, level + 1) for child in reversed(one.nodes))


def _is_name(key: str, losses: Losses) -> bool:
    if _NAME.fullmatch(key):
        return True
    losses.add(f"the field {key[:40]}")
    return False


def _attribute(value: str, losses: Losses) -> str:
    clean = _NO_XML.sub("\ufffd", value)
    if clean != value:
        losses.add("control characters")
    return quoteattr(clean, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _text(value: str, losses: Losses) -> str:
    return _attribute(value, losses)[1:-1].replace("'", "&apos;") if value else ""
