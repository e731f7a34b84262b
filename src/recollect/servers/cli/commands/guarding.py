"""What guards a memory: the nouns `audit`, `token` and `database`."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, TokensFile, option
from recollect.servers.cli.usage import noun

audit = noun(
    "audit",
    "Check that nothing was changed behind the log's back, and print its head.",
    default="verify",
)


@audit.verb("verify", "db", "group", "json")
def verify_log(
    on: Invocation,
    head: Annotated[str | None, option("--head", "HEAD", "What an earlier audit printed.")] = None,
) -> None:
    """Compute the log again and print its head; exit with 1 when something was changed."""
    from recollect.servers.cli.care import verify_log

    verify_log(on, head)


token = noun("token", "Make a bearer token for a server.")


@token.verb("new", "json")
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


database = noun("database", "Print the roles of a memory on a server, or spread it over machines.")


@database.verb("roles", "db")
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


@database.verb("distribute", "db", "json")
def distribute(on: Invocation) -> None:
    """Spread the groups of a memory over the machines of Citus; twice is once."""
    from recollect.servers.cli.care import distribute

    distribute(on)
