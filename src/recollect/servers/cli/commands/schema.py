"""`recollect schema`: what a group declares."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, option
from recollect.servers.cli.usage import noun

app = noun(
    "schema",
    "Show what a group declares, or let it take only that (strict), or everything (open).",
    default="show",
)


@app.verb("show", "db", "group", "json")
def show_schema(on: Invocation) -> None:
    """Show how many types a group declares, and what does not conform to them."""
    from recollect.servers.cli.declare import change_schema

    change_schema(on, None)


@app.verb("strict", "db", "group", "json")
def close_schema(
    on: Invocation,
    force: Annotated[bool, option("--force", "Even if not everything conforms yet.")] = False,
) -> None:
    """Let a group take only what it declares."""
    from recollect.servers.cli.declare import change_schema

    change_schema(on, "strict", force=force)


@app.verb("open", "db", "group", "json")
def open_schema(on: Invocation) -> None:
    """Let a group take everything."""
    from recollect.servers.cli.declare import change_schema

    change_schema(on, "open")
