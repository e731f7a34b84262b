"""Evidence at a URL: fetched when asked, and from nowhere inside."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tests.faces.claims.compared import HASH, HERE, TEXT, Store, outcomes
from tests.faces.claims.conftest import Wait

from recollect.errors import INVALID_ARGUMENT, PERMISSION_DENIED, UNAVAILABLE, Code, RecollectError
from recollect.faces.claims import Checker, from_url
from recollect.faces.claims.fetching import anywhere, content_hash

OK = b"HTTP/1.1 200 OK\r\n"
DRIPS = {
    "/slow/head": (b"", OK + b"X: " + b"x" * 80 + b"\r\n\r\n"),
    "/slow/content": (OK + b"\r\n", TEXT * 5),
    "/slow/chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 20 + b"0\r\n\r\n"),
    **{
        f"/slow/moves/{left}": (b"HTTP/1.1 302 Found\r\n", b"Location: %d\r\n\r\n" % (left - 1))
        for left in range(1, 5)
    },
    "/slow/moves/0": (OK + b"\r\n" + TEXT, b""),
}
"""What is answered slowly: what is sent at once, and what comes a byte at a time after it."""


class Site(BaseHTTPRequestHandler):
    """Answers with a text, or leads away."""

    def do_GET(self) -> None:
        if self.path == "/page":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(TEXT)
        elif self.path == "/part":
            self.send_response(200)
            self.send_header("Content-Length", str(len(TEXT) + 1))
            self.end_headers()
            self.wfile.write(TEXT)
        elif self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/page")
            self.end_headers()
        elif self.path == "/round":
            self.send_response(302)
            self.send_header("Location", "/round")
            self.end_headers()
        elif self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to?"))
            self.end_headers()
        elif self.path in DRIPS:
            self.drip(*DRIPS[self.path])
        else:
            self.send_response(404)
            self.end_headers()

    def drip(self, at_once: bytes, slowly: bytes) -> None:
        """Send the second part a byte at a time, for as long as anybody listens."""
        with suppress(ConnectionError):
            self.wfile.write(at_once)
            for byte in slowly:
                threading.Event().wait(0.02)
                self.wfile.write(bytes([byte]))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@HERE
def test_a_url_is_fetched_only_when_asked(store: Store, wait: Wait, site: str) -> None:
    evidence = (
        from_url(f"{site}/page", content_hash=HASH),
        from_url(f"{site}/moved", content_hash="0" * 64),
        from_url(f"{site}/page"),
        from_url(f"{site}/gone"),
    )
    asked = Checker(fetch=True, allow_private=True)
    assert outcomes(store, wait, asked, *evidence) == [
        "confirmed",
        "refuted",
        "confirmed",
        "unknown",
    ]
    (report, *_) = wait(store.check("c", Checker()))
    assert "was not fetched" in report.message


@HERE
def test_a_download_that_breaks_off_tells_nothing(store: Store, wait: Wait, site: str) -> None:
    evidence = [from_url(f"{site}/part", content_hash=one) for one in (HASH, "0" * 64, None)]
    asked = Checker(fetch=True, allow_private=True)
    assert outcomes(store, wait, asked, *evidence) == ["unknown"] * 3


@HERE
def test_private_addresses_are_refused_unless_allowed(store: Store, wait: Wait, site: str) -> None:
    evidence = from_url(f"{site}/page", content_hash=HASH)
    assert outcomes(store, wait, Checker(fetch=True), evidence) == ["unknown"]
    (report,) = wait(store.check("c", Checker(fetch=True)))
    assert "not a public address" in report.message


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/", PERMISSION_DENIED),
        ("http://localhost:99/", PERMISSION_DENIED),
        ("http://[::1]/", PERMISSION_DENIED),
        ("http://169.254.169.254/latest", PERMISSION_DENIED),
        ("http://10.0.0.1/", PERMISSION_DENIED),
        ("http://[::ffff:127.0.0.1]/", PERMISSION_DENIED),
        ("http://[::127.0.0.1]/", PERMISSION_DENIED),
        ("http://[64:ff9b::7f00:1]/", PERMISSION_DENIED),
        ("http://[64:ff9b::a9fe:a9fe]/", PERMISSION_DENIED),
        ("http://[64:ff9b:1::a00:1]/", PERMISSION_DENIED),
        ("http://[2002:7f00:1::]/", PERMISSION_DENIED),
        ("http://[2002:a00:1::1]/", PERMISSION_DENIED),
        ("http://[::ffff:0:7f00:1]/", PERMISSION_DENIED),
        ("http://[fec0::1]/", PERMISSION_DENIED),
        ("http://224.0.0.1/", PERMISSION_DENIED),
        ("http://192.0.0.192/", PERMISSION_DENIED),
        ("http://168.63.129.16/", PERMISSION_DENIED),
        ("file:///etc/passwd", INVALID_ARGUMENT),
        ("ftp://example.org/", INVALID_ARGUMENT),
        ("http:///nowhere", INVALID_ARGUMENT),
        ("http://a b/", INVALID_ARGUMENT),
        ("http://x/\r\nHost: y", INVALID_ARGUMENT),
        ("http://x:99999/", INVALID_ARGUMENT),
        ("http://a..b/x", UNAVAILABLE),
        (f"http://{'a' * 64}.example/", UNAVAILABLE),
    ],
)
def test_no_url_leads_inside(url: str, code: Code) -> None:
    with pytest.raises(RecollectError) as caught:
        content_hash(url)
    assert caught.value.code is code


@pytest.mark.parametrize("inside", ["127.0.0.2", "[::1]", "[::ffff:127.0.0.1]"])
def test_no_redirect_leads_inside(site: str, inside: str) -> None:
    def is_open(address: str) -> bool:
        return address == "127.0.0.1"  # which stands for all that is public

    hop = f"{site}/to?"
    assert content_hash(f"{hop}{hop}{site}/page", is_open) == HASH
    port = site.rpartition(":")[2]
    for way in (hop, hop + hop, f"{site}/to?//"):
        target = f"{inside}:{port}/page"
        with pytest.raises(RecollectError) as caught:
            content_hash(f"{way}{target if way.endswith('//') else f'http://{target}'}", is_open)
        assert caught.value.code is PERMISSION_DENIED


@pytest.mark.parametrize("path", ["/round", "/gone", "/to?http://[bad"])
def test_what_does_not_answer_is_unavailable(site: str, path: str) -> None:
    with pytest.raises(RecollectError) as caught:
        content_hash(site + path, anywhere)
    assert caught.value.code is UNAVAILABLE


@pytest.mark.parametrize("path", ["head", "content", "chunks", "moves/4"])
def test_what_answers_too_slowly_is_given_up(site: str, path: str) -> None:
    with pytest.raises(RecollectError) as caught:
        content_hash(f"{site}/slow/{path}", anywhere, within=0.5)
    assert caught.value.code is UNAVAILABLE
    assert "TimeoutError" in caught.value.message
