"""The command that erases: what goes is shown first, and a person is asked."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial

import typer

from recollect.errors import refused
from recollect.model import Found, Key, Receipt
from recollect.node import replace
from recollect.servers.cli.cells import counted
from recollect.servers.cli.given import parameters_of_query
from recollect.servers.cli.opening import opened, warn_of_absent_group, warn_of_question
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.wanted import Erased
from recollect.servers.settings import Settings

SHOWN = 20
"""So many ids of a receipt are shown to people; `--json` has them all."""


def erase(on: Invocation, what: Erased, *, dry_run: bool, is_sure: bool) -> None:
    """Erase elements, or a group with its log, once somebody is sure; then show the receipt."""
    named = _named(on, what)
    with output(on) as out, opened(on) as nexus:
        out.if_stopped = "nothing is erased"
        if what.drop_group is None:
            warn_of_absent_group(out, nexus)
            actor = Settings().actor(on.actor)
            erased = partial(nexus.purge, named, actor=actor, request_id=on.request_id)
        else:
            erased = partial(nexus.drop_group, what.drop_group)
        told = erased(dry_run=True)
        if isinstance(named, Found):
            warn_of_question(out, nexus, named, None)
        if dry_run:
            _show(out, told)
            return
        if not told.ids and what.drop_group is None:
            _show(out, replace(told, is_dry_run=False, is_complete=True))
            return
        if not is_sure and not _is_confirmed(out, told):
            out.say("nothing is erased")
            return
        out.if_stopped = "all of it is erased, or nothing; run it again to be sure"
        with out.progress(is_counted=False) as progress:
            progress.add_task("erasing", total=None)
            receipt = erased(dry_run=False)
        out.if_stopped = "all of it is erased; only the receipt is missing"
        _show(out, receipt)


def rewrite(on: Invocation) -> None:
    """Make a memory anew without what was removed, and say whether all of it went."""
    with output(on) as out, opened(on) as nexus:
        obstacle = nexus.rewrite()
        out.give_json({"is_complete": obstacle is None, "note": obstacle})
        if obstacle is None:
            out.say("made anew, without what was removed", "green")
        else:
            out.say(f"not all that was removed is gone: {obstacle}; try it again then", "yellow")


def _named(on: Invocation, what: Erased) -> str | Key | Found:
    """Return the elements that are meant; parameters without a query are refused."""
    parameters = parameters_of_query(on.param, what.query)
    if what.type is not None and what.name is not None:
        return Key(what.type, what.name)
    return what.id or "" if what.query is None else Found(what.query, parameters)


def _is_confirmed(out: Output, told: Receipt) -> bool:
    """Ask on the terminal; without one, only `--yes` confirms."""
    if not sys.stdin.isatty():
        raise refused(
            "an erasure cannot be undone, and there is no terminal to ask on",
            "look with --dry-run, then add --yes",
        )
    out.err.print(summary_of(told), soft_wrap=True)
    return typer.confirm("Erase this for good?", err=True)


def _show(out: Output, receipt: Receipt) -> None:
    is_complete = None if receipt.is_dry_run else receipt.is_complete
    if out.give_json({**asdict(receipt), "is_complete": is_complete}):
        return
    out.say(summary_of(receipt), "yellow" if receipt.is_dry_run else "green")
    for identifier in receipt.ids[:SHOWN]:
        out.say(f"  {identifier}", "dim")
    if len(receipt.ids) > SHOWN:
        out.say(f"  and {len(receipt.ids) - SHOWN:,} more; all with --json", "dim")
    if receipt.ids:
        out.say(receipt.note, "dim" if receipt.is_complete or receipt.is_dry_run else "yellow")


def summary_of(receipt: Receipt) -> str:
    """Return one line that counts what goes or went."""
    if not receipt.ids and receipt.transaction is None and not receipt.terms:
        return f"nothing to erase in the group {receipt.group}"
    counts = (
        counted(receipt.concepts, "concept"),
        counted(receipt.links, "link"),
        counted(receipt.past_contents, "past content"),
        counted(receipt.texts, "search text"),
        *([counted(receipt.vectors, "vector")] if receipt.vectors else []),
        counted(receipt.terms, "term"),
    )
    verb = "would erase" if receipt.is_dry_run else "erased"
    number = "" if receipt.transaction is None else f" (transaction {receipt.transaction})"
    return f"{verb} from the group {receipt.group}: {', '.join(counts)}{number}"
