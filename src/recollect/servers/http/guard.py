"""Who may call, how much the server takes on, and who waits for the log of a group to go on.

The rule: nothing of a request is read before its bearer is known. Without tokens anybody on this
machine may call, but no web page may reach the memory through the browser of somebody there: the
name the server is called by must be its own, and a page of another origin is refused. Who waits for
the log joins the look that comes next, so a process asks the store as often for one listener as for
a thousand, and not at all where nobody listens.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol
from urllib.parse import urlsplit

from fastapi import Request

from recollect.errors import PERMISSION_DENIED, UNAUTHENTICATED, RecollectError
from recollect.faces.operations import EVERYONE, Caller, limits
from recollect.kernel import Nexus
from recollect.node import dataclass, field
from recollect.servers.admission import BODY_BYTES, check_page
from recollect.servers.http.tokens import AccessTokens

LOOPBACK = ("localhost", "127.0.0.1", "::1")
NETWORK_THREADS = 8
"""Where requests wait for an embedder over the network."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a server; the defaults are for a server that only this machine reaches."""

    tokens: AccessTokens = field(default_factory=AccessTokens)
    """Without any, everybody who reaches the server may do everything."""

    hosts: frozenset[str] | None = frozenset(LOOPBACK)
    """The names a server without tokens may be called by; None is any."""

    request_bytes: int = limits.REQUEST_BYTES
    """Of a body."""

    threads: int = 2
    """How many requests are worked on at once.

    Most of a request is Python, and only one thread runs that at a time: with eight threads, half
    of the processor's time went into switching. Requests that wait for the network need more.
    """

    body_bytes: int = BODY_BYTES
    """Of all bodies that are read or wait at once; the next one is UNAVAILABLE."""

    streams: int = 100
    """How many may listen to events at once; the next one is UNAVAILABLE."""

    heartbeat_seconds: float = 15.0
    """How long a stream of events is silent at most."""

    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """What the sessions of the studio are signed with: the same in every process of a server."""

    is_studio_read_only: bool = False
    """Whether the pages of the studio change nothing."""


_SCHEME = "bearer"


class HttpGuard:
    """Finds who asks, from the head of a request."""

    def __init__(self, options: Options) -> None:
        self._tokens = options.tokens
        self._hosts = options.hosts

    @property
    def wants_tokens(self) -> bool:
        """Whether a token is needed."""
        return bool(self._tokens)

    async def admit(self, request: Request) -> None:
        """Find who asks and note it, or raise UNAUTHENTICATED or PERMISSION_DENIED."""
        request.state.caller = self._caller(request)

    async def admit_admin(self, request: Request) -> None:
        """Find the caller, and raise PERMISSION_DENIED unless it is an administrator."""
        caller = self._caller(request)
        if not caller.is_admin:
            raise PERMISSION_DENIED.error(
                "only an administrator may see this", "send the token of an administrator"
            )
        request.state.caller = caller

    def check_visit(self, request: Request) -> None:
        """Check the head of a request for a page, whose visitor is known by a session.

        A link on a page of another origin may lead here; nothing else of such a page may.
        """
        headers = request.headers
        is_followed = (
            request.method == "GET"
            and headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
        )
        check_page(headers, is_followed=is_followed)
        if not self._tokens:
            self._check_host(request)

    def _caller(self, request: Request) -> Caller:
        check_page(request.headers)
        if not self._tokens:
            self._check_host(request)
            return EVERYONE
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != _SCHEME or not token.strip():
            raise _unauthenticated("the request has no bearer token")
        caller = self._tokens.caller(token.strip())
        if caller is None:
            raise _unauthenticated("the bearer token is not known here")
        return caller

    def _check_host(self, request: Request) -> None:
        named = request.headers.get("host", "")
        host = urlsplit(f"//{named}").hostname if _is_host(named) else None
        if self._hosts is not None and host not in self._hosts:
            raise PERMISSION_DENIED.error(
                "the Host header does not name this server",
                "call it by its address, or start it with tokens",
            )


def _is_host(named: str) -> bool:
    try:
        return bool(urlsplit(f"//{named}").hostname)
    except ValueError:
        return False


def _unauthenticated(message: str) -> RecollectError:
    return UNAUTHENTICATED.error(message, "send `Authorization: Bearer` and a token")


PAUSE_SECONDS: Final = 0.2  # between two looks

Numbers = Mapping[str, int]
"""The last transaction of each group that somebody listens to."""


class Run(Protocol):
    """What runs work of the memory in a thread of its own."""

    def __call__(self, work: Callable[[], Numbers], /) -> Awaitable[Numbers]:
        """Return what the work returns."""


class Looks:
    """The looks of one process; used from its event loop alone."""

    def __init__(self, run: Run, ending: asyncio.Event) -> None:
        self._run = run
        self._ending = ending
        self._wanted: set[str] = set()
        self._next: asyncio.Task[Numbers] | None = None

    async def next(self, nexus: Nexus) -> Numbers:
        """Return what the next look finds of the group, and of those that others wait for.

        It begins after a pause, or when the server ends. Errors are those of a read.
        """
        self._wanted.add(nexus.group_name)
        if self._next is None:
            self._next = asyncio.create_task(self._looked(nexus))
        return await asyncio.shield(self._next)

    async def _looked(self, nexus: Nexus) -> Numbers:
        try:
            async with asyncio.timeout(PAUSE_SECONDS):
                await self._ending.wait()
        except TimeoutError:
            pass
        wanted, self._wanted, self._next = self._wanted, set(), None
        return await self._run(lambda: nexus.elements.last_transactions(wanted))
