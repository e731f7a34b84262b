"""The KIP of a server as methods, of one class that waits and one to be awaited.

The rule: whatever happens on the way, the caller gets a response of KIP. The server alone judges a
text; here is refused only what cannot be sent. The two classes differ in how they wait alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping
from typing import Any, Final, Generic, TypeVar, Unpack, cast
from urllib.parse import urlencode

import orjson

from recollect.client.connection import AsyncConnection, Connection
from recollect.errors import UNAVAILABLE, refused
from recollect.faces.kip import Response
from recollect.faces.kip.changes import DEFAULT_LIMIT, instant_text
from recollect.faces.kip.execute import ReadingArguments, RunningArguments
from recollect.faces.kip.response import failure
from recollect.model import AsOf
from recollect.node import dataclass

_KIP: Final = "/v1/kip"
_READONLY: Final = "/v1/kip/readonly"
_CHANGES: Final = "/v1/changes"


@dataclass(frozen=True, slots=True)
class KipExchange:
    """One call of KIP, or for a page of the changes feed."""

    method: str
    path: str
    body: bytes
    may_repeat: bool

    def unavailable(self, reason: str) -> Response:
        """Return the response for a service that was not reached."""
        hint = "check the address, and that the server runs"
        return failure(UNAVAILABLE.error(reason, hint))

    def answer_in(self, body: bytes) -> Response | None:
        """Return the response in an answer; None where something else than the service answered."""
        try:
            members = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        return cast(Response, members) if _is_response(members) else None


def executed(
    arguments: Mapping[str, object], group: str | None, *, is_readonly: bool
) -> KipExchange | Response:
    """Return a call to be sent, or the response to one that cannot be."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if "as_of" in given:
        given["as_of"] = as_of_members(given["as_of"])
    if group is not None:
        given["group_id"] = group
    try:
        body = orjson.dumps(given)
    except orjson.JSONEncodeError as error:
        return failure(
            refused(
                f"the arguments are not JSON: {error}",
                "pass null, true, false, numbers, text, lists, dicts",
            )
        )
    may_repeat = is_readonly or arguments.get("dry_run") is True
    return KipExchange("POST", _READONLY if is_readonly else _KIP, body, may_repeat)


def changes_asked(since: int, limit: int, group: str | None) -> KipExchange:
    """Return the call for a page of the changes feed."""
    fields: dict[str, object] = {"since": since, "limit": limit}
    if group is not None:
        fields["group_id"] = group
    return KipExchange("GET", f"{_CHANGES}?{urlencode(fields)}", b"", may_repeat=True)


def as_of_members(as_of: object) -> object:
    """Return a point in time as a request names it; what is no `AsOf` stays as it is."""
    if not isinstance(as_of, AsOf):
        return as_of
    moments: dict[str, object] = {}
    if as_of.valid is not None:
        moments["valid"] = instant_text(as_of.valid)
    if as_of.known is not None:
        moments["known"] = instant_text(as_of.known)
    if as_of.transaction is not None:
        moments["known"] = as_of.transaction
    return moments


def _is_response(members: object) -> bool:
    match members:
        case {"result": _} | {"error": {"code": str(), "message": str()}}:
            return True
        case _:
            return False


AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class KipMethods(ABC, Generic[AnswerT_co]):
    """The functions of KIP; each returns what `_send` returns: a response, or one to await."""

    group: str | None

    @abstractmethod
    def _send(self, asked: KipExchange | Response) -> AnswerT_co:
        """Return the response to a call, which may be there already."""

    def execute(self, command: str | None = None, **given: Unpack[RunningArguments]) -> AnswerT_co:
        """Run a KIP text, or several, as `execute_kip` does; never raises for what it answers."""
        return self._send(executed({"command": command, **given}, self.group, is_readonly=False))

    def execute_readonly(
        self, command: str | None = None, **given: Unpack[ReadingArguments]
    ) -> AnswerT_co:
        """Run a KIP text that only reads; one that writes is answered KIP_1001."""
        return self._send(executed({"command": command, **given}, self.group, is_readonly=True))

    def changes(self, since: int = 0, limit: int = DEFAULT_LIMIT) -> AnswerT_co:
        """Return `{"result": {"transactions", "next"}}`: what came after number `since`."""
        return self._send(changes_asked(since, limit, self.group))


class Kip(Connection, KipMethods[Response]):
    """The KIP of one group on a server; safe to share between threads.

    `url` is the address of the server, `token` what it knows the caller by, `group` the group;
    without one it is the token's own. `timeout` is in seconds, for one attempt. A call never
    raises for what the service says. A server that is not reached is UNAVAILABLE, after three
    attempts: what may have arrived is sent again only if it is `execute_readonly`, `changes`,
    or a dry run.
    """

    def __init__(
        self, url: str, token: str | None = None, *, group: str | None = None, timeout: float = 30.0
    ) -> None:
        super().__init__(url, token, timeout=timeout)
        self.group = group

    def _send(self, asked: KipExchange | Response) -> Response:
        return self._answer(asked) if isinstance(asked, KipExchange) else asked


class AsyncKip(AsyncConnection, KipMethods[Coroutine[Any, Any, Response]]):
    """The same, to be awaited: `await kip.execute(...)`; for one event loop."""

    def __init__(
        self, url: str, token: str | None = None, *, group: str | None = None, timeout: float = 30.0
    ) -> None:
        super().__init__(url, token, timeout=timeout)
        self.group = group

    async def _send(self, asked: KipExchange | Response) -> Response:
        return await self._answer(asked) if isinstance(asked, KipExchange) else asked
