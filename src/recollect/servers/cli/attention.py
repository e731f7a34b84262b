"""What the commands about the attention queue do."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from recollect.faces.beginnings import only
from recollect.faces.claims import AttentionItem, NexusKnowledgeStore
from recollect.kernel import instant
from recollect.servers.cli.claims import ask_claims, headed, time_text
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.safe_text import one_line, shown


def show_items(on: Invocation, *, all_items: bool) -> None:
    """List the items of the queue."""
    with output(on) as out:
        _show(out, ask_claims(on, out, lambda store: store.attention(aside=all_items)))


def put_aside(on: Invocation, beginning: str, until: str | None, *, all_items: bool) -> None:
    """Put the item whose fingerprint begins so aside, and list the items that are left."""
    with output(on) as out:

        async def work(store: NexusKnowledgeStore) -> tuple[str, list[AttentionItem]]:
            known = await store.attention(aside=True)
            fingerprint = only(beginning, (one.fingerprint for one in known))
            if until is None:
                await store.dismiss(fingerprint)
            else:
                await store.snooze(fingerprint, _seconds(until))
            return fingerprint, await store.attention(aside=all_items)

        fingerprint, items = ask_claims(on, out, work)
        done = "dismissed" if until is None else f"snoozed until {time_text(_seconds(until))}"
        out.say(f"{done}: {one_line(fingerprint)}")
        if fingerprint.startswith("rejection:"):
            out.advise("recollect forget 'WHAT IT SAID' --how erase", "to erase its words: ")
        _show(out, items)


def _show(out: Output, items: list[AttentionItem]) -> None:
    out.give_json({"items": [asdict(one) for one in items]})
    if items:
        out.show(_table(items))
    else:
        out.say("nothing asks for attention", "dim")


def _seconds(text: str) -> float:
    """Return the seconds since 1970 of an instant in ISO 8601."""
    return instant(text) / 1_000


def _table(items: list[AttentionItem]) -> Table:
    table = headed("severity", "what", "reason", "do", "fingerprint")
    for one in items:
        table.add_row(
            Text(one.severity, "yellow" if one.severity == "warning" else "cyan"),
            shown(one.text),
            shown(f"{one.reason} · {one.code}"),
            one.actions[0],
            shown(one.fingerprint),
        )
    return table
