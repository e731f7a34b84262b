"""The commands about what the memory once held: history and changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from recollect.faces.beginnings import any_id
from recollect.faces.kip.changes import instant_text, logged_json, transaction_json, what_json
from recollect.kernel import read_as_of
from recollect.model import (
    REPLACED_BY,
    Attributes,
    Content,
    Instant,
    Key,
    Life,
    LoggedTransaction,
    Operation,
    Transaction,
    Triple,
    Version,
    bounded,
)
from recollect.servers.cli.cells import cell, counted, open_table
from recollect.servers.cli.elements import Names, end, label, link_line
from recollect.servers.cli.naming import named_in
from recollect.servers.cli.opening import opened_to_read, warn_of_question
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import output
from recollect.servers.cli.safe_text import plain, shown

COLOURS: Mapping[Operation, str] = {
    Operation.CREATE: "green",
    Operation.UPDATE: "yellow",
    Operation.CLOSE: "red",
    Operation.PURGE: "magenta",
}


def tell_history(on: Invocation, element: str | Key) -> None:
    """Show the lives of an element, step by step."""
    with output(on) as out, opened_to_read(out, on) as nexus:
        moment = read_as_of(on.as_of)
        if isinstance(element, str):
            element = any_id(nexus, element)
        lives = nexus.history(element, as_of=moment)
        warn_of_question(out, nexus, None, moment)
        if out.give_json({"lives": [_life_json(one, nexus.now()) for one in lives]}):
            return
        names, at = named_in(nexus, [(life.id, life.what) for life in lives]), nexus.now()
        out.show(Group(*(_life(life, names, at) for life in lives)))
        if not lives:
            out.say("nothing was known of it then", "dim")


def tell_changes(on: Invocation, since: int, limit: int) -> None:
    """Show what transactions did, oldest first."""
    with output(on) as out, opened_to_read(out, on) as nexus:
        log = nexus.changes(since, limit)
        if out.give_json({"transactions": [logged_json(one) for one in log]}):
            return
        names = named_in(nexus, [(it.id, it.what) for one in log for it in one.changes])
        if log:
            out.show(_log(log, names))
        out.say(counted(len(log), "transaction"), "dim")
        if log and len(log) == limit:
            out.advise(f"go on with: recollect changes --since {log[-1].transaction.number}")


def fact_clock(content: Content) -> Attributes:
    """Return the bounds of a content's fact clock that are set."""
    bounds = {"valid_at": content.valid_at, "invalid_at": content.invalid_at}
    return {name: instant_text(at) for name, at in bounds.items() if at is not None}


def _named(what: Key | Triple | None, identifier: str, names: Names) -> Text:
    """Return what an element is called; what was purged has only an id."""
    match what:
        case Key():
            return end(identifier, names) if identifier in names else label(what.type, what.name)
        case Triple():
            return link_line(what, names)
        case _:
            return shown(identifier, "dim").append(" (purged)", style="magenta")


def _standing(life: Life, at: Instant) -> str:
    """Return in words why what was told last is not so at an instant; nothing if it is."""
    last = life.versions[-1]
    if last.after is not None:
        return bounded(last.after.valid_at, last.after.invalid_at, at)
    told = last.before
    was_replaced = told is not None and REPLACED_BY in told.metadata
    day = instant_text(last.since.at).partition("T")[0]
    return f"{'corrected' if was_replaced else 'withdrawn'} {day}"


def _life(life: Life, names: Names, at: Instant) -> Tree:
    title = _named(life.what, life.id, names).append("  ").append_text(shown(life.id, "dim"))
    if standing := _standing(life, at):
        title.append(f"  {standing}", style="yellow")
    root = Tree(title, guide_style="dim")
    for version in life.versions:
        branch = root.add(_step(version))
        for line in _differences(version):
            branch.add(line)
    return root


def _step(version: Version) -> Text:
    line = Text(f"{version.number} ", style="bold")
    line.append(version.operation.value, style=COLOURS[version.operation])
    return line.append("  ").append_text(_when(version.since))


def _when(transaction: Transaction) -> Text:
    line = Text(f"#{transaction.number} ").append(instant_text(transaction.at), style="dim")
    if transaction.actor is not None:
        line.append(" by ").append(plain(transaction.actor), style="cyan")
    if transaction.request_id is not None:
        line.append(f" ({plain(transaction.request_id)})", style="dim")
    return line


def _differences(version: Version) -> Iterator[Text]:
    """Yield a line for each member that the step made, changed or took away."""
    if version.after is None:
        return
    before, after = _members(version.before), _members(version.after)
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if old == new and key in before and key in after:
            continue
        line = shown(f"{key}  ", "dim")
        if key in before:
            line.append_text(cell(old)).append(" → ", style="dim")
        yield line.append_text(cell(new) if key in after else Text("removed", style="red"))


def _members(content: Content | None) -> Attributes:
    """Return all that a content says in one object; metadata and the clock by longer names."""
    if content is None:
        return {}
    noted = {f"metadata.{key}": value for key, value in content.metadata.items()}
    return {**content.attributes, **noted, **fact_clock(content)}


def _log(log: tuple[LoggedTransaction, ...], names: Names) -> RenderableType:
    """Return a row for each change; requests have a column if any transaction names one."""
    has_requests = any(one.transaction.request_id is not None for one in log)
    table = open_table()
    table.add_column("#", justify="right")
    for column in ("at", "actor", *(["request"] if has_requests else []), "change", "element"):
        table.add_column(column, overflow="fold")
    for logged in log:
        one = logged.transaction
        left = [Text(str(one.number)), Text(instant_text(one.at)), shown(one.actor or "", "cyan")]
        if has_requests:
            left.append(shown(one.request_id or "", "dim"))
        for change in logged.changes:
            operation = Text(change.operation.value, style=COLOURS[change.operation])
            table.add_row(*left, operation, _named(change.what, change.id, names))
            left = [Text("")] * len(left)
    return table


def _life_json(life: Life, at: Instant) -> dict[str, object]:
    """Return a life as JSON; one that is not so at an instant says why."""
    versions = [_version_json(one) for one in life.versions]
    standing = _standing(life, at)
    told: dict[str, object] = {"standing": standing} if standing else {}
    return {"id": life.id, **what_json(life.what), **told, "versions": versions}


def _version_json(version: Version) -> dict[str, object]:
    return {
        "version": version.number,
        "operation": version.operation.value,
        "since": transaction_json(version.since),
        "until": None if version.until is None else transaction_json(version.until),
        "before": None if version.before is None else _content_json(version.before),
        "after": None if version.after is None else _content_json(version.after),
    }


def _content_json(content: Content) -> Mapping[str, object]:
    clock = fact_clock(content)
    return {
        "attributes": content.attributes,
        "metadata": content.metadata,
        "valid_at": clock.get("valid_at"),
        "invalid_at": clock.get("invalid_at"),
    }
