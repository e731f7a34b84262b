"""Draw an explanation, stage by stage: the query, its steps, the SQL, what running it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pygments.lexer import Lexer
from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text
from rich.tree import Tree

from recollect.servers.cli.cells import cell
from recollect.servers.cli.lexer import KipLexer
from recollect.servers.cli.safe_text import plain, shown

_INDENT = "  "


def is_explanation(result: Mapping[str, object]) -> bool:
    """Whether a result is what EXPLAIN answers."""
    return {"tree", "plan", "engine", "steps"} <= result.keys()


def explanation(result: Mapping[str, object]) -> RenderableType:
    """Return an explanation as Rich prints it; a stage that has nothing to say is left out."""
    return Group(*_stages(result))


def _stages(result: Mapping[str, object]) -> Iterator[RenderableType]:
    yield _stage("query", coloured(str(result["tree"]), KipLexer()))
    yield _stage("plan", *_steps(result["plan"]))
    for name in ("rules", "counts", "parameters"):
        lines = [*_lines(result[name])]
        if lines:
            yield _stage(name, *lines)
    if result["sql"]:
        yield _stage("sql", coloured(str(result["sql"]), "sql"))
        yield _stage("engine", *_steps(result["engine"]))
    took = f"rows: {result['rows']:,} · steps of the engine: {result['steps']:,}"
    yield Text(f"{took} · rows scanned without an index: {result['scanned']:,}", style="dim")


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


def _steps(lines: object) -> Iterator[Tree]:
    """Yield the steps, each with the ones that are indented below it."""
    roots = Tree("")
    above = [roots]
    for line in lines if isinstance(lines, list) else ():
        text = str(line)
        step = text.lstrip(" ")
        depth = min((len(text) - len(step)) // len(_INDENT), len(above) - 1)
        branch = above[depth].add(shown(step))
        del above[depth + 1 :]
        above.append(branch)
    yield from roots.children


def _lines(part: object) -> Iterator[Text]:
    match part:
        case list() as items:
            yield from (shown(str(item)) for item in items)
        case Mapping() as members:
            for name, value in members.items():
                yield Text.assemble(shown(str(name), "dim"), "  ", cell(value, {}))
