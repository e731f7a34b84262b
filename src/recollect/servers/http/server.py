"""Listening, serving and stopping.

The rule: without tokens a server listens to its own machine alone, unless it is told otherwise.
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
import sys
from functools import partial
from typing import Protocol, cast, runtime_checkable

import uvicorn
from starlette.types import ASGIApp

from recollect.errors import STORE_UNAVAILABLE, refused
from recollect.servers.http.guard import LOOPBACK
from recollect.servers.http.processes import Begun
from recollect.servers.http.protocol import BoundedProtocol, Bounds

_BACKLOG = 512
_SWITCH_SECONDS = 0.001  # a fifth of Python's own
_FOREVER_SECONDS = 10**9
_TAKEN_SECONDS = 0.01  # until uvicorn has met the connections that were taken


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host in LOOPBACK or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_exposure(host: str, *, has_tokens: bool, is_insecure: bool) -> None:
    """Raise INVALID_ARGUMENT where a server would be open to everybody on the network."""
    if not (is_loopback(host) or has_tokens or is_insecure):
        raise refused(
            f"without tokens everybody who reaches {host} may read and erase the memory",
            "make a token with `recollect token new`, and pass --tokens FILE",
        )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free. Raises STORE_UNAVAILABLE."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )[0]
        # With the protocol named, asyncio sends small answers at once.
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
        return listener
    except OSError as error:
        raise STORE_UNAVAILABLE.error(
            f"{host} port {port} cannot be listened to: {error.strerror}",
            "name another port with --port",
        ) from error


def url_of(listener: socket.socket) -> str:
    """Return the address of a socket that listens."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@runtime_checkable
class Streaming(Protocol):
    """An application with answers that go on until its server ends."""

    def end_streams(self) -> None:
        """End them; called once, from the event loop of the server."""


class Server(uvicorn.Server):
    """A server that says when it has begun, and tells its application before it waits to end."""

    def __init__(self, config: uvicorn.Config, begun: Begun) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take connections, and say so."""
        await super().startup(sockets)
        self._begun()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and end.

        Uvicorn tells the connections that it has met by then to end: one that was taken and not
        met yet would go on until its time is up, and be answered INTERNAL at last.
        """
        for server in self.servers:
            server.close()
        await asyncio.sleep(_TAKEN_SECONDS)
        if isinstance(self.config.app, Streaming):
            self.config.app.end_streams()
        await super().shutdown(sockets)


def make_server(
    app: ASGIApp, *, grace_seconds: int, begun: Begun = lambda: None, bounds: Bounds | None = None
) -> uvicorn.Server:
    """Return what serves an application; to stop, requests get `grace_seconds` to end."""
    config = uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", partial(BoundedProtocol, bounds or Bounds())),
        timeout_keep_alive=_FOREVER_SECONDS,  # the protocol has its own bounds
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=grace_seconds,
    )
    return Server(config, begun)


def serve(
    app: ASGIApp, listener: socket.socket, *, grace_seconds: int, begun: Begun = lambda: None
) -> None:
    """Serve until SIGTERM or Ctrl-C; only from the main thread."""
    # Whoever comes back from the store or the network waits this long for the thread that computes.
    sys.setswitchinterval(_SWITCH_SECONDS)
    server = make_server(app, grace_seconds=grace_seconds, begun=begun)
    # The server listens to signals while it runs, and gives one that stopped it on to whoever had
    # it before: so one that comes too early is not lost, and one that comes again changes nothing.
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, server.handle_exit)
    server.run(sockets=[listener])
