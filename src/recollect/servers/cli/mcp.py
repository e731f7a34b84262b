"""The command that serves a memory to agents' programs over MCP."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.servers.cli.loading import in_haste
from recollect.servers.cli.needed import require
from recollect.servers.cli.output import Output, output
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus

if TYPE_CHECKING:
    from recollect.servers.mcp.memory import Memory

GRACE_SECONDS = 3
"""How long calls and steps of the pipeline that are running may take to end."""

ACTOR = "mcp"
"""Who writes, if RECOLLECT_ACTOR is not set."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for; `address` is HOST:PORT, None for standard input."""

    database: str | None
    group: str | None
    address: str | None
    tokens: Path | None
    import_from: tuple[Path, ...]
    is_read_only: bool
    tools: frozenset[str] | None = None  # sets of them; None: all


def serve(asked: Asked, *, as_json: bool) -> None:
    """Serve one client over standard input and output, or many over HTTP."""
    settings = Settings()
    with output(as_json=as_json) as out:
        require("mcp", "mcp", "the MCP server")
        with in_haste():
            from recollect.servers.learning import make_learner
            from recollect.servers.mcp.folders import Folders
            from recollect.servers.mcp.memory import TOOL_SETS, Memory
            from recollect.servers.mcp.server import serve_stdio
            from recollect.servers.service import at_work, make_service

        tools = TOOL_SETS if asked.tools is None else asked.tools
        learner = make_learner(settings.learning())
        located = settings.database(asked.database)
        folders = Folders(settings.import_from(asked.import_from))
        out.if_stopped = "the clients have no memory any more"
        create = not asked.is_read_only
        with open_nexus(located, settings.group(asked.group), create=create) as nexus:
            service = make_service(nexus, extractor=learner.extractor, has_worker=create)
            actor = settings.actor() or ACTOR
            with at_work(service, GRACE_SECONDS):
                if asked.address is None:
                    # Waiting for standard input cannot be stopped. What was answered is kept.
                    signal.signal(signal.SIGINT, signal.SIG_DFL)
                    memory = Memory(service, actor, asked.is_read_only, folders, tools)
                    serve_stdio(memory)
                    return
                # Callers from elsewhere learn about files only if those are allowed.
                offered = folders if folders.allowed else None
                memory = Memory(service, actor, asked.is_read_only, offered, tools)
                _over_http(memory, asked.address, settings.tokens(asked.tokens), located.path, out)


def _over_http(
    memory: Memory, address: str, tokens_file: Path | None, path: str, out: Output
) -> None:
    from recollect.servers.http.server import check_exposure, listen, url_of
    from recollect.servers.http.server import serve as serve_app
    from recollect.servers.http.tokens import read_tokens
    from recollect.servers.mcp.over_http import PATH, http_app

    host, port = host_and_port(address)
    known = None if tokens_file is None else read_tokens(tokens_file).caller
    check_exposure(host, has_tokens=known is not None, is_insecure=False)
    with listen(host, port) as listener:
        url = f"{url_of(listener)}{PATH}"
        if out.as_json:
            out.json({"result": {"url": url, "path": path}})
        out.say(f"serving {path} at {url}", "green")
        serve_app(http_app(memory, host, known), listener, grace_seconds=GRACE_SECONDS)


def host_and_port(address: str) -> tuple[str, int]:
    """Return the parts of HOST:PORT; INVALID_ARGUMENT for anything else.

    >>> host_and_port("127.0.0.1:7412"), host_and_port("[::1]:0")
    (('127.0.0.1', 7412), ('::1', 0))
    """
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal() and len(port) <= 5 and int(port) <= 65535):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{address} is not HOST:PORT",
            hint="use --http 127.0.0.1:7412",
        )
    return host.removeprefix("[").removesuffix("]"), int(port)
