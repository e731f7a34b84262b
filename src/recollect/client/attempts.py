"""The attempts of a call: what came of each, and whether there is to be another.

The rule: what may have arrived is sent again only where twice is the same as once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Generic, Protocol, TypeVar

import httpx2

from recollect.errors import INVALID_ARGUMENT, RecollectError

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
        raise RecollectError(
            INVALID_ARGUMENT,
            "the token is not text that a header can carry",
            hint="pass it as it was shown, or None",
        )
    return {**headers, "authorization": f"Bearer {token}"}
