"""What a group declares: the nouns `schema`, `index` and `capsule`."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, argument, option
from recollect.servers.cli.usage import noun

schema = noun(
    "schema",
    "Show what a group declares, or let it take only that (strict), or everything (open).",
    default="show",
)


@schema.verb("show", "db", "group", "json")
def show_schema(on: Invocation) -> None:
    """Show how many types a group declares, and what does not conform to them."""
    from recollect.servers.cli.declare import change_schema

    change_schema(on, None)


@schema.verb("strict", "db", "group", "json")
def close_schema(
    on: Invocation,
    force: Annotated[bool, option("--force", "Even if not everything conforms yet.")] = False,
) -> None:
    """Let a group take only what it declares."""
    from recollect.servers.cli.declare import change_schema

    change_schema(on, "strict", force=force)


@schema.verb("open", "db", "group", "json")
def open_schema(on: Invocation) -> None:
    """Let a group take everything."""
    from recollect.servers.cli.declare import change_schema

    change_schema(on, "open")


index = noun(
    "index", "List the attributes that queries find by value, add one or drop one.", default="list"
)

Attribute = Annotated[
    str, argument("TYPE.ATTRIBUTE", "Such as Drug.risk_level, or 'Drug.\"half life\"'.")
]


@index.verb("list", "db", "group", "json")
def list_indexes(on: Invocation) -> None:
    """List the attributes that have an index."""
    from recollect.servers.cli.declare import list_indexes

    list_indexes(on)


@index.verb("add", "db", "group", "json")
def add_index(on: Invocation, name: Attribute) -> None:
    """Let queries find an attribute of a type by its value."""
    from recollect.servers.cli.declare import add_index

    add_index(on, name)


@index.verb("drop", "db", "group", "json")
def drop_index(on: Invocation, name: Attribute) -> None:
    """Drop the index of an attribute; what it says stays."""
    from recollect.servers.cli.declare import drop_index

    drop_index(on, name)


capsule = noun(
    "capsule",
    "List the capsules that come with Recollect, show one, or load some.",
    default="list",
)

Names = Annotated[list[str], argument("NAME...", "Such as core or memory.")]


@capsule.verb("list", "db", "group", "json")
def list_capsules(on: Invocation) -> None:
    """List the capsules there are, and what each is about."""
    from recollect.servers.cli.declare import list_capsules

    list_capsules(on)


@capsule.verb("show", "db", "group", "json")
def show_capsules(on: Invocation, names: Names) -> None:
    """Print the texts of capsules."""
    from recollect.servers.cli.declare import show_capsules

    show_capsules(on, names)


@capsule.verb("load", "actor", "request_id", "db", "group", "json")
def load_capsules(on: Invocation, names: Names) -> None:
    """Load capsules into a memory, which is created if it is not there."""
    from recollect.servers.cli.declare import load_starters

    load_starters(on, names)
