"""`recollect database`: what is done about a memory on a server, beside what is in it."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, option
from recollect.servers.cli.usage import noun

app = noun("database", "Print the roles of a memory on a server, or spread it over machines.")


@app.verb("roles", "db")
def print_roles(
    on: Invocation,
    owner: Annotated[
        str, option("--owner", "ROLE", "Who has the tables and sees all groups.")
    ] = "recollect_owner",
    user: Annotated[
        str, option("--user", "ROLE", "Who sees one group at a time.")
    ] = "recollect_user",
) -> None:
    """Print the SQL that makes two roles and the wall between groups; psql runs it."""
    from recollect.servers.cli.care import print_roles

    print_roles(on, owner, user)


@app.verb("distribute", "db", "json")
def distribute(on: Invocation) -> None:
    """Spread the groups of a memory over the machines of Citus; twice is once."""
    from recollect.servers.cli.care import distribute

    distribute(on)
