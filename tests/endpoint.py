"""An endpoint that embeds as OpenAI's protocol says, over real HTTP, by a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


def letters(text: str) -> list[float]:
    return [1.0 + text.count("a"), 1.0 + text.count("b"), 1.0 + text.count("c")]


def embedded(asked: dict[str, Any]) -> Answer:
    """Answer as the protocol says, the last text first."""
    items = [
        {"object": "embedding", "index": at, "embedding": letters(text)}
        for at, text in enumerate(asked["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    answer = {"object": "list", "data": items[::-1], "model": asked["model"], "usage": usage}
    return 200, {}, json.dumps(answer).encode()


class Endpoint:
    """A server that answers by a script, then as it should; `asked` has what it was sent."""

    def __init__(self) -> None:
        self.script: list[Callable[[dict[str, Any]], Answer]] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.hold = threading.Event()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.asked.append(json.loads(body) | {"path": self.path})
                endpoint.keys.append(self.headers["Authorization"])
                answer = endpoint.script.pop(0) if endpoint.script else embedded
                status, headers, content = answer(json.loads(body))
                with suppress(ConnectionError):  # who asked may be gone
                    self.send_response(status)
                    for name, value in {"Content-Type": "application/json", **headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def late(self, asked: dict[str, Any]) -> Answer:
        """Answer when the test is over."""
        self.hold.wait(10)
        return embedded(asked)


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Serve until the block ends."""
    endpoint = Endpoint()
    endpoint.thread.start()
    try:
        yield endpoint
    finally:
        endpoint.hold.set()
        endpoint.server.shutdown()
        endpoint.thread.join()
        endpoint.server.server_close()
