"""One value of an answer as a piece of text a person reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from rich.text import Text

from recollect.kernel import called
from recollect.servers.cli.response import Names, is_concept, is_link
from recollect.servers.cli.safe_text import one_line, shown

MISSING = "null"
_WIDTH = 90  # of the attributes of an element


def cell(value: object, names: Names) -> Text:
    """Return a value as text: elements by their names, null dim, text unchanged."""
    match value:
        case None:
            return Text(MISSING, style="dim")
        case bool():
            return Text("true" if value else "false", style="magenta")
        case int() | float():
            return Text(number(value))
        case str():
            return shown(value)
        case list():
            return Text(", ").join(_items(value, names))
        case Mapping() if is_concept(value):
            return concept(value)
        case Mapping() if is_link(value):
            return link(value, names)
        case _:
            return shown(json.dumps(value, ensure_ascii=False), "dim")


def _items(values: list[object], names: Names) -> Iterator[Text]:
    """Yield the items of a list; its texts in quotes where a comma in one would mislead."""
    are_quoted = any(isinstance(value, str) and "," in value for value in values)
    for value in values:
        text = cell(value, names)
        is_quoted = are_quoted and isinstance(value, str)
        yield Text.assemble('"', text, '"') if is_quoted else text


def number(value: float) -> str:
    """Return a number as people write it: whole ones exactly, others without noise."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def concept(value: Mapping[str, object]) -> Text:
    """Return a concept as its type and what it is called, in quotes."""
    name, attributes, metadata = str(value["name"]), value["attributes"], value["metadata"]
    if isinstance(attributes, dict) and isinstance(metadata, dict):
        name = called(name, attributes, metadata)
    return label(str(value["type"]), name)


def label(kind: str, name: str) -> Text:
    """Return `Drug "Aspirin"`, the type in colour."""
    return Text(one_line(kind), "cyan").append(f' "{one_line(name)}"', style="bold")


def link(value: Mapping[str, object], names: Names) -> Text:
    """Return a link as `subject -predicate-> object`, its ends by name where known."""
    subject, target = str(value["subject"]), str(value["object"])
    arrow = Text(" ─", style="dim").append(one_line(str(value["predicate"])), style="green")
    return Text.assemble(end(subject, names), arrow.append("→ ", style="dim"), end(target, names))


def end(identifier: str, names: Names) -> Text:
    """Return the name of the end of a link, or its id if the name is not known."""
    return Text(one_line(names.get(identifier, identifier)), "" if identifier in names else "dim")


def brief(attributes: object) -> Text:
    """Return the attributes of an element on one line, as many as fit."""
    if not isinstance(attributes, Mapping):
        return Text("")
    line = Text("")
    for key, value in attributes.items():
        if value is None:
            continue
        if line:
            line.append(" · ", style="dim")
        line.append(one_line(str(key)) + " ", style="dim").append_text(cell(value, {}))
    line.truncate(_WIDTH, overflow="ellipsis")
    return line
