"""The command that erases elements, or a whole group."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.servers.cli.options import (
    Actor,
    Database,
    GroupName,
    Json,
    KeyName,
    KeyType,
    Parameters,
    RequestId,
)


def erase_elements(
    identifier: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id of a concept or a link.")
    ] = None,
    type: KeyType = None,
    name: KeyName = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="TEXT", help="What this FIND finds.")
    ] = None,
    param: Parameters = None,
    drop_group: Annotated[
        str | None, typer.Option("--drop-group", metavar="NAME", help="A whole group.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would go, and keep everything.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    actor: Actor = None,
    request_id: RequestId = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Erase elements and all links at them, for all times; it cannot be undone."""
    from recollect.model import Found, Key
    from recollect.servers.cli.erase import purge as erase
    from recollect.servers.cli.given import parameters_of_query

    named = [one for one in (identifier, name, query, drop_group) if one is not None]
    if (type is None) != (name is None) or len(named) != 1:
        raise typer.BadParameter("give an ID, --type and --name, --query, or --drop-group")
    if drop_group is not None and (actor is not None or request_id is not None):
        raise typer.BadParameter(
            "a group goes with its log, which would hold --actor and --request-id"
        )
    parameters = parameters_of_query(param, query)
    what: str | Key | Found | None = identifier
    if type is not None and name is not None:
        what = Key(type, name)
    elif query is not None:
        what = Found(query, parameters)
    erase(
        what,
        drop_group,
        db,
        group,
        dry_run=dry_run,
        is_sure=yes,
        actor=actor,
        request_id=request_id,
        as_json=json,
    )
