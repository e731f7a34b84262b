"""The commands that tell how and why: explain, drawn stage by stage, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pygments.lexer import Lexer
from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text
from rich.tree import Tree

from recollect.faces.kip.changes import instant_text, transaction_json
from recollect.faces.kip.response import cell_object, element_object, explanation_object
from recollect.kernel import read_as_of
from recollect.model import (
    Content,
    Explanation,
    Ground,
    Instant,
    Link,
    Transaction,
    Value,
    Why,
    bounded,
)
from recollect.servers.cli.cells import cell, counted
from recollect.servers.cli.elements import Names, element_cell, element_line
from recollect.servers.cli.given import parameters_of, whole_text
from recollect.servers.cli.lexer import KipLexer
from recollect.servers.cli.naming import names_of_ends
from recollect.servers.cli.opening import opened_to_read
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.past import fact_clock
from recollect.servers.cli.safe_text import one_line, plain, shown

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


def tell_how(on: Invocation, text: str) -> None:
    """Show how a query is answered."""
    with output(on, takes_parameters=True) as out:
        whole, parameters = whole_text(text), parameters_of(on.param)
        with opened_to_read(out, on) as nexus:
            found = nexus.explain(whole, parameters, as_of=read_as_of(on.as_of))
            out.warn_of(found.notices)
            if not out.give_json(explanation_object(found)):
                out.show(explanation(found))


def tell_why(on: Invocation, text: str, row: int) -> None:
    """Show what a row of an answer stands on; rows count from 1, as people count."""
    with output(on, takes_parameters=True) as out:
        whole, parameters = whole_text(text), parameters_of(on.param)
        with opened_to_read(out, on) as nexus:
            found = nexus.why(whole, row - 1, parameters, as_of=read_as_of(on.as_of))
            out.warn_of(found.notices)
            at = nexus.now()
            if out.give_json(why_json(found, at)):
                return
            elements = [one.element for one in found.grounds]
            links = [one for one in (*elements, *found.row) if isinstance(one, Link)]
            _show(out, found, names_of_ends(nexus, links, read_as_of(on.as_of)), at)


def why_json(why: Why, at: Instant) -> dict[str, object]:
    """Return the grounds of a row as JSON; what is not true at an instant says why."""
    return {
        "columns": list(why.columns),
        "row": [cell_object(one) for one in why.row],
        "solutions": why.solutions,
        "grounds": [_ground_json(one, at) for one in why.grounds],
        "omitted": why.omitted,
    }


def _ground_json(ground: Ground, at: Instant) -> dict[str, object]:
    clock = _clock(ground)
    standing = bounded(ground.valid_at, ground.invalid_at, at)
    told: dict[str, object] = {"standing": standing} if standing else {}
    return told | {
        "variables": list(ground.names),
        "element": element_object(ground.element),
        "version": ground.version,
        "created": transaction_json(ground.created),
        "written": transaction_json(ground.written),
        "valid_at": clock.get("valid_at"),
        "invalid_at": clock.get("invalid_at"),
    }


def _clock(ground: Ground) -> Mapping[str, Value]:
    return fact_clock(Content({}, {}, ground.valid_at, ground.invalid_at))


def _show(out: Output, why: Why, names: Names, at: Instant) -> None:
    """Print the row, and below it each element with where it comes from."""
    pairs = zip(why.columns, why.row, strict=True)
    parts = [
        Text.assemble(shown(f"{name} ", "dim"), element_cell(value, names)) for name, value in pairs
    ]
    root = Tree(Text("  ").join(parts), guide_style="dim")
    for ground in why.grounds:
        branch = root.add(_title(ground, names, at))
        for line in _origin(ground):
            branch.add(line)
    out.show(root)
    if why.solutions > 1:
        out.say(f"WHERE comes to this row in {why.solutions:,} ways", "dim")
    if why.omitted:
        out.say(f"and {counted(why.omitted, 'more element')}", "dim")


def _title(ground: Ground, names: Names, at: Instant) -> Text:
    title = element_line(ground.element, names)
    standing = bounded(ground.valid_at, ground.invalid_at, at)
    if standing:
        title.append(f"  {standing}", style="yellow")
    variables = ", ".join(f"?{name}" for name in ground.names)
    return title.append(f"  {variables}", style="magenta") if variables else title


def _origin(ground: Ground) -> Iterator[Text]:
    """Yield where an element comes from: what its metadata says, when it is true, who wrote it."""
    for key, value in {**ground.element.metadata, **_clock(ground)}.items():
        yield Text.assemble(shown(f"{key}  ", "dim"), cell(value))
    yield _written(f"version {ground.version}", ground.written)
    if ground.created != ground.written:
        yield _written("created", ground.created)
    yield Text.assemble(("id  ", "dim"), shown(ground.element.id, "dim"))


def _written(what: str, transaction: Transaction) -> Text:
    line = Text(f"{what}  ", style="dim")
    line.append(instant_text(transaction.at), style="")
    line.append(f" #{transaction.number}")
    if transaction.actor is not None:
        line.append(" by ").append(one_line(transaction.actor), style="cyan")
    if transaction.request_id is not None:
        line.append(f" ({one_line(transaction.request_id)})")
    return line
