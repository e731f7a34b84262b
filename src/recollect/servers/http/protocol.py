"""HTTP/1.1 as uvicorn speaks it, with bounds to what a stranger may take of the server.

The rule: whatever a peer sends, or fails to send, costs a bounded number of bytes and ends after a
bounded time, before any of it is given to the application. Bytes that bring neither a whole head
nor a part of a body are counted together, so that one bound holds for heads, trailers and the
extensions of chunks. One timer a connection tells how long the peer is waited for.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final, cast

import orjson
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from recollect.errors import LIMIT_EXCEEDED, UNAVAILABLE, RecollectError, refused
from recollect.faces.operations.envelope import failure, named_request
from recollect.node import dataclass, field
from recollect.servers.http.logs import log_refusal

try:
    import resource
except ImportError:  # not on Windows, where sockets are not descriptors either
    resource = None  # type: ignore[assignment]

HEAD_BYTES: Final = 16 * 1024
"""Of the line and the headers of a request."""

_MOST_CONNECTIONS: Final = 1_000
_OWN_DESCRIPTORS: Final = 128  # files of the memory, threads, pipes
_OVERFLOW: Final = 64  # connections that are only told that there are too many
_OVERFLOW_SECONDS: Final = 1.0
_SLICE: Final = 4 * 1024


def most_connections() -> int:
    """Return how many connections are served at once: fewer than the process has descriptors."""
    if resource is None:
        return _MOST_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(1, min(_MOST_CONNECTIONS, soft - _OWN_DESCRIPTORS - _OVERFLOW))


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a peer may take."""

    head_seconds: float = 10.0
    """From the first byte of a head to its last."""

    idle_seconds: float = 30.0
    """For which it may send nothing and take nothing while the server waits for it."""

    connections: int = field(default_factory=most_connections)
    """At once, of all peers together."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection; uvicorn makes it."""

    def __init__(self, bounds: Bounds, *given: Any, **more: Any) -> None:  # noqa: ANN401
        super().__init__(*given, **more)
        self._bounds = bounds
        self._timer: asyncio.TimerHandle | None = None
        self._silent = 0  # bytes since the last whole head or part of a body
        self._is_in_head = False
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, or tell the peer that there are too many."""
        super().connection_made(transport)
        self.flow = _WatchedFlow(transport, self)
        _end_dead_peers(transport, self._bounds.idle_seconds)
        if len(self.connections) > self._bounds.connections + _OVERFLOW:
            transport.abort()
        elif len(self.connections) > self._bounds.connections:
            told = f"{self._bounds.connections} connections are open"
            error = UNAVAILABLE.error(told, "try again later")
            self._refuse(503, error, "retry-after: 1")
        else:
            self.await_peer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came, as long as it is within the bounds."""
        for start in range(0, len(data), _SLICE):
            if self._is_refused or self.parser is None:
                return
            part = data[start : start + _SLICE]
            self._silent += len(part)
            super().data_received(part)
            if self._silent > HEAD_BYTES + _SLICE and not self._is_refused:
                self._refuse_head()
        if not self._is_in_head:  # which has one time from its first byte to its last
            self.await_peer()

    def await_peer(self) -> None:
        """Let the timer say how long the peer is waited for now, if it is the one to go on."""
        if self._is_refused:
            return
        self._stop_waiting()
        cycle = self._open_cycle
        is_awaited = self.flow.write_paused or cycle is None or cycle.more_body
        if self._is_in_head:
            self._timer = self.loop.call_later(self._bounds.head_seconds, self._end_idle)
        elif is_awaited:
            self._timer = self.loop.call_later(self._bounds.idle_seconds, self._end_idle)

    def on_message_begin(self) -> None:
        """Begin to read a head."""
        super().on_message_begin()
        self._is_in_head = True
        self.await_peer()

    def on_headers_complete(self) -> None:
        """Give a request to the application, unless its head is too large."""
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        self._is_in_head, self._silent = False, 0
        if size > HEAD_BYTES:
            self._refuse_head()
        if not self._is_refused:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Give a part of a body to the application."""
        self._silent = 0
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that a body has ended."""
        self._silent = 0
        if not self._is_refused:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and not self._is_in_head:
            self.await_peer()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        del msg  # uvicorn's words
        if not self._is_refused:
            error = refused("the request is not HTTP/1.1", "send a request of HTTP/1.1")
            self._refuse(400, error)

    @property
    def _open_cycle(self) -> RequestResponseCycle | None:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return None if cycle is None or cycle.response_complete else cycle

    def _refuse_head(self) -> None:
        error = LIMIT_EXCEEDED.error(
            f"the head of the request is larger than {HEAD_BYTES} bytes", "send shorter headers"
        )
        self._refuse(431, error)

    def _refuse(self, status: int, error: RecollectError, *headers: str) -> None:
        """Answer what no application was asked, and end."""
        self._is_refused = True
        request_id = named_request(None)
        log_refusal(request_id, "", status, error.code.code)
        cycle = self._open_cycle
        if cycle is not None and (cycle.response_started or self.pipeline):
            self.transport.abort()  # an answer in the middle of another one says nothing
            return
        if cycle is not None:
            cycle.disconnected = True
            cycle.message_event.set()
        body = orjson.dumps(failure(request_id, error))
        told = (
            "content-type: application/json",
            f"content-length: {len(body)}",
            "connection: close",
            f"x-request-id: {request_id}",
            *headers,
        )
        head = "".join(f"{one}\r\n" for one in told).encode()
        self.transport.write(b"".join((STATUS_LINE[status], head, b"\r\n", body)))
        # A connection that ends over bytes that nobody read is reset: the peer gets a second to
        # read its answer first. More is not read, so what it sends fills its own buffers.
        self.flow.pause_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._stop_waiting()
        self._timer = self.loop.call_later(_OVERFLOW_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_idle(self) -> None:
        if self.flow.read_paused and not self.flow.write_paused:
            self.await_peer()  # it is the application that is slow
            return
        self.transport.abort()


class _WatchedFlow(FlowControl):
    """Tells a connection when its peer no longer takes what is sent, and when it does again."""

    def __init__(self, transport: asyncio.Transport, connection: BoundedProtocol) -> None:
        super().__init__(transport)
        self._connection = connection

    def pause_writing(self) -> None:
        super().pause_writing()
        self._connection.await_peer()

    def resume_writing(self) -> None:
        was_paused = self.write_paused
        super().resume_writing()
        if was_paused and not self._transport.is_closing():
            self._connection.await_peer()


def _end_dead_peers(transport: asyncio.Transport, idle_seconds: float) -> None:
    """Let the system end connections whose peer is gone without a word."""
    own: socket.socket | None = transport.get_extra_info("socket")
    if own is None or own.family not in (socket.AF_INET, socket.AF_INET6):
        return
    own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        seconds = max(1, round(idle_seconds))
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, seconds)
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, seconds * 1_000)
