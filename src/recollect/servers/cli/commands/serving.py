"""The commands that serve a memory: over HTTP, to an editor, or by working on its queue."""

from __future__ import annotations

from typing import Annotated, Literal

from recollect.servers.cli.options import (
    Database,
    FunctionsPlace,
    GroupName,
    Invocation,
    TokensFile,
    option,
    takes,
)
from recollect.servers.cli.usage import verbs

app = verbs()

Functional = Annotated[
    list[str] | None,
    option("--functional", "NAME", "A relation with one target at a time. Repeat it for more."),
]
Threads = Annotated[
    int | None,
    option(
        "--threads",
        "N",
        "Requests each works on at once; 2, or 8 where an embedder is asked over HTTP.",
        min=1,
        max=64,
    ),
]
Processes = Annotated[
    int | None,
    option(
        "--processes",
        "N",
        "Processes that share the work, as many as there are cores at most; else 1.",
        min=1,
        max=64,
    ),
]


LogForm = Literal["json", "text", "none"]
"""How the log is written."""


@app.command("serve")
@takes("place", "db", "json")
def serve_http(
    on: Invocation,
    host: Annotated[str | None, option("--host", "HOST", "Where to listen; 127.0.0.1.")] = None,
    port: Annotated[
        int | None, option("--port", "PORT", "0 is any; 7411.", min=0, max=65535)
    ] = None,
    tokens: TokensFile = None,
    insecure: Annotated[bool, option("--insecure", "Let everybody in from everywhere.")] = False,
    threads: Threads = None,
    processes: Processes = None,
    no_worker: Annotated[
        bool, option("--no-worker", "Leave the queue to recollect worker.")
    ] = False,
    check_at: Annotated[
        str | None,
        option("--check-at", "HH:MM", "Examine the memory every day at this time, in UTC."),
    ] = None,
    functional: Functional = None,
    functions: FunctionsPlace = None,
    log: Annotated[LogForm, option("--log", "The form of the log.")] = "json",
) -> None:
    """Serve a memory over HTTP; see docs/http.md."""
    from recollect.servers.cli.serve import ServeOptions, serve_memory

    service = ServeOptions(
        host=host,
        port=port,
        tokens=tokens,
        functional=frozenset(functional or ()),
        log=log,
        threads=threads,
        processes=processes,
        has_worker=not no_worker,
        is_insecure=insecure,
        functions=functions,
        check_at=check_at,
    )
    serve_memory(on, service)


@app.command("studio")
@takes("place", "db", "group", "json")
def open_studio(
    on: Invocation,
    port: Annotated[
        int | None, option("--port", "PORT", "0 is any; 7411.", min=0, max=65535)
    ] = None,
    read_only: Annotated[bool, option("--read-only", "Change nothing, whatever is asked.")] = False,
    no_open: Annotated[bool, option("--no-open", "Say where it is, and open no browser.")] = False,
) -> None:
    """See a memory, question it and correct it in the browser; see docs/studio.md."""
    from recollect.servers.cli.studio import show_studio

    show_studio(on, port, is_read_only=read_only, opens=not no_open)


@app.command("worker")
@takes("place", "db", "json")
def work_queue(
    on: Invocation,
    once: Annotated[bool, option("--once", "Stop when nothing is due now.")] = False,
    threads: Annotated[
        int, option("--threads", "N", "Groups worked on at once.", min=1, max=64)
    ] = 2,
    functional: Functional = None,
) -> None:
    """Learn from the episodes that wait in a memory; see docs/operations.md."""
    from recollect.servers.cli.worker import work_on_memory

    work_on_memory(on, functional or [], once=once, threads=threads)


@app.command("lsp")
def serve_editor(db: Database = None, group: GroupName = None) -> None:
    """Serve an editor over standard input and output, as the language server of KIP."""
    from recollect.servers.cli.texts import serve_editor

    serve_editor(Invocation(db, group))
