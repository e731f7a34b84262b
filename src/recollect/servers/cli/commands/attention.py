"""`recollect attention`: what about the claims a person should look at."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.servers.cli.options import Invocation, argument, option
from recollect.servers.cli.usage import noun

app = noun(
    "attention",
    "List what about the claims a person should look at, or put an item aside.",
    default="list",
)

Fingerprint = Annotated[str, argument("FINGERPRINT", "Of the item; as much as tells it apart.")]
AllItems = Annotated[bool, option("--all", "What was put aside, too.")]


@app.verb("list", "actor", "db", "group", "json")
def list_items(on: Invocation, all: AllItems = False) -> None:
    """List the items, the most severe first."""
    from recollect.servers.cli.attention import show_items

    show_items(on, all_items=all)


@app.verb("dismiss", "actor", "db", "group", "json")
def dismiss_item(on: Invocation, fingerprint: Fingerprint, all: AllItems = False) -> None:
    """Put an item aside for good."""
    from recollect.servers.cli.attention import put_aside

    put_aside(on, fingerprint, None, all_items=all)


@app.verb("snooze", "actor", "db", "group", "json")
def snooze_item(
    on: Invocation,
    fingerprint: Fingerprint,
    until: Annotated[str | None, option("--until", "INSTANT", "As 2026-07-01.")] = None,
    all: AllItems = False,
) -> None:
    """Put an item aside until a day."""
    from recollect.servers.cli.attention import put_aside

    if until is None:
        raise typer.BadParameter("attention snooze needs an instant: add --until 2100-01-01")
    put_aside(on, fingerprint, until, all_items=all)
