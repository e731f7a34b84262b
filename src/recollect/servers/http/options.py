"""How a server is to behave: whom it lets in, and how much it takes on."""

from __future__ import annotations

import secrets

from recollect.faces.operations import limits
from recollect.node import dataclass, field
from recollect.servers.admission import BODY_BYTES
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
