"""The connection of a client to its server: one that waits, and one to be awaited.

The rule: they send a call until its attempts say it is done, and differ in how they wait alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Self, TypeVar

import httpx2

from recollect.client.attempts import Sent, attempts, headers_for
from recollect.errors import INVALID_ARGUMENT, STORE_CLOSED, RecollectError

AnswerT = TypeVar("AnswerT")


class Connection:
    """What sends calls to the server at `url`; safe to share between threads.

    `token` is what the server knows the caller by, `timeout` the seconds one attempt may take.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        self._http = httpx2.Client(
            base_url=_address(url), headers=headers_for(token), timeout=timeout
        )

    def _answer(self, call: Sent[AnswerT], headers: Mapping[str, str] | None = None) -> AnswerT:
        """Return what came of a call after all its attempts."""
        for attempt in attempts(call):
            _refuse_closed(self._http)
            try:
                answer = self._http.request(
                    call.method, call.path, content=call.body, headers=headers
                )
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncConnection:
    """The same, to be awaited; for one event loop."""

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        self._http = httpx2.AsyncClient(
            base_url=_address(url), headers=headers_for(token), timeout=timeout
        )

    async def _answer(self, call: Sent[AnswerT]) -> AnswerT:
        """Return what came of a call after all its attempts."""
        for attempt in attempts(call):
            _refuse_closed(self._http)
            try:
                answer = await self._http.request(call.method, call.path, content=call.body)
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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _address(url: object) -> httpx2.URL:
    """Return the address of a server; INVALID_ARGUMENT for what is none."""
    try:
        address = httpx2.URL(url) if isinstance(url, str) else None
        if address is None:
            reason = f"it is of type {type(url).__name__}, not a text"
        elif address.scheme not in ("http", "https") or not address.host:
            reason = "it has no http:// or https:// with a host"
        else:
            address.host.encode("idna")  # as the connection will
            return address
    except (httpx2.InvalidURL, UnicodeError) as error:
        reason = str(error)
    raise RecollectError(
        INVALID_ARGUMENT,
        f"the url is not the address of a server: {reason}",
        hint='pass url="http://127.0.0.1:7411"',
    )


def _refuse_closed(http: httpx2.Client | httpx2.AsyncClient) -> None:
    if http.is_closed:
        raise RecollectError(STORE_CLOSED, "the connection is closed", hint="open it again")
