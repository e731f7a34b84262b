"""The operations of a server as methods: one class that waits, and one to be awaited.

The rule: they differ in how they wait and in nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import httpx2

from recollect.client.attempts import attempts, headers_for
from recollect.client.exchange import Exchange, prepared
from recollect.faces.operations import Envelope
from recollect.faces.operations.methods import Methods


class Operations(Methods[Envelope]):
    """The operations of a server; safe to share between threads.

    `url` is the address of the server, `token` what it knows the caller by, `timeout` the
    seconds that one attempt may take. A call returns an envelope and never raises for what the
    service says. A server that is not reached is UNAVAILABLE, after three attempts: what may
    have arrived is sent again only where twice is the same as once, which is a read, a deletion
    and a write with an `idempotency_key`.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        self._http = httpx2.Client(base_url=url, headers=headers_for(token), timeout=timeout)

    def call(
        self,
        name: str,
        input: object,
        *,
        request_id: object = None,
        idempotency_key: object = None,
    ) -> Envelope:
        """Run the operation of that name on the server."""
        exchange = prepared(name, input, request_id, idempotency_key)
        if not isinstance(exchange, Exchange):
            return exchange
        for attempt in attempts(exchange):
            try:
                answer = self._http.post(exchange.path, content=exchange.body)
            except httpx2.RequestError as error:
                attempt.failed(error)
            else:
                attempt.answered(answer)
            if attempt.pause is not None:
                time.sleep(attempt.pause)
        return attempt.envelope

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Operations:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncOperations(Methods[Coroutine[Any, Any, Envelope]]):
    """The same, to be awaited: `await operations.search_facts(...)`; for one event loop."""

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        self._http = httpx2.AsyncClient(base_url=url, headers=headers_for(token), timeout=timeout)

    async def call(
        self,
        name: str,
        input: object,
        *,
        request_id: object = None,
        idempotency_key: object = None,
    ) -> Envelope:
        """Run the operation of that name on the server."""
        exchange = prepared(name, input, request_id, idempotency_key)
        if not isinstance(exchange, Exchange):
            return exchange
        for attempt in attempts(exchange):
            try:
                answer = await self._http.post(exchange.path, content=exchange.body)
            except httpx2.RequestError as error:
                attempt.failed(error)
            else:
                attempt.answered(answer)
            if attempt.pause is not None:
                await asyncio.sleep(attempt.pause)
        return attempt.envelope

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncOperations:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
