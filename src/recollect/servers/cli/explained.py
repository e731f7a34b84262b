"""Draw an explanation, stage by stage: the query, its steps, the SQL, what running it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pygments.lexer import Lexer
from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text
from rich.tree import Tree

from recollect.model import Explanation
from recollect.servers.cli.cells import cell
from recollect.servers.cli.lexer import KipLexer
from recollect.servers.cli.safe_text import plain, shown

_INDENT = "  "


def explanation(found: Explanation) -> RenderableType:
    """Return an explanation as Rich prints it; a stage that has nothing to say is left out."""
    return Group(*_stages(found))


def _stages(found: Explanation) -> Iterator[RenderableType]:
    yield _stage("query", coloured(found.tree, KipLexer()))
    yield _stage("plan", *_steps(found.plan))
    if found.rules:
        yield _stage("rules", *map(shown, found.rules))
    for name, members in (("counts", found.counts), ("parameters", found.parameters)):
        if members:
            yield _stage(name, *_lines(members))
    if found.sql:
        yield _stage("sql", coloured(found.sql, "sql"))
        yield _stage("engine", *_steps(found.engine))
    took = f"rows: {found.rows:,}"
    if found.steps is not None:
        took += f" · steps of the engine: {found.steps:,}"
        took += f" · rows scanned without an index: {found.scanned:,}"
    yield Text(took, style="dim")


def coloured(text: str, lexer: Lexer | str) -> Text:
    """Return code in the colours of its language, on the terminal's own background."""
    style = Syntax("", lexer, theme="ansi_dark", background_color="default")
    drawn = style.highlight(plain(text))
    drawn.rstrip()
    return drawn


def _stage(name: str, *parts: RenderableType) -> Tree:
    branch = Tree(Text(name, style="bold"), guide_style="dim")
    for part in parts:
        branch.add(part)
    return branch


def _steps(lines: Iterable[str]) -> Iterator[Tree]:
    """Yield the steps, each with the ones that are indented below it."""
    roots = Tree("")
    above = [roots]
    for text in lines:
        step = text.lstrip(" ")
        depth = min((len(text) - len(step)) // len(_INDENT), len(above) - 1)
        branch = above[depth].add(shown(step))
        del above[depth + 1 :]
        above.append(branch)
    yield from roots.children


def _lines(members: Mapping[str, object]) -> Iterator[Text]:
    for name, value in members.items():
        yield Text.assemble(shown(name, "dim"), "  ", cell(value))
