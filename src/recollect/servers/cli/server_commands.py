"""The commands about serving a memory to others."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli.options import Database, FunctionsPlace, Json, Place

TokensFile = Annotated[
    Path | None,
    typer.Option("--tokens", metavar="FILE", help="The file of the tokens' hashes."),
]

Functional = Annotated[
    list[str] | None,
    typer.Option(
        "--functional",
        metavar="NAME",
        help="A relation with one target at a time. Repeat it for more.",
    ),
]

Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        max=64,
        help="Requests each works on at once; 2, or 8 where an embedder is asked over HTTP.",
    ),
]

CheckAt = Annotated[
    str | None,
    typer.Option(
        "--check-at", metavar="HH:MM", help="Examine the memory every day at this time, in UTC."
    ),
]


class Log(StrEnum):
    """How the log is written."""

    JSON = "json"
    TEXT = "text"
    NONE = "none"


class TokenAction(StrEnum):
    """What `token` does."""

    NEW = "new"


def serve_http(
    database: Place = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="Where to listen; 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", min=0, max=65535, help="0 is any; 7411."),
    ] = None,
    tokens: TokensFile = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Let everybody in from everywhere."),
    ] = False,
    threads: Threads = None,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            metavar="N",
            min=1,
            max=64,
            help="Processes that share the work, as many as there are cores at most; else 1.",
        ),
    ] = None,
    no_worker: Annotated[
        bool,
        typer.Option("--no-worker", help="Leave the queue to recollect worker."),
    ] = False,
    check_at: CheckAt = None,
    functional: Functional = None,
    functions: FunctionsPlace = None,
    log: Annotated[Log, typer.Option("--log", help="The form of the log.")] = Log.JSON,
    db: Database = None,
    json: Json = False,
) -> None:
    """Serve a memory over HTTP; see docs/http.md."""
    if database is not None and db is not None:
        raise typer.BadParameter("name the memory once: DATABASE or --db")
    from recollect.servers.cli.serve import Asked, serve_memory

    asked = Asked(
        host=host,
        port=port,
        tokens=tokens,
        functional=frozenset(functional or ()),
        log=log.value,
        threads=threads,
        processes=processes,
        has_worker=not no_worker,
        is_insecure=insecure,
        functions=functions,
        check_at=check_at,
    )
    serve_memory(db if database is None else database, asked, as_json=json)


def manage_tokens(
    action: Annotated[TokenAction, typer.Argument(metavar="ACTION", help="new.")],
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="NAME", help="A group it is good for. Repeat it for more."),
    ] = None,
    admin: Annotated[
        bool,
        typer.Option("--admin", help="May clear everything; all groups, without any."),
    ] = False,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Who its bearer is; what it writes says so."),
    ] = None,
    tokens: TokensFile = None,
    json: Json = False,
) -> None:
    """Make a bearer token for a server."""
    from recollect.servers.cli.token import make_token

    match action:
        case TokenAction.NEW:
            make_token(group or [], tokens, name=name, is_admin=admin, as_json=json)


def work_queue(
    database: Place = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when nothing is due now.")] = False,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=1, max=64, help="Groups worked on at once.")
    ] = 2,
    functional: Functional = None,
    db: Database = None,
    json: Json = False,
) -> None:
    """Learn from the episodes that wait in a memory; see docs/operations.md."""
    if database is not None and db is not None:
        raise typer.BadParameter("name the memory once: DATABASE or --db")
    from recollect.servers.cli.worker import work_on_memory

    work_on_memory(
        db if database is None else database,
        functional or [],
        once=once,
        threads=threads,
        as_json=json,
    )
