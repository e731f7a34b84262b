"""What a peer can take of a server before it has said who it is: bytes, time and connections."""

from __future__ import annotations

import logging
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx2
import orjson
import pytest
from tests.serving import SECONDS

from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.protocol import Bounds, most_connections
from recollect.servers.http.server import listen, make_server, url_of
from recollect.servers.http.tokens import AccessTokens, new_token
from recollect.servers.service import ServedMemory

SOON = 0.3
TOKEN, ROW = new_token(["team"])
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
SEARCH = b"POST /v1/operations/SearchFacts HTTP/1.1\r\nHost: localhost\r\n"


class Served:
    """One server of its own, with bounds of its own."""

    def __init__(self, service: ServedMemory, bounds: Bounds, options: Options) -> None:
        self.listener = listen("127.0.0.1", 0)
        self.url = url_of(self.listener)
        self.server = make_server(make_app(service, options), grace_seconds=1, bounds=bounds)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})
        self.thread.start()

    @contextmanager
    def connected(self, *, room: int | None = None) -> Iterator[socket.socket]:
        place = urlsplit(self.url)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as peer:
            if room is not None:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
            peer.settimeout(30)
            peer.connect((place.hostname, place.port))
            yield peer

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.listener.close()


Serve = Callable[..., Served]


@pytest.fixture
def serve(service: ServedMemory) -> Iterator[Serve]:
    with ExitStack() as open_ones:

        def begin(options: Options | None = None, **bounds: float) -> Served:
            served = Served(service, Bounds(**bounds), options or Options())
            open_ones.callback(served.close)
            return served

        yield begin


def all_of(peer: socket.socket) -> bytes:
    """Read until the server ends the connection."""
    told = b""
    try:
        while part := peer.recv(2**16):
            told += part
    except ConnectionResetError:
        pass
    return told


def answer_in(told: bytes) -> tuple[int, str]:
    """The status and the error code of an answer that is JSON."""
    head, _, body = told.partition(b"\r\n\r\n")
    return int(head.split()[1]), orjson.loads(body)["error"]["error_code"]


@pytest.mark.parametrize(
    "begun",
    [
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ",
        b"GET /",
        SEARCH + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\nX-A: ",
        SEARCH + b"Transfer-Encoding: chunked\r\n\r\n5;a=",
    ],
    ids=["header", "line", "trailer", "chunk extension"],
)
def test_what_never_ends_is_refused_while_it_comes(serve: Serve, begun: bytes) -> None:
    with serve().connected() as peer:
        peer.sendall(begun)
        try:
            for _ in range(1_000):
                peer.sendall(b"a" * 2**16)
        except (BrokenPipeError, ConnectionResetError):
            pass
        else:
            pytest.fail("62 MB of a head were taken")


@pytest.mark.parametrize("size", [16_400, 200_000])
def test_a_head_that_is_too_large_is_told_so(serve: Serve, size: int) -> None:
    with serve().connected() as peer:
        peer.sendall(HEALTH[:-2] + b"X-A: " + b"a" * size + b"\r\n\r\n")
        assert answer_in(all_of(peer)) == (431, "LIMIT_EXCEEDED")


def test_a_head_within_the_bound_is_read(serve: Serve) -> None:
    served = serve()
    headers = {"x-a": "a" * 15_000}
    assert httpx2.get(f"{served.url}/healthz", headers=headers, timeout=SECONDS).status_code == 200


def test_a_large_body_before_another_request_is_no_head(serve: Serve) -> None:
    body = b'{"input": {"group_ids": ["g"], "query": "%b"}}' % (b"x" * 100_000)
    both = SEARCH + b"Content-Length: %d\r\n\r\n" % len(body) + body + HEALTH
    with serve(idle_seconds=SOON).connected() as peer:
        peer.sendall(both)
        assert all_of(peer).count(b"HTTP/1.1 200 OK") == 2


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        HEALTH,
        b"GET /healthz HTTP/1.1\r\nHost:",
        SEARCH + b"Content-Length: 10\r\n\r\n{",
        SEARCH + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
    ids=["nothing", "one request", "half a head", "half a body", "half a chunk"],
)
def test_who_says_no_more_is_not_waited_for(serve: Serve, begun: bytes) -> None:
    served = serve(head_seconds=SOON, idle_seconds=SOON)
    with served.connected() as peer:
        peer.sendall(begun)
        all_of(peer)  # it ends
    assert httpx2.get(f"{served.url}/healthz", timeout=SECONDS).status_code == 200


def test_a_head_that_drips_ends_in_its_time(serve: Serve) -> None:
    with serve(head_seconds=SOON, idle_seconds=60).connected() as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nX-A: ")
        peer.settimeout(0.01)
        while True:
            try:
                peer.sendall(b"a")
                if peer.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                break


def test_who_takes_no_answer_is_not_waited_for(serve: Serve) -> None:
    served = serve(idle_seconds=SOON)
    ask = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with served.connected(room=4_096) as peer, pytest.raises(ConnectionError):
        while True:  # what systems keep for a server has no size that a test could rely on
            peer.sendall(ask * 1_000)
    assert httpx2.get(f"{served.url}/healthz", timeout=SECONDS).status_code == 200


def test_who_took_a_large_answer_is_waited_for_no_longer_than_others(serve: Serve) -> None:
    ask = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    served = serve(idle_seconds=SOON)
    served.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    with served.connected(room=4_096) as peer:
        peer.sendall(ask)
        assert all_of(peer).endswith(b"}")  # it ends, though nobody asked it to


def test_one_connection_more_is_answered_and_ended(serve: Serve) -> None:
    served = serve(connections=2)
    with served.connected() as first, served.connected() as second, ExitStack() as others:
        for one in (first, second):
            one.sendall(HEALTH)
            assert one.recv(12) == b"HTTP/1.1 200"
        third = others.enter_context(served.connected())
        third.sendall(HEALTH)
        told = all_of(third)
        assert answer_in(told) == (503, "UNAVAILABLE")
        assert b"retry-after: 1" in told
        first.sendall(HEALTH[:-2] + b"Connection: close\r\n\r\n")
        assert b"HTTP/1.1 200" in all_of(first)


def test_connections_are_fewer_than_descriptors() -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    try:
        assert most_connections() == 512 - 128 - 64
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("told", [b"Content-Length: 101", b"Transfer-Encoding: chunked"])
def test_a_body_without_room_is_refused_before_it_comes(serve: Serve, told: bytes) -> None:
    with serve(Options(body_bytes=100)).connected() as peer:
        peer.sendall(SEARCH + told + b"\r\nConnection: close\r\n\r\n")
        assert answer_in(all_of(peer)) == (503, "UNAVAILABLE")


def test_room_is_given_back(serve: Serve) -> None:
    served = serve(Options(body_bytes=100))
    for _ in range(5):
        asked = httpx2.post(
            f"{served.url}/v1/operations/Healthcheck", json={"input": {}}, timeout=SECONDS
        )
        assert asked.status_code == 200


@pytest.mark.parametrize(
    "begun", [b"\x16\x03\x01\x02", b"HELLO\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"]
)
def test_what_is_not_http_is_answered_with_json(serve: Serve, begun: bytes) -> None:
    with serve().connected() as peer:
        peer.sendall(begun)
        assert answer_in(all_of(peer)) == (400, "INVALID_ARGUMENT")


def test_two_hosts_are_refused(serve: Serve) -> None:
    with serve().connected() as peer:
        second = b"Host: evil.example\r\nConnection: close\r\n\r\n"
        peer.sendall(SEARCH + second)
        assert answer_in(all_of(peer)) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "http://evil"}])
@pytest.mark.parametrize(
    "tokens", [AccessTokens(), AccessTokens((ROW,))], ids=["open", "with tokens"]
)
def test_what_a_foreign_page_sends_is_refused(
    serve: Serve, headers: dict[str, str], tokens: AccessTokens
) -> None:
    served = serve(Options(tokens=tokens))
    bearer = {"authorization": f"Bearer {TOKEN}"}
    path = f"{served.url}/v1/attention?group_id=team"
    assert httpx2.get(path, headers=bearer, timeout=SECONDS).status_code == 200
    assert httpx2.get(path, headers=bearer | headers, timeout=SECONDS).status_code == 403


def test_what_libraries_warn_of_is_json_too(log: Callable[[], list[dict]]) -> None:
    logging.getLogger("a_library").error("socket.accept() out of system resource")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    events = [line["event"] for line in log()]
    assert events[0].startswith("socket.accept()")
    assert "old" in events[1]
