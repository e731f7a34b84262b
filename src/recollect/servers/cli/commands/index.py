"""`recollect index`: the attributes that queries find by value."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, argument
from recollect.servers.cli.usage import noun

app = noun(
    "index", "List the attributes that queries find by value, add one or drop one.", default="list"
)

Attribute = Annotated[
    str, argument("TYPE.ATTRIBUTE", "Such as Drug.risk_level, or 'Drug.\"half life\"'.")
]


@app.verb("list", "db", "group", "json")
def list_indexes(on: Invocation) -> None:
    """List the attributes that have an index."""
    from recollect.servers.cli.declare import list_indexes

    list_indexes(on)


@app.verb("add", "db", "group", "json")
def add_index(on: Invocation, name: Attribute) -> None:
    """Let queries find an attribute of a type by its value."""
    from recollect.servers.cli.declare import add_index

    add_index(on, name)


@app.verb("drop", "db", "group", "json")
def drop_index(on: Invocation, name: Attribute) -> None:
    """Drop the index of an attribute; what it says stays."""
    from recollect.servers.cli.declare import drop_index

    drop_index(on, name)
