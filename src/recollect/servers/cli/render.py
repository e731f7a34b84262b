"""Draw a response: rows as a table, an object as a tree, a report as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from recollect.servers.cli.cells import brief, cell, concept, link
from recollect.servers.cli.explained import explanation, is_explanation
from recollect.servers.cli.response import (
    Names,
    Response,
    is_concept,
    is_link,
    parts_of,
    result_of,
)
from recollect.servers.cli.safe_text import one_line, plain, shown

_Draw = Callable[[Tree, object, Names], None]
"""Adds one item of a list to a branch."""

FEW = 3
"""So many elements, alone in an answer, are drawn whole."""


def drawn(response: Response, names: Names) -> RenderableType:
    """Return a response without an error as something Rich prints."""
    result = result_of(response)
    return Text("") if result is None else _result(result, names)


def _result(result: Mapping[str, object], names: Names) -> RenderableType:
    match result:
        case {"statements": list() as statements}:
            return _numbered(statements, names)
        case {"commands": list()}:
            return _numbered(list(parts_of({"result": result}, "commands")), names)
        case _ if is_explanation(result):
            return explanation(result)
        case {"columns": list() as columns, "rows": list() as rows}:
            return _rows([str(column) for column in columns], rows, names, result)
        case {"hits": list() as hits}:
            return _hits(hits, names, result)
        case {"items": list() as items}:
            return _items(items, result)
        case {"upsert_concept_nodes": list() as concepts, "upsert_proposition_links": list()}:
            return _upserted(result, len(concepts))
        case {"deleted_concepts": int() as concepts, "deleted_propositions": int() as links}:
            return _changed("forgot", concepts, links, result)
        case {"updated_concepts": int() as concepts, "updated_propositions": int() as links}:
            return _changed("removed keys of", concepts, links, result)
        case {"updated": int() as updated, "matched": int() as matched}:
            return _done("changed", f"{updated:,} of {counted(matched, 'element')}", result)
        case {"merged": True}:
            return _done("merged", _merged(result), result)
        case {"capsule": str() as capsule}:
            return _exported(capsule, result)
        case _ if result and all(isinstance(value, int | str) for value in result.values()):
            return facts(result)
        case _:
            return tree(result, names)


def _numbered(parts: Sequence[object], names: Names) -> RenderableType:
    """Draw the results of several statements one below the other."""
    drawings: list[RenderableType] = []
    for number, part in enumerate(parts, 1):
        if isinstance(part, Mapping):
            inner = result_of(part) or part
            drawings.append(Text(f"{number} of {len(parts)}", style="dim"))
            drawings.append(_result(inner, names))
    return Group(*drawings)


def _rows(
    columns: list[str], rows: list[object], names: Names, result: Mapping[str, object]
) -> RenderableType:
    lines = [row for row in rows if isinstance(row, list)]
    footer = _footer(counted(len(lines), "row"), result)
    if len(columns) == 1 and 0 < len(lines) <= FEW and all(_is_element(row[0]) for row in lines):
        return Group(*(tree(row[0], names) for row in lines), footer)
    if not lines:
        return Text("no rows", style="dim")
    table = open_table()
    for index, column in enumerate(columns):
        is_number = all(_is_number(row[index]) for row in lines)
        table.add_column(shown(column), justify="right" if is_number else "left", overflow="fold")
    for row in lines:
        table.add_row(*(cell(value, names) for value in row))
    return Group(table, footer)


def _footer(counts: str, result: Mapping[str, object]) -> Text:
    """Return the line under a page: how much it holds, and what leads to the next one."""
    footer = Text(counts, style="dim")
    match result.get("next_cursor"):
        case str() as cursor if cursor:
            footer.append(f'; the next page: CURSOR "{plain(cursor)}"')
        case str():
            footer.append("; there are more")
    return footer


def _hits(hits: Sequence[object], names: Names, result: Mapping[str, object]) -> RenderableType:
    if not hits:
        return Text("nothing found", style="dim")
    table = open_table()
    table.add_column("score", justify="right")
    table.add_column("found", overflow="fold")
    table.add_column("attributes", overflow="fold")
    for hit in hits:
        if isinstance(hit, Mapping):
            score = hit.get("_score")
            what = concept(hit) if is_concept(hit) else link(hit, names)
            table.add_row(
                f"{score:.2f}" if isinstance(score, int | float) else "",
                what,
                brief(hit.get("attributes")),
            )
    return Group(table, _footer(counted(len(hits), "hit"), result))


def _items(items: Sequence[object], result: Mapping[str, object]) -> RenderableType:
    if not items:
        return Text("nothing yet", style="dim")
    rows = [item for item in items if isinstance(item, Mapping)]
    columns = list(dict.fromkeys(str(key) for row in rows for key in row))
    table = open_table()
    for column in columns:
        is_number = all(_is_number(row.get(column)) for row in rows)
        table.add_column(shown(column), justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_listed(row.get(column)) for column in columns))
    return Group(table, _footer(counted(len(rows), "item"), result))


def _upserted(result: Mapping[str, object], concepts: int) -> RenderableType:
    """Draw what an UPSERT did, and what it had to leave out."""
    links = result.get("upsert_proposition_links")
    line = Text("remembered ", style="green")
    line.append(counted(concepts, "concept")).append(" and ")
    line.append(counted(len(links) if isinstance(links, list) else 0, "link"))
    line.append(f": {result.get('created', 0):,} new, {result.get('updated', 0):,} changed")
    if result.get("dry_run"):
        line.append(" (dry run: nothing is kept)", style="yellow")
    lines = [line]
    skipped = result.get("skipped")
    for one in skipped if isinstance(skipped, list) else ():
        if isinstance(one, Mapping):
            missing = Text("skipped ", style="yellow")
            missing.append(f'("{plain(str(one.get("predicate")))}", ')
            missing.append_text(cell(one.get("target"), {})).append("): not in the memory")
            lines.append(missing)
    return Group(*lines)


def _changed(verb: str, concepts: int, links: int, result: Mapping[str, object]) -> RenderableType:
    """Draw what a DELETE did."""
    parts = [
        counted(number, noun) for number, noun in ((concepts, "concept"), (links, "link")) if number
    ]
    line = _done(verb, " and ".join(parts) or "nothing", result)
    if note := result.get("note"):
        line.append("\n").append(plain(str(note)), style="dim")
    return line


def _done(verb: str, what: str, result: Mapping[str, object]) -> Text:
    line = Text(f"{verb} ", style="green").append(what)
    if result.get("dry_run"):
        line.append(" (dry run: nothing is kept)", style="yellow")
    return line


def _merged(result: Mapping[str, object]) -> str:
    """Return what a MERGE did, in words."""
    parts = (
        ("links_repointed", "link", "moved"),
        ("links_deduplicated", "link", "that others say too"),
        ("attributes_filled", "attribute", "filled"),
    )
    numbers = [(result.get(key), noun, rest) for key, noun, rest in parts]
    told = [f"{counted(n, noun)} {rest}" for n, noun, rest in numbers if isinstance(n, int) and n]
    return ", ".join(["two concepts", *told])


def _exported(capsule: str, result: Mapping[str, object]) -> RenderableType:
    """Draw a capsule as the text it is, and what it holds."""
    numbers = [result.get(key) for key in ("concepts", "propositions")]
    concepts, links = (number if isinstance(number, int) else 0 for number in numbers)
    footer = _footer(f"{counted(concepts, 'concept')} and {counted(links, 'link')}", result)
    return Group(Text(plain(capsule).rstrip("\n"), overflow="fold"), footer)


def facts(members: Mapping[str, object]) -> RenderableType:
    """Return a flat object as two columns: names and values."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for key, value in members.items():
        table.add_row(shown(str(key)), f"{value:,}" if _is_count(value) else cell(value, {}))
    return table


def tree(value: object, names: Names) -> Tree:
    """Return an object or an element as a tree of its parts."""
    if is_concept(value) and isinstance(value, Mapping):
        root = Tree(concept(value), guide_style="dim")
        _grow(root, _content(value), names, _stored)
    elif is_link(value) and isinstance(value, Mapping):
        root = Tree(link(value, names), guide_style="dim")
        _grow(root, _content(value), names, _stored)
    else:
        root = Tree("", guide_style="dim", hide_root=True)
        _grow(root, value, names, _described)
    return root


def _content(element: Mapping[str, object]) -> Mapping[str, object]:
    """Return what an element holds besides its identity; empty parts are left out."""
    parts = {key: element[key] for key in ("attributes", "metadata") if element[key]}
    return {"id": element["id"], **parts}


def _grow(branch: Tree, value: object, names: Names, draw: _Draw) -> None:
    match value:
        case Mapping() as members:
            for key, member in members.items():
                _member(branch, str(key), member, names, draw)
        case list() as items:
            for item in items:
                draw(branch, item, names)
        case _:
            branch.add(cell(value, names))


def _member(branch: Tree, key: str, member: object, names: Names, draw: _Draw) -> None:
    title = Text(one_line(key), "dim")
    match member:
        case str() if member.count("\n") > FEW:
            lines = counted(member.count("\n") + 1, "line")
            branch.add(title.append(f"  {lines}, whole with --json", style="dim italic"))
        case Mapping() | list() if not member:
            branch.add(title.append("  none", style="dim italic"))
        case Mapping() if not _is_element(member):
            _grow(branch.add(title), member, names, draw)
        case list() if _is_long(member):
            _grow(branch.add(title), member, names, draw)
        case _:
            branch.add(Text.assemble(title, "  ", cell(member, names)))


def _described(branch: Tree, item: object, names: Names) -> None:
    """Draw one item of a description's list: what it is called, and the rest beside or below."""
    match item:
        case {"count": int() as count, "types": list() | dict() as types, **rest} if len(rest) == 1:
            (name,) = rest.values()
            branch.add(Text.assemble(_counted_name(str(name), count), "  ", _kinds(types)))
        case {"name": str(), "count": int(), **rest}:
            _grow(branch.add(_listed(item)), rest, names, _described)
        case {"domain": str() as domain, **rest}:
            _grow(branch.add(shown(domain)), rest, names, _described)
        case _:
            _stored(branch, item, names)


def _stored(branch: Tree, item: object, names: Names) -> None:
    """Draw one item of a stored list with every key it has."""
    match item:
        case Mapping() if item and not _is_element(item):
            (key, first), *others = item.items()
            if isinstance(first, Mapping | list) and not _is_element(first):
                _grow(branch.add(Text("·", style="dim")), item, names, _stored)
                return
            _member(branch, str(key), first, names, _stored)
            _grow(branch.children[-1], dict(others), names, _stored)
        case _:
            branch.add(_listed(item))


def _kinds(types: Sequence[object] | Mapping[str, object]) -> Text:
    """Return the kinds of something, each with its count where there are several."""
    if isinstance(types, Mapping):
        types = [{"name": name, "count": count} for name, count in types.items()]
    match types:
        case [{"name": str() as only}]:
            return shown(only)
        case _:
            return _listed(list(types))


def _counted_name(name: str, count: int) -> Text:
    return shown(name).append(f" ({count:,})", style="dim")


def _is_long(items: list[object]) -> bool:
    """Whether a list wants a line for each item."""
    return any(isinstance(item, Mapping) and not _is_element(item) for item in items)


def _listed(value: object) -> Text:
    """Return a value of a description; named parts of a list by their names and counts."""
    match value:
        case list():
            return Text(", ").join(_listed(item) for item in value)
        case {"name": str() as name, "count": int() as count}:
            return _counted_name(name, count)
        case _:
            return cell(value, {})


def counted(number: int, noun: str) -> str:
    """Return `1 row`, `2 rows`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def open_table() -> Table:
    """Return a table without edges, for rows under headings."""
    return Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)


def _is_element(value: object) -> bool:
    return is_concept(value) or is_link(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
