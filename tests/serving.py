"""A real HTTP server on a loopback port, for as long as the tests run.

One server serves one application after the other: whichever stands on its stage.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.servers.http.server import listen, make_server, url_of

SECONDS = 60
"""What a machine that is busy may take to answer."""


class Stage:
    """An application that passes every request on to the one that stands on it."""

    def __init__(self) -> None:
        self.listener = listen("127.0.0.1", 0)
        self.url = url_of(self.listener)
        self.app: ASGIApp | None = None
        self._server = make_server(self, grace_seconds=5)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self.listener]}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            for phase in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{phase}.complete"})
            return
        assert self.app is not None
        await self.app(scope, receive, send)

    def begin(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self.listener.close()


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    stage = Stage()
    stage.begin()
    yield stage
    stage.close()
