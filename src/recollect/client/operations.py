"""The operations of a server as methods: one class that waits, and one to be awaited.

The rule: they differ in how they wait and in nothing else.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from recollect.client.calls import HttpExchange, prepared
from recollect.client.connection import AsyncConnection, Connection
from recollect.faces.operations import Envelope
from recollect.faces.operations.methods import Methods


class Operations(Connection, Methods[Envelope]):
    """The operations of a server; safe to share between threads.

    `url` is the address of the server, `token` what it knows the caller by, `timeout` the
    seconds that one attempt may take. A call returns an envelope and never raises for what the
    service says. A server that is not reached is UNAVAILABLE, after three attempts: what may
    have arrived is sent again only where twice is the same as once, which is a read, a deletion
    and a write with an `idempotency_key`.
    """

    def call(
        self, name: str, input: object, *, request_id: object = None, idempotency_key: object = None
    ) -> Envelope:
        """Run the operation of that name on the server."""
        exchange = prepared(name, input, request_id, idempotency_key)
        return self._answer(exchange) if isinstance(exchange, HttpExchange) else exchange


class AsyncOperations(AsyncConnection, Methods[Coroutine[Any, Any, Envelope]]):
    """The same, to be awaited: `await operations.search_facts(...)`; for one event loop."""

    async def call(
        self, name: str, input: object, *, request_id: object = None, idempotency_key: object = None
    ) -> Envelope:
        """Run the operation of that name on the server."""
        exchange = prepared(name, input, request_id, idempotency_key)
        return await self._answer(exchange) if isinstance(exchange, HttpExchange) else exchange
