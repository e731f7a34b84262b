"""A server that is not reached, or answers nonsense, is an envelope; some calls are tried again."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recollect import client
from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.operations import Envelope

FACT = {
    "group_id": "g", "name": "KNOWS", "fact": "a knows b", "source_node_uuid": "a",
    "target_node_uuid": "b",
}  # fmt: skip
ENVELOPE = b'{"request_id":"r","status":"OK","output":{"status":"healthy"}}'


def http(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


class Scripted:
    """A server that answers each connection with the next of its answers, b"" with nothing."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = list(answers)
        self.requests: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        for answer in self.answers:
            connection, _ = self.listener.accept()
            with connection:
                head, _, body = connection.recv(2**16).partition(b"\r\n\r\n")
                fields = dict(line.split(b": ", 1) for line in head.lower().splitlines()[1:])
                while len(body) < int(fields.get(b"content-length", 0)):
                    body += connection.recv(2**16)
                self.requests.append(head + b"\r\n\r\n" + body)
                connection.sendall(answer)

    def close(self) -> None:
        self.thread.join(30)
        self.listener.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Scripted]]:
    servers: list[Scripted] = []

    def begin(*answers: bytes) -> Scripted:
        servers.append(Scripted(*answers))
        return servers[-1]

    yield begin
    for one in servers:
        one.close()


def waited(url: str, name: str, given: Any, **more: Any) -> Envelope:
    with client.Operations(url, "token", timeout=20) as operations:
        return operations.call(name, given, **more)


def awaited(url: str, name: str, given: Any, **more: Any) -> Envelope:
    async def run() -> Envelope:
        async with client.AsyncOperations(url, "token", timeout=20) as operations:
            return await operations.call(name, given, **more)

    return asyncio.run(run())


@pytest.fixture(params=[waited, awaited], ids=["waited", "awaited"])
def call(request: pytest.FixtureRequest) -> Callable[..., Envelope]:
    return request.param


def unavailable(envelope: Envelope) -> str:
    assert envelope["status"] == "ERROR"
    assert envelope["error"]["error_code"] == "UNAVAILABLE"
    return envelope["error"]["message"]


def test_an_answer_is_the_envelope_as_it_came(serve, call) -> None:
    server = serve(http("200 OK", ENVELOPE))
    answer = call(server.url, "Healthcheck", {}, request_id="r")
    assert answer == {"request_id": "r", "status": "OK", "output": {"status": "healthy"}}
    assert b"authorization: bearer token" in server.requests[0].lower()
    assert server.requests[0].startswith(b"POST /v1/operations/Healthcheck ")


def test_a_server_that_is_not_there_is_unavailable(call) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    answer = call(f"http://127.0.0.1:{port}", "AddFact", FACT, request_id="mine")
    assert "not reached" in unavailable(answer)
    assert answer["request_id"] == "mine"


@pytest.mark.parametrize(
    ("name", "given", "key"),
    [
        ("SearchFacts", {"group_ids": ["g"], "query": "x"}, None),
        ("DeleteGroup", {"group_id": "g"}, None),
        ("AddFact", FACT, "key"),
    ],
)
def test_what_may_be_done_twice_is_tried_again(serve, call, name, given, key) -> None:
    server = serve(b"", http("503 Unavailable", b"<html>"), http("200 OK", ENVELOPE))
    answer = call(server.url, name, given, idempotency_key=key)
    assert answer["status"] == "OK"
    bodies = [one.partition(b"\r\n\r\n")[2] for one in server.requests]
    assert len(bodies) == 3
    assert len(set(bodies)) == 1  # with one id


def test_after_three_attempts_it_is_unavailable(serve, call) -> None:
    server = serve(b"", b"", b"")
    assert "not reached" in unavailable(call(server.url, "Healthcheck", {}))


def test_a_write_that_may_have_arrived_is_not_sent_again(serve, call) -> None:
    server = serve(b"")
    assert "not reached" in unavailable(call(server.url, "AddFact", FACT))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"error": "no"}', b'{"request_id": 1, "status": 2}']
)
def test_what_is_no_envelope_comes_from_something_else(serve, call, body: bytes) -> None:
    server = serve(http("404 Not Found", body))
    assert "404" in unavailable(call(server.url, "Healthcheck", {}))


def test_what_the_service_says_is_not_tried_again(serve, call) -> None:
    said = b'{"request_id":"r","status":"ERROR","error":{"error_code":"UNAVAILABLE","message":"m"}}'
    server = serve(http("503 Unavailable", said))
    assert unavailable(call(server.url, "Healthcheck", {})) == "m"


@pytest.mark.parametrize(
    ("name", "given", "code"),
    [
        ("SearchFact", {}, "NOT_FOUND"),
        ("SearchFacts", {"query": 7}, "INVALID_ARGUMENT"),
        ("SearchFacts", "text", "INVALID_ARGUMENT"),
        ("AddFact", {**FACT, "fact": "x" * 2001}, "LIMIT_EXCEEDED"),
    ],
)
def test_what_the_service_would_refuse_is_not_sent(call, name, given, code) -> None:
    answer = call("http://127.0.0.1:1", name, given, request_id="r")
    assert answer["request_id"] == "r"
    assert answer["error"]["error_code"] == code


@pytest.mark.parametrize(
    "url",
    [
        *("http://[::1", "http://a\0", "http://a:b", "http://..", f"http://xn--{'a' * 70}"),
        *("", "/x", "localhost:7411", "ftp://host", None, 5),
    ],
)
@pytest.mark.parametrize(
    "kind", [client.Operations, client.AsyncOperations, client.RemoteKnowledgeStore]
)
def test_what_is_no_address_of_a_server_is_refused(kind: Callable[..., object], url: Any) -> None:
    with pytest.raises(RecollectError) as caught:
        kind(url)
    assert caught.value.code is INVALID_ARGUMENT
    assert "not the address of a server" in caught.value.message


@pytest.mark.parametrize("token", ["", "tok\n", " tok", "tök", "\x7f", "\ud800", 5])
@pytest.mark.parametrize(
    "kind",
    [
        *(client.Operations, client.AsyncOperations, client.Kip, client.AsyncKip),
        client.RemoteKnowledgeStore,
    ],
)
def test_what_is_no_token_is_refused(kind: Callable[..., object], token: Any) -> None:
    with pytest.raises(RecollectError) as caught:
        kind("http://127.0.0.1:1", token)
    assert caught.value.code is INVALID_ARGUMENT
    assert caught.value.message.startswith("the token is not")


@pytest.mark.parametrize("given", [{"tags": {"a"}}, {"query": "half \ud800"}])
def test_what_cannot_be_sent_is_refused_before_a_server_is_asked(given: Any) -> None:
    knowledge = client.Knowledge("http://127.0.0.1:9")
    with knowledge, pytest.raises(RecollectError, match="cannot be JSON") as raised:
        knowledge.retrieve(**{"query": "saga", **given})
    assert raised.value.code is INVALID_ARGUMENT
