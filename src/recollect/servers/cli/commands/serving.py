"""The commands that serve a memory: over HTTP, to an editor, or by working on its queue."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, option
from recollect.servers.cli.usage import verbs
from recollect.servers.cli.wanted import Functional, Port, ServeOptions

app = verbs()


@app.verb("serve", "place", "db", "json")
def serve_http(on: Invocation, service: ServeOptions) -> None:
    """Serve a memory over HTTP; see docs/http.md."""
    from recollect.servers.cli.serve import serve_memory

    serve_memory(on, service)


@app.verb("studio", "place", "db", "group", "json")
def open_studio(
    on: Invocation,
    port: Port = None,
    read_only: Annotated[bool, option("--read-only", "Change nothing, whatever is asked.")] = False,
    no_open: Annotated[bool, option("--no-open", "Say where it is, and open no browser.")] = False,
) -> None:
    """See a memory, question it and correct it in the browser; docs/studio.md."""
    from recollect.servers.cli.studio import show_studio

    show_studio(on, port, is_read_only=read_only, opens=not no_open)


@app.verb("worker", "place", "db", "json")
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
