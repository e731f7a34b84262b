"""The MCP server over streamable HTTP, and who may come in.

The rule: nothing of a request is read before its bearer is known, and what is no message is told
under the id that can be read in it. A session belongs to the token
that began it. Without tokens the server is this machine's own: it answers to its own names alone,
and to no page of another origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import LIMIT_EXCEEDED, UNAUTHENTICATED, UNAVAILABLE, RecollectError
from recollect.faces.operations import Caller, limits
from recollect.servers.admission import Bodies, check_page
from recollect.servers.mcp.lines import Line, message_in, refusal
from recollect.servers.mcp.server import CALLER, build_server
from recollect.servers.mcp.tool import Memory

PATH: Final = "/mcp"
"""Where streamable HTTP is spoken."""

Known = Callable[[str], Caller | None]
"""Returns who comes with a token, None for one that is not known."""

_SCHEME: Final = "bearer"


def http_app(memory: Memory, host: str, known: Known | None = None) -> ASGIApp:
    """Return the server as an application; with `known` tokens it lets in their bearers alone."""
    own = ("localhost", "127.0.0.1", "[::1]", f"[{host}]" if ":" in host else host)
    # Who shows a token may call the server by any name.
    any_name = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = build_server(memory).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=limits.REQUEST_BYTES,
        transport_security=_names(own) if known is None else any_name,
        host=host,
    )
    return McpDoor(app, known)


class McpDoor:
    """Lets in the bearers of tokens, and says to the server who they are; no foreign page."""

    def __init__(self, app: ASGIApp, known: Known | None) -> None:
        self._app = app
        self._known = known
        self._bodies = Bodies()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            if self._known is not None:
                _name(scope, *_bearer(headers, self._known))
            check_page(headers)
            held = self._bodies.take(headers, limits.REQUEST_BYTES)
        except RecollectError as error:
            await _refusal(error)(scope, receive, send)
            return
        try:
            if scope["method"] == "POST":
                line = await _line(receive)
                try:
                    message_in(line)
                except MCPError as fault:
                    await _no_message(line, fault)(scope, receive, send)
                    return
                receive = _again(line, receive)
            await self._app(scope, receive, send)
        finally:
            self._bodies.give_back(held)


async def _line(receive: Receive) -> Line:
    """Return the body of a request; of one that is too long what has come by then."""
    body, is_more = bytearray(), True
    while is_more and len(body) <= limits.REQUEST_BYTES:
        event = await receive()
        body += event.get("body", b"")
        is_more = event.get("more_body", False)
    end = body[-1:] if len(body) > limits.REQUEST_BYTES else b""
    return Line(bytes(body), bytes(end))


def _again(line: Line, receive: Receive) -> Receive:
    """Return what gives a body that was read once more."""
    events: list[Message] = [{"type": "http.request", "body": line.beginning}]

    async def given() -> Message:
        return events.pop() if events else await receive()

    return given


def _no_message(line: Line, fault: MCPError) -> JSONResponse:
    told = refusal(line, fault).model_dump(mode="json")
    return JSONResponse(told, LIMIT_EXCEEDED.http if line.end else 400)


def _bearer(headers: Headers, known: Known) -> tuple[str, Caller]:
    """Return the token of a request, and who comes with it."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    token = given.strip()
    if scheme.lower() != _SCHEME or not token:
        raise _unauthenticated("the request has no bearer token")
    caller = known(token)
    if caller is None:
        raise _unauthenticated("the bearer token is not known here")
    return token, caller


def _name(scope: Scope, token: str, caller: Caller) -> None:
    """Say to the server who asks; sessions are told apart by a name made of the token."""
    name = sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
    # The token itself goes no further.
    scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=name, scopes=[]))
    scope.setdefault("state", {})[CALLER] = caller


def _refusal(error: RecollectError) -> JSONResponse:
    more: dict[str, str] = {}
    if error.code is UNAUTHENTICATED:
        more["WWW-Authenticate"] = "Bearer"
    elif error.code is UNAVAILABLE:
        more["Retry-After"] = "1"
    return JSONResponse({"error": error.to_wire()}, error.code.http, more)


def _unauthenticated(message: str) -> RecollectError:
    return UNAUTHENTICATED.error(message, "send `Authorization: Bearer` and a token")


def _names(own: Iterable[str]) -> TransportSecuritySettings:
    """Return the settings of a server that is called by its own names alone."""
    named = [name for one in dict.fromkeys(own) for name in (one, f"{one}:*")]
    origins = [f"http://{one}" for one in named]
    return TransportSecuritySettings(allowed_hosts=named, allowed_origins=origins)
