"""What the command about the attention queue does."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from recollect.faces.claims import AttentionItem, NexusKnowledgeStore
from recollect.kernel import instant
from recollect.servers.cli.beginnings import only
from recollect.servers.cli.claims import Asked, headed, time_text
from recollect.servers.cli.output import output
from recollect.servers.cli.safe_text import one_line, shown


def attend(asked: Asked, fingerprint: str | None, until: str | None, *, all_items: bool) -> None:
    """List the items of the queue, after putting one aside."""
    with output(as_json=asked.as_json) as out:

        async def work(store: NexusKnowledgeStore) -> list[AttentionItem]:
            nonlocal fingerprint
            if fingerprint is not None:
                known = await store.attention(aside=True)
                fingerprint = only(fingerprint, (one.fingerprint for one in known))
                if until is not None:
                    await store.snooze(fingerprint, _seconds(until))
                else:
                    await store.dismiss(fingerprint)
            return await store.attention(aside=all_items)

        items = asked.of(out, work)
        if fingerprint is not None:
            done = "dismissed" if until is None else f"snoozed until {time_text(_seconds(until))}"
            out.say(f"{done}: {one_line(fingerprint)}")
        if out.as_json:
            out.json({"result": {"items": [asdict(one) for one in items]}})
        elif items:
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
