"""The KIP of a server as methods: one class that waits, and one to be awaited.

The rule: they differ in how they wait and in nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Generic, TypeVar

from recollect.client.connection import AsyncConnection, Connection
from recollect.client.kip_exchange import KipExchange, changes_asked, executed
from recollect.faces.kip import Response
from recollect.faces.kip.changes import DEFAULT_LIMIT
from recollect.faces.kip.request import OnMissing
from recollect.faces.kip.response import Format
from recollect.model import AsOf, Value

AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class KipMethods(ABC, Generic[AnswerT_co]):
    """The functions of KIP; each returns what `_send` returns: a response, or one to await."""

    group: str | None

    @abstractmethod
    def _send(self, asked: KipExchange | Response) -> AnswerT_co:
        """Return the response to a call, which may be there already."""

    def execute(
        self,
        command: str | None = None,
        *,
        commands: Sequence[str | Mapping[str, object]] | None = None,
        parameters: Mapping[str, Value] | None = None,
        dry_run: bool = False,
        as_of: AsOf | Mapping[str, object] | None = None,
        format: Format = "rows",
        on_missing: OnMissing = "skip",
        actor: str | None = None,
        request_id: str | None = None,
    ) -> AnswerT_co:
        """Run a KIP text, or several, as `execute_kip` does; never raises for what it answers."""
        arguments = {
            "command": command,
            "commands": commands,
            "parameters": parameters,
            "dry_run": dry_run,
            "as_of": as_of,
            "format": format,
            "on_missing": on_missing,
            "actor": actor,
            "request_id": request_id,
        }
        return self._send(executed(arguments, self.group, is_readonly=False))

    def execute_readonly(
        self,
        command: str | None = None,
        *,
        commands: Sequence[str | Mapping[str, object]] | None = None,
        parameters: Mapping[str, Value] | None = None,
        as_of: AsOf | Mapping[str, object] | None = None,
        format: Format = "rows",
        request_id: str | None = None,
    ) -> AnswerT_co:
        """Run a KIP text that only reads; one that writes is answered KIP_1001."""
        arguments = {
            "command": command,
            "commands": commands,
            "parameters": parameters,
            "as_of": as_of,
            "format": format,
            "request_id": request_id,
        }
        return self._send(executed(arguments, self.group, is_readonly=True))

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
