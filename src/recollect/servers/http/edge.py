"""The outermost layer: every request gets an id, a limit to its body, and an answer.

The rule: every body finds room before it is read. Only here are unexpected exceptions caught; they
become INTERNAL and are logged, and the caller learns nothing about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import INTERNAL, LIMIT_EXCEEDED, RecollectError
from recollect.faces.operations.envelope import named_request
from recollect.servers.admission import Bodies, declared_size
from recollect.servers.http.answers import REQUEST_ID, Refusals, in_header
from recollect.servers.http.logs import log_failure
from recollect.servers.http.metrics import Metrics


class ServerEdge:
    """Wraps the application; Starlette makes it."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        request_bytes: int,
        larger: Mapping[str, int],  # by path
        bodies: Bodies,
        refusals: Refusals,
        metrics: Metrics,
    ) -> None:
        self._app = app
        self._request_bytes = request_bytes
        self._larger = larger
        self._bodies = bodies
        self._refusals = refusals
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        most = self._larger.get(scope["path"], self._request_bytes)
        state = scope.setdefault("state", {})
        state["request_id"] = _request_id(headers)  # until a face knows a better one
        is_begun = False

        async def sent(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                MutableHeaders(scope=message).setdefault(REQUEST_ID, in_header(state["request_id"]))
            await send(message)

        try:
            held = self._bodies.take(headers, most)
        except RecollectError as error:
            await self._refusals.answer(scope, error)(scope, receive, sent)
            return
        self._metrics.opened(1)
        try:
            await self._app(scope, _limited(receive, headers, most), sent)
        except ClientDisconnect:
            return  # there is nobody left to answer
        except Exception as error:  # the edge: nothing may pass unanswered
            log_failure(state["request_id"], error)
            if is_begun:
                raise
            fault = INTERNAL.error("the server failed")
            await self._refusals.answer(scope, fault)(scope, receive, sent)
        finally:
            self._metrics.opened(-1)
            self._bodies.give_back(held)


def _limited(receive: Receive, headers: Headers, most: int) -> Receive:
    """Return what reads a body and raises LIMIT_EXCEEDED as soon as it is too large."""
    is_too_large = (declared_size(headers) or 0) > most
    read = 0

    async def limited() -> Message:
        nonlocal read
        if is_too_large:
            raise _too_large(most)
        message = await receive()
        if message["type"] == "http.request":
            read += len(message.get("body", b""))
            if read > most:
                raise _too_large(most)
        return message

    return limited


def _too_large(most: int) -> RecollectError:
    return LIMIT_EXCEEDED.error(
        f"the body is larger than {most} bytes", "send it in several requests"
    )


def _request_id(headers: Headers) -> str:
    """Return the id that a request names in its header, or a new one."""
    try:
        return named_request(unquote(headers.get(REQUEST_ID, "")))
    except RecollectError:
        return named_request(None)
