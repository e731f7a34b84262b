"""The connection of a client to its server, one that waits and one to be awaited, and its attempts.

The rule: a call is sent until its attempts say that it is done, and what may have arrived is sent
again only where twice is the same as once. The two connections differ in how they wait alone.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Mapping
from typing import Final, Generic, Protocol, TypeVar

import httpx2

from recollect.closing import AsyncClosing, Closing
from recollect.errors import STORE_CLOSED, refused

AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)

_TOKEN: Final = re.compile("[!-~]([ -~]*[!-~])?")  # ASCII that is seen, from end to end
_PAUSES: Final = (0.1, 0.4)  # seconds before each new attempt
_GATEWAY: Final = frozenset({502, 503, 504})
_NEVER_ARRIVED: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class Sent(Protocol[AnswerT_co]):
    """A call that is sent, and how its answers look."""

    @property
    def method(self) -> str:
        """The method of HTTP."""

    @property
    def path(self) -> str:
        """Where it goes, below the address of the server."""

    @property
    def body(self) -> bytes:
        """What it carries; empty for nothing."""

    @property
    def may_repeat(self) -> bool:
        """Whether twice is the same as once."""

    def unavailable(self, reason: str) -> AnswerT_co:
        """Return the answer for a service that was not reached."""

    def answer_in(self, body: bytes) -> AnswerT_co | None:
        """Return the answer in a body; None where something else than the service answered."""


class Attempt(Generic[AnswerT]):
    """One attempt of a call: its answer, and how long to wait for the next, if there is one."""

    def __init__(self, exchange: Sent[AnswerT], next_pause: float | None) -> None:
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
        """Note what was answered; what is no answer of it comes from something on the way."""
        envelope = self._exchange.answer_in(answer.content)
        if envelope is not None:
            self.envelope = envelope
            return
        reason = f"something else than the service answered, with HTTP {answer.status_code}"
        self.envelope = self._exchange.unavailable(reason)
        if answer.status_code in _GATEWAY and self._exchange.may_repeat:
            self.pause = self._next_pause


def attempts(exchange: Sent[AnswerT]) -> Iterator[Attempt[AnswerT]]:
    """Yield attempts until one is not to be followed by another."""
    for next_pause in (*_PAUSES, None):
        attempt = Attempt(exchange, next_pause)
        yield attempt
        if attempt.pause is None:
            return


def headers_for(token: object) -> Mapping[str, str]:
    """Return what every request says of what it carries and of who sends it.

    INVALID_ARGUMENT for a token that a header cannot carry.
    """
    headers = {"content-type": "application/json"}
    if token is None:
        return headers
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise refused(
            "the token is not text that a header can carry", "pass it as it was shown, or None"
        )
    return {**headers, "authorization": f"Bearer {token}"}


class Connection(Closing):
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


class AsyncConnection(AsyncClosing):
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
    raise refused(
        f"the url is not the address of a server: {reason}", 'pass url="http://127.0.0.1:7411"'
    )


def _refuse_closed(http: httpx2.Client | httpx2.AsyncClient) -> None:
    if http.is_closed:
        raise STORE_CLOSED.error("the connection is closed", "open it again")
