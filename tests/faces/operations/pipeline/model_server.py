"""An OpenAI-compatible server that answers what a test tells it to, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer; `waits` holds it back until the server closes."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    waits: bool = False


def says(content: Any, *, tokens: tuple[int, int] = (100, 20), finish: str = "stop") -> Reply:
    """A completion with that content; what is no text is written as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    completion = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }
    return Reply(body=json.dumps(completion).encode())


@dataclass
class ModelServer:
    """What was asked, and what is still to be answered."""

    url: str
    script: list[Reply | Callable[[dict[str, Any]], Reply]]
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(*script: Reply | Callable[[dict[str, Any]], Reply]) -> Iterator[ModelServer]:
    served: ModelServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.asked.append({"path": self.path, **request})
            served.keys.append(self.headers.get("authorization"))
            step = served.script.pop(0) if served.script else Reply(500, b"{}")
            reply = step(request) if callable(step) else step
            if reply.waits:
                served.closing.wait(30)
                return
            self.send_response(reply.status)
            headers = {"content-type": "application/json", **reply.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = ModelServer(f"http://127.0.0.1:{server.server_port}/v1", list(script))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield served
    finally:
        served.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
