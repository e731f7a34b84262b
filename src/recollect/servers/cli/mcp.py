"""The command that serves a memory to agents' programs over MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.servers.cli.needed import require
from recollect.servers.cli.output import Output, output
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus

if TYPE_CHECKING:
    from recollect.servers.mcp.memory import Memory

GRACE_SECONDS = 3
"""How long calls and steps of the pipeline that are running may take to end."""

ACTOR = "mcp"
"""Who writes, where RECOLLECT_ACTOR names nobody."""


def serve(
    database: str | None,
    group: str | None,
    address: str | None,
    *,
    is_read_only: bool,
    as_json: bool,
) -> None:
    """Serve one client over standard input and output, or many over HTTP."""
    settings = Settings()
    with output(as_json=as_json) as out:
        require("mcp", "mcp", "the MCP server")
        from recollect.servers.learning import make_learner
        from recollect.servers.mcp.memory import Memory
        from recollect.servers.mcp.server import serve_stdio
        from recollect.servers.service import at_work, make_service

        learner = make_learner(settings.learning())
        located = settings.database(database)
        out.if_stopped = "the clients have no memory any more"
        with open_nexus(located, settings.group(group), create=not is_read_only) as nexus:
            service = make_service(nexus, extractor=learner.extractor, has_worker=not is_read_only)
            memory = Memory(service, settings.actor() or ACTOR, is_read_only)
            with at_work(service, GRACE_SECONDS):
                if address is None:
                    serve_stdio(memory)
                else:
                    _over_http(memory, address, located.path, out)


def _over_http(memory: Memory, address: str, path: str, out: Output) -> None:
    from recollect.servers.http.server import is_loopback, listen, url_of
    from recollect.servers.http.server import serve as serve_app
    from recollect.servers.mcp.server import PATH, http_app

    host, port = host_and_port(address)
    if not is_loopback(host):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{host} is not this machine alone, and this server asks nobody for a token",
            hint="use --http 127.0.0.1:7412, behind a proxy that asks",
        )
    with listen(host, port) as listener:
        url = f"{url_of(listener)}{PATH}"
        if out.as_json:
            out.json({"result": {"url": url, "path": path}})
        out.say(f"serving {path} at {url}", "green")
        serve_app(http_app(memory, host), listener, grace_seconds=GRACE_SECONDS)


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
