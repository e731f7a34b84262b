"""The operations of a server as methods: one class that waits, and one to be awaited.

The rule: they differ in how they wait and in nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator, Mapping
from typing import Any, Final

import httpx2

from recollect.client.exchange import Exchange, envelope_in, prepared
from recollect.faces.operations import Envelope
from recollect.faces.operations.methods import Methods

_PAUSES: Final = (0.1, 0.4)  # seconds before each new attempt
_GATEWAY: Final = frozenset({502, 503, 504})
_NEVER_ARRIVED: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class Operations(Methods[Envelope]):
    """The operations of a server; safe to share between threads.

    `url` is the address of the server, `token` what it knows the caller by, `timeout` the
    seconds that one attempt may take. A call returns an envelope and never raises for what the
    service says. A server that is not reached is UNAVAILABLE, after three attempts: what may
    have arrived is sent again only where twice is the same as once, which is a read, a deletion
    and a write with an `idempotency_key`.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        self._http = httpx2.Client(base_url=url, headers=_headers(token), timeout=timeout)

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
        for attempt in _attempts(exchange):
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
        self._http = httpx2.AsyncClient(base_url=url, headers=_headers(token), timeout=timeout)

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
        for attempt in _attempts(exchange):
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


class Attempt:
    """One attempt of a call: its envelope, and how long to wait for the next, if there is one."""

    def __init__(self, exchange: Exchange, next_pause: float | None) -> None:
        self._exchange = exchange
        self._next_pause = next_pause
        self.envelope = exchange.unavailable("the server was not asked")
        self.pause: float | None = None

    def failed(self, error: httpx2.RequestError) -> None:
        """Note that the server was not reached, or did not answer."""
        reason = f"the server was not reached: {type(error).__name__}"
        self.envelope = self._exchange.unavailable(reason)
        if self._exchange.may_repeat or isinstance(error, _NEVER_ARRIVED):
            self.pause = self._next_pause

    def answered(self, answer: httpx2.Response) -> None:
        """Note what was answered; what is no envelope comes from something on the way."""
        envelope = envelope_in(answer.content)
        if envelope is not None:
            self.envelope = envelope
            return
        reason = f"something else than the service answered, with HTTP {answer.status_code}"
        self.envelope = self._exchange.unavailable(reason)
        if answer.status_code in _GATEWAY and self._exchange.may_repeat:
            self.pause = self._next_pause


def _attempts(exchange: Exchange) -> Iterator[Attempt]:
    """Yield attempts until one is not to be followed by another."""
    for next_pause in (*_PAUSES, None):
        attempt = Attempt(exchange, next_pause)
        yield attempt
        if attempt.pause is None:
            return


def _headers(token: str | None) -> Mapping[str, str]:
    headers = {"content-type": "application/json"}
    return headers if token is None else {**headers, "authorization": f"Bearer {token}"}
