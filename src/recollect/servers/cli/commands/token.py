"""`recollect token`: bearer tokens for a server."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, TokensFile, option
from recollect.servers.cli.usage import noun

app = noun("token", "Make a bearer token for a server.")


@app.verb("new", "json")
def make_token(
    on: Invocation,
    group: Annotated[
        list[str] | None, option("--group", "NAME", "A group it is good for. Repeat it for more.")
    ] = None,
    admin: Annotated[
        bool, option("--admin", "May clear everything; all groups, without any.")
    ] = False,
    name: Annotated[
        str | None, option("--name", "NAME", "Who its bearer is; what it writes says so.")
    ] = None,
    tokens: TokensFile = None,
) -> None:
    """Print a new token once, with the row that a server keeps of it."""
    from recollect.servers.cli.serve import make_token

    make_token(group or [], tokens, name=name, is_admin=admin, as_json=on.as_json)
