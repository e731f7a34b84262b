"""Stored values as people read them: on one line, as a tree of their parts, or as two columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from recollect.servers.cli.safe_text import one_line, shown

FEW = 3
"""A text of more line breaks is told by its length, inside a tree."""

_WIDTH = 90  # of the attributes of an element
_Draw = Callable[[Tree, object], None]
"""Adds one item of a list to a branch."""


def cell(value: object) -> Text:
    """Return a JSON value on one line: null dim, text unchanged."""
    match value:
        case None:
            return Text("null", style="dim")
        case bool():
            return Text("true" if value else "false", style="magenta")
        case int() | float():
            return Text(number(value))
        case str():
            return shown(value)
        case list():
            return listed(value, cell)
        case _:
            return shown(json.dumps(value, ensure_ascii=False), "dim")


def listed(values: Sequence[object], draw: Callable[[object], Text]) -> Text:
    """Return the items of a list; its texts in quotes where a comma in one would mislead."""
    are_quoted = any(isinstance(value, str) and "," in value for value in values)
    return Text(", ").join(
        Text.assemble('"', draw(one), '"') if are_quoted and isinstance(one, str) else draw(one)
        for one in values
    )


def number(value: float) -> str:
    """Return a number as people write it: whole ones exactly, others without noise."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def brief(attributes: Mapping[str, object]) -> Text:
    """Return the attributes of an element on one line, as many as fit."""
    line = Text("")
    for key, value in attributes.items():
        if value is None:
            continue
        if line:
            line.append(" · ", style="dim")
        line.append(one_line(key) + " ", style="dim").append_text(cell(value))
    line.truncate(_WIDTH, overflow="ellipsis")
    return line


def counted(number: int, noun: str) -> str:
    """Return `1 row`, `2 rows`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def open_table() -> Table:
    """Return a table without edges, for rows under headings."""
    return Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)


def facts(members: Mapping[str, object]) -> RenderableType:
    """Return a flat object as two columns: names and values."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for key, value in members.items():
        is_count = isinstance(value, int) and not isinstance(value, bool)
        table.add_row(shown(key), f"{value:,}" if is_count else cell(value))
    return table


def grown(root: Tree, members: Mapping[str, object]) -> Tree:
    """Return a tree with a branch for each member of a stored object, with every key it has."""
    _grow(root, members, _stored)
    return root


def described(members: Mapping[str, object]) -> Tree:
    """Return a description as a tree; what is counted in it says so beside its name."""
    root = Tree("", guide_style="dim", hide_root=True)
    _grow(root, members, _described)
    return root


def counted_list(value: object) -> Text:
    """Return a value of a description; named parts of a list by their names and counts."""
    match value:
        case list():
            return Text(", ").join(counted_list(item) for item in value)
        case {"name": str() as name, "count": int() as count}:
            return _counted_name(name, count)
        case _:
            return cell(value)


def _grow(branch: Tree, value: object, draw: _Draw) -> None:
    match value:
        case Mapping() as members:
            for key, member in members.items():
                _member(branch, str(key), member, draw)
        case list() as items:
            for item in items:
                draw(branch, item)
        case _:
            branch.add(cell(value))


def _member(branch: Tree, key: str, member: object, draw: _Draw) -> None:
    title = Text(one_line(key), "dim")
    match member:
        case str() if member.count("\n") > FEW:
            lines = counted(member.count("\n") + 1, "line")
            branch.add(title.append(f"  {lines}, whole with --json", style="dim italic"))
        case Mapping() | list() if not member:
            branch.add(title.append("  none", style="dim italic"))
        case Mapping():
            _grow(branch.add(title), member, draw)
        case list() if any(isinstance(item, Mapping) for item in member):
            _grow(branch.add(title), member, draw)
        case _:
            branch.add(Text.assemble(title, "  ", cell(member)))


def _described(branch: Tree, item: object) -> None:
    """Draw one item of a description's list: what it is called, and the rest beside or below."""
    match item:
        case {"count": int() as count, "types": list() | dict() as types, **rest} if len(rest) == 1:
            (name,) = rest.values()
            branch.add(Text.assemble(_counted_name(str(name), count), "  ", _kinds(types)))
        case {"name": str(), "count": int(), **rest}:
            _grow(branch.add(counted_list(item)), rest, _described)
        case {"domain": str() as domain, **rest}:
            _grow(branch.add(shown(domain)), rest, _described)
        case _:
            _stored(branch, item)


def _stored(branch: Tree, item: object) -> None:
    """Draw one item of a stored list with every key it has."""
    match item:
        case Mapping() if item:
            (key, first), *others = item.items()
            if isinstance(first, Mapping | list):
                _grow(branch.add(Text("·", style="dim")), item, _stored)
                return
            _member(branch, str(key), first, _stored)
            _grow(branch.children[-1], dict(others), _stored)
        case _:
            branch.add(counted_list(item))


def _kinds(types: Sequence[object] | Mapping[str, object]) -> Text:
    """Return the kinds of something, each with its count where there are several."""
    if isinstance(types, Mapping):
        types = [{"name": name, "count": count} for name, count in types.items()]
    match types:
        case [{"name": str() as only}]:
            return shown(only)
        case _:
            return counted_list(list(types))


def _counted_name(name: str, count: int) -> Text:
    return shown(name).append(f" ({count:,})", style="dim")
