"""The commands about what a memory declares, the capsules it begins with, and whose it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from recollect.servers.cli.options import Actor, Database, GroupName, Json, RequestId


class SchemaAction(StrEnum):
    """What `schema` does."""

    SHOW = "show"
    STRICT = "strict"
    OPEN = "open"


class CapsuleAction(StrEnum):
    """What `capsule` does."""

    LIST = "list"
    SHOW = "show"
    LOAD = "load"


def change_schema(
    action: Annotated[
        SchemaAction, typer.Argument(metavar="ACTION", help="show, strict or open.")
    ] = SchemaAction.SHOW,
    force: Annotated[
        bool,
        typer.Option("--force", help="With strict: though not everything conforms."),
    ] = False,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show what a group declares, or let it take only that (strict), or everything (open)."""
    from recollect.servers.cli.schema import change

    if force and action is not SchemaAction.STRICT:
        raise typer.BadParameter("--force is for: recollect schema strict")
    match action:
        case SchemaAction.SHOW:
            change(None, db, group, force=False, as_json=json)
        case SchemaAction.STRICT:
            change("strict", db, group, force=force, as_json=json)
        case SchemaAction.OPEN:
            change("open", db, group, force=False, as_json=json)


def use_capsules(
    action: Annotated[
        CapsuleAction, typer.Argument(metavar="ACTION", help="list, show or load.")
    ] = CapsuleAction.LIST,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Such as core or memory.")
    ] = None,
    actor: Actor = None,
    request_id: RequestId = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """List the capsules that come with Recollect, show one, or load some into a memory."""
    from recollect.servers.cli import starters

    given = names or []
    if (action is CapsuleAction.LIST) != (not given):
        problem = "takes no name" if given else "needs a name, such as core"
        raise typer.BadParameter(f"capsule {action.value} {problem}")
    if action is CapsuleAction.LOAD:
        starters.load(given, db, group, actor, request_id, as_json=json)
    elif action is CapsuleAction.SHOW:
        starters.show(given, as_json=json)
    else:
        starters.list_all(as_json=json)


def identify(
    role: Annotated[
        str | None, typer.Option("--role", metavar="TEXT", help="What the agent is.")
    ] = None,
    objective: Annotated[
        list[str] | None,
        typer.Option("--objective", metavar="TEXT", help="What it wants. Repeat it for more."),
    ] = None,
    capability: Annotated[
        list[str] | None,
        typer.Option("--capability", metavar="TEXT", help="What it can do. Repeat it for more."),
    ] = None,
    actor: Actor = None,
    request_id: RequestId = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show who the agent is, or tell it: DESCRIBE PRIMER begins with it."""
    from recollect.servers.cli.identity import identify as tell

    tell(role, objective or None, capability or None, db, group, actor, request_id, as_json=json)
