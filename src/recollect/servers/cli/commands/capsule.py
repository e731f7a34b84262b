"""`recollect capsule`: the capsules that come with Recollect."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, argument
from recollect.servers.cli.usage import noun

app = noun(
    "capsule",
    "List the capsules that come with Recollect, show one, or load some into a memory.",
    default="list",
)

Names = Annotated[list[str], argument("NAME...", "Such as core or memory.")]


@app.verb("list", "db", "group", "json")
def list_capsules(on: Invocation) -> None:
    """List the capsules there are, and what each is about."""
    from recollect.servers.cli.declare import list_capsules

    list_capsules(on)


@app.verb("show", "db", "group", "json")
def show_capsules(on: Invocation, names: Names) -> None:
    """Print the texts of capsules."""
    from recollect.servers.cli.declare import show_capsules

    show_capsules(on, names)


@app.verb("load", "actor", "request_id", "db", "group", "json")
def load_capsules(on: Invocation, names: Names) -> None:
    """Load capsules into a memory, which is created if it is not there."""
    from recollect.servers.cli.declare import load_starters

    load_starters(on, names)
