"""A body that is too large is refused while it comes, not after."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.servers.http.conftest import code_in

from recollect.servers.http.guard import Options

MEBIBYTE = 2**20
SEARCH = b'{"input": {"group_ids": ["g"], "query": "%b"}}'


def of_size(size: int) -> bytes:
    return SEARCH % (b"x" * (size - len(SEARCH) + 2))


def test_a_body_of_exactly_the_limit_is_read(http: httpx2.Client) -> None:
    body = of_size(MEBIBYTE)
    assert len(body) == MEBIBYTE
    assert http.post("/v1/operations/SearchFacts", content=body).status_code == 200


@pytest.mark.parametrize("path", ["/v1/operations/SearchFacts", "/v1/operations/Nothing"])
def test_one_byte_more_is_too_large(http: httpx2.Client, path: str) -> None:
    answer = http.post(path, content=of_size(MEBIBYTE + 1))
    assert (answer.status_code, code_in(answer)) == (413, "LIMIT_EXCEEDED")


def test_a_body_without_a_length_is_counted(http: httpx2.Client) -> None:
    def parts() -> Iterator[bytes]:
        body = of_size(MEBIBYTE + 1)
        yield from (body[at : at + 2**16] for at in range(0, len(body), 2**16))

    answer = http.post("/v1/operations/SearchFacts", content=parts())
    assert (answer.status_code, code_in(answer)) == (413, "LIMIT_EXCEEDED")


def test_the_answer_comes_before_the_body_ends(http: httpx2.Client) -> None:
    place = urlsplit(str(http.base_url))
    head = f"POST /v1/operations/SearchFacts HTTP/1.1\r\nHost: {place.netloc}\r\n"
    with socket.create_connection((place.hostname, place.port), 30) as sending:
        sending.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        sending.sendall((b"%x\r\n" % (MEBIBYTE + 1)) + b"x" * (MEBIBYTE + 1) + b"\r\n")
        assert sending.recv(2**16).startswith(b"HTTP/1.1 413 ")  # no last chunk was sent


def test_a_length_that_is_too_large_is_believed(http: httpx2.Client) -> None:
    place = urlsplit(str(http.base_url))
    head = f"POST /v1/operations/SearchFacts HTTP/1.1\r\nHost: {place.netloc}\r\n"
    with socket.create_connection((place.hostname, place.port), 30) as sending:
        sending.sendall(head.encode() + b"Content-Length: 1048577\r\n\r\n")
        assert sending.recv(2**16).startswith(b"HTTP/1.1 413 ")


class TestASmallerLimit:
    @pytest.fixture
    def options(self) -> Options:
        return Options(request_bytes=100)

    def test_it_is_as_the_server_was_told(self, http: httpx2.Client) -> None:
        assert http.post("/v1/operations/Healthcheck", content=b" " * 101).status_code == 413
        small = http.post("/v1/operations/Healthcheck", content=b'{"input": {}}')
        assert small.status_code == 200
