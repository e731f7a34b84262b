"""The command that serves a memory to agents' programs over MCP."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import refused
from recollect.servers.cli.loading import in_haste, require
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.wanted import AgentService
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus

if TYPE_CHECKING:
    from recollect.servers.mcp.tool import Memory

GRACE_SECONDS = 3
"""How long calls and steps of the pipeline that are running may take to end."""

ACTOR = "mcp"
"""Who writes, if RECOLLECT_ACTOR is not set."""


def serve_agents(on: Invocation, service: AgentService, tools: frozenset[str]) -> None:
    """Serve one client over standard input and output, or many over HTTP."""
    settings = Settings()
    with output(on) as out:
        require("mcp", "mcp", "the MCP server")
        with in_haste("mcp", "mcp.server"):
            from recollect.servers.learning import make_learner
            from recollect.servers.mcp.folders import Folders
            from recollect.servers.mcp.server import serve_stdio
            from recollect.servers.mcp.tool import Memory
            from recollect.servers.service import at_work, make_service

        learner = make_learner(settings.learning())
        located = settings.database(on.database)
        folders = Folders(settings.import_from(service.import_from or ()))
        out.if_stopped = "the clients have no memory any more"
        create = not service.read_only
        with open_nexus(located, settings.group(on.group), create=create) as nexus:
            made = make_service(nexus, extractor=learner.extractor, has_worker=create)
            actor = settings.actor() or ACTOR
            offered = folders if folders.allowed else None
            memory = Memory(made, actor, service.read_only, offered, tools, service.allow_erase)
            with at_work(made, GRACE_SECONDS):
                if service.http is None:
                    # Waiting for standard input cannot be stopped. What was answered is kept.
                    signal.signal(signal.SIGINT, signal.SIG_DFL)
                    serve_stdio(memory)
                    return
                tokens = settings.tokens(service.tokens)
                _over_http(memory, service.http, tokens, located.shown, out)


def _over_http(
    memory: Memory, address: str, tokens_file: Path | None, path: str, out: Output
) -> None:
    from recollect.servers.http.logs import Form, begin_log, log_event
    from recollect.servers.http.server import check_exposure, listen, serve as serve_app, url_of
    from recollect.servers.http.tokens import read_tokens
    from recollect.servers.mcp.over_http import PATH, http_app

    host, port = host_and_port(address)
    known = None if tokens_file is None else read_tokens(tokens_file).caller
    check_exposure(host, has_tokens=known is not None, is_insecure=False)
    begin_log(Form.JSON, sys.stderr)
    with listen(host, port) as listener:
        url = f"{url_of(listener)}{PATH}"
        out.give_json({"url": url, "path": path})
        out.say(f"serving {path} at {url}", "green")
        log_event("listening", url=url)
        serve_app(http_app(memory, host, known), listener, grace_seconds=GRACE_SECONDS)


def host_and_port(address: str) -> tuple[str, int]:
    """Return the parts of HOST:PORT; INVALID_ARGUMENT for anything else.

    >>> host_and_port("127.0.0.1:7412"), host_and_port("[::1]:0")
    (('127.0.0.1', 7412), ('::1', 0))
    """
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal() and len(port) <= 5 and int(port) <= 65535):
        raise refused(f"{address} is not HOST:PORT", "use --http 127.0.0.1:7412")
    return host.removeprefix("[").removesuffix("]"), int(port)
