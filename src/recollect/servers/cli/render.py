"""Draw an answer: rows as a table, a description as a tree, a report as a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.model import (
    Answer,
    BatchReport,
    Concept,
    DeleteReport,
    Description,
    Explanation,
    Exported,
    Hits,
    Link,
    MergeReport,
    Result,
    Rows,
    UpdateReport,
    UpsertReport,
)
from recollect.servers.cli.cells import (
    FEW,
    brief,
    cell,
    counted,
    counted_list,
    described,
    facts,
    open_table,
)
from recollect.servers.cli.elements import Names, element_cell, element_line, element_tree
from recollect.servers.cli.reasons import explanation
from recollect.servers.cli.safe_text import plain, shown

_DELETED: Mapping[str, str] = {"deleted": "forgot", "updated": "removed keys of"}
"""What a DELETE did, by how its counts begin."""


def drawn(answer: Answer, names: Names, *, has_pages: bool) -> RenderableType:
    """Return an answer as something Rich prints: several results one below the other.

    The cursor of a next page is shown where there are pages; else only that there is more.
    """
    page = _Drawing(names, is_dry_run=answer.is_dry_run, has_pages=has_pages)
    drawings = [page.drawn(one) for one in answer.results]
    if len(drawings) == 1:
        return drawings[0]
    several: list[RenderableType] = []
    for place, one in enumerate(drawings, 1):
        several += (Text(f"{place} of {len(drawings)}", style="dim"), one)
    return Group(*several)


class _Drawing:
    """Draws the results of one answer."""

    def __init__(self, names: Names, *, is_dry_run: bool, has_pages: bool) -> None:
        self._names = names
        self._is_dry_run = is_dry_run
        self._has_pages = has_pages

    def drawn(self, result: Result) -> RenderableType:
        """Return a result as something Rich prints."""
        match result:
            case Rows():
                return self._rows(result)
            case Hits():
                return self._hits(result)
            case Description(body={"items": list() as items}):
                return self._items(items, result.body.get("next_cursor"))
            case Description(body=body):
                return described(body)
            case Explanation():
                return explanation(result)
            case Exported():
                held = f"{counted(result.concepts, 'concept')} and {counted(result.links, 'link')}"
                capsule = Text(plain(result.capsule).rstrip("\n"), overflow="fold")
                return Group(capsule, self._footer(held, result.next_cursor))
            case UpsertReport():
                return self._upserted(result)
            case UpdateReport():
                matched = counted(result.matched, "element")
                return self._done("changed", f"{result.updated:,} of {matched}")
            case MergeReport():
                return self._done("merged", _merged(result))
            case DeleteReport():
                return self._deleted(result)
            case BatchReport():
                told = {"created": result.created, "updated": result.updated}
                return facts({**told, "closed": result.closed})
            case _:
                assert_never(result)

    def _rows(self, found: Rows) -> RenderableType:
        footer = self._footer(counted(len(found.rows), "row"), found.next_cursor)
        if not found.rows:
            return Text("no rows", style="dim")
        first = [row[0] for row in found.rows]
        elements = [one for one in first if isinstance(one, Concept | Link)]
        if len(found.columns) == 1 and len(elements) == len(first) <= FEW:
            return Group(*(element_tree(one, self._names) for one in elements), footer)
        columns = list(zip(*found.rows, strict=True))
        table = open_table()
        for name, values in zip(found.columns, columns, strict=True):
            _add_column(table, name, values)
        for row in found.rows:
            table.add_row(*(element_cell(value, self._names) for value in row))
        return Group(table, footer)

    def _hits(self, found: Hits) -> RenderableType:
        if not found.hits:
            return Text("nothing found", style="dim")
        table = open_table()
        table.add_column("score", justify="right")
        table.add_column("found", overflow="fold")
        table.add_column("attributes", overflow="fold")
        for hit in found.hits:
            line = element_line(hit.element, self._names)
            if hit.standing:
                line.append(f"  {hit.standing}", style="yellow")
            table.add_row(f"{hit.score:.2f}", line, brief(hit.element.attributes))
        return Group(table, self._footer(counted(len(found.hits), "hit"), found.next_cursor))

    def _items(self, items: Sequence[object], next_cursor: object) -> RenderableType:
        if not items:
            return Text("nothing yet", style="dim")
        rows = [item for item in items if isinstance(item, Mapping)]
        columns = list(dict.fromkeys(str(key) for row in rows for key in row))
        table = open_table()
        for column in columns:
            _add_column(table, column, [row.get(column) for row in rows])
        for row in rows:
            table.add_row(*(counted_list(row.get(column)) for column in columns))
        return Group(table, self._footer(counted(len(rows), "item"), next_cursor))

    def _footer(self, counts: str, next_cursor: object) -> Text:
        """Return the line under a page: how much it holds, and what leads to the next one."""
        footer = Text(counts, style="dim")
        match next_cursor:
            case str() if self._has_pages:
                footer.append(f'; the next page: CURSOR "{plain(next_cursor)}"')
            case str():
                footer.append("; there are more")
        return footer

    def _upserted(self, report: UpsertReport) -> RenderableType:
        """Draw what an UPSERT did, and what it had to leave out."""
        line = Text("remembered ", style="green").append(counted(len(report.concepts), "concept"))
        line.append(" and ").append(counted(len(report.links), "link"))
        line.append(f": {report.created:,} new, {report.updated:,} changed")
        lines = [self._rehearsed(line)]
        for one in report.skipped:
            missing = Text("skipped ", style="yellow").append(f'("{plain(one.predicate)}", ')
            lines.append(missing.append_text(cell(one.target)).append("): not in the memory"))
        return Group(*lines)

    def _deleted(self, report: DeleteReport) -> Text:
        """Draw what a DELETE did."""
        verb = _DELETED[next(iter(report.counts), "deleted").partition("_")[0]]
        nouns = (("concepts", "concept"), ("propositions", "link"))
        numbers = ((_ended(report.counts, ending), noun) for ending, noun in nouns)
        parts = [counted(number, noun) for number, noun in numbers if number]
        line = self._done(verb, " and ".join(parts) or "nothing")
        return line.append("\n").append(plain(report.note), style="dim") if report.note else line

    def _done(self, verb: str, what: str) -> Text:
        return self._rehearsed(Text(f"{verb} ", style="green").append(what))

    def _rehearsed(self, line: Text) -> Text:
        if self._is_dry_run:
            line.append(" (dry run: nothing is kept)", style="yellow")
        return line


def _add_column(table: Table, name: str, values: Iterable[object]) -> None:
    """Add a column; numbers alone stand one below the other."""
    are_numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    table.add_column(shown(name), justify="right" if are_numbers else "left", overflow="fold")


def _ended(counts: Mapping[str, int], ending: str) -> int:
    return sum(number for name, number in counts.items() if name.endswith(ending))


def _merged(report: MergeReport) -> str:
    """Return what a MERGE did, in words."""
    parts = (
        (report.links_repointed, "link", "moved"),
        (report.links_deduplicated, "link", "that others say too"),
        (report.attributes_filled, "attribute", "filled"),
    )
    told = [f"{counted(number, noun)} {rest}" for number, noun, rest in parts if number]
    return ", ".join(["two concepts", *told])
