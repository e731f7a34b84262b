"""The ways a call travels to a server: as plain HTTP, and through either client."""

from __future__ import annotations

import asyncio
import json

import httpx2
from tests.serving import SECONDS

from recollect import client
from recollect.errors import CODES
from recollect.faces.operations import Caller, Envelope, Operations
from recollect.faces.operations.methods import Methods
from recollect.kernel import Nexus
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens, TokenRow, digest

ADMIN, ONLY_G = "token of the administrator", "token of g"
TOKENS = AccessTokens(
    (TokenRow(digest(ADMIN), None, True), TokenRow(digest(ONLY_G), ("g",), False))
)
STATUSES = {"OK": 200, "ACCEPTED": 202, "PARKED": 200}


class Server:
    """An application whose memory may be exchanged for another."""

    def __init__(self) -> None:
        self.nexus: Nexus
        self.operations: Operations
        self.is_working = True
        self.app = make_app(self, Options(tokens=TOKENS))  # type: ignore[arg-type]

    def serve(self, nexus: Nexus, operations: Operations) -> None:
        self.nexus, self.operations = nexus, operations


class Remote(Methods[Envelope]):
    """A service somewhere else, for one of the bearers above."""

    def __init__(self, url: str, token: str = ADMIN) -> None:
        self.begin(url, token)
        self.other = type(self)(url, ONLY_G) if token == ADMIN else self

    def on_behalf_of(self, caller: Caller) -> Remote:
        assert caller == Caller(frozenset({"g"}), is_admin=False)
        return self.other

    def close(self) -> None:
        self.end()
        if self.other is not self:
            self.other.end()


class PlainHttp(Remote):
    """Requests and answers as they are; what holds of every answer is looked at each time."""

    def begin(self, url: str, token: str) -> None:
        self.http = httpx2.Client(
            base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=SECONDS
        )

    def call(self, name, input, *, request_id=None, idempotency_key=None):
        given = {"request_id": request_id, "idempotency_key": idempotency_key, "input": input}
        body = json.dumps({key: value for key, value in given.items() if value is not None})
        answer = self.http.post(f"/v1/operations/{name}", content=body)
        envelope = answer.json()
        failed = envelope["status"] == "ERROR"
        code = CODES[envelope["error"]["error_code"]].http if failed else None
        assert answer.status_code == (code or STATUSES[envelope["status"]])
        assert answer.headers["x-request-id"] == envelope["request_id"]
        assert answer.headers["content-type"] == "application/json"
        return envelope

    def end(self) -> None:
        self.http.close()


class Client(Remote):
    """The client that waits."""

    def begin(self, url: str, token: str) -> None:
        self.operations = client.Operations(url, token)

    def call(self, name, input, **more):
        return self.operations.call(name, input, **more)

    def end(self) -> None:
        self.operations.close()


class AsyncClient(Remote):
    """The client that is awaited."""

    def begin(self, url: str, token: str) -> None:
        self.runner = asyncio.Runner()
        self.operations = client.AsyncOperations(url, token)

    def call(self, name, input, **more):
        return self.runner.run(self.operations.call(name, input, **more))

    def end(self) -> None:
        self.runner.run(self.operations.close())
        self.runner.close()


WAYS = {"http": PlainHttp, "client": Client, "async": AsyncClient}
