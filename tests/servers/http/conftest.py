"""A server with a worker, over a memory of its own, and one who asks it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator

import httpx2
import pytest
from tests.servers.http.started import start
from tests.serving import SECONDS, Stage, stage

import recollect
from recollect.kernel import Nexus
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.logs import Form, begin_log
from recollect.servers.http.metrics import Metrics, observer, watcher
from recollect.servers.service import ServedMemory, at_work, make_service

__all__ = ["stage", "start"]

Ask = Callable[..., httpx2.Response]


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        yield nexus


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def service(nexus: Nexus, metrics: Metrics) -> Iterator[ServedMemory]:
    service = make_service(nexus, observer=observer(metrics), watcher=watcher(metrics))
    with at_work(service, 30):
        yield service


@pytest.fixture
def options() -> Options:
    """What the server is told; a module that wants another one overrides this."""
    return Options()


@pytest.fixture
def http(
    stage: Stage, service: ServedMemory, options: Options, metrics: Metrics
) -> Iterator[httpx2.Client]:
    stage.app = make_app(service, options, metrics)
    with httpx2.Client(base_url=stage.url, timeout=SECONDS) as http:
        yield http


@pytest.fixture
def ask(http: httpx2.Client) -> Ask:
    """Run an operation with its input; `token` is the bearer's."""

    def run(name: str, token: str | None = None, /, **given: object) -> httpx2.Response:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return http.post(f"/v1/operations/{name}", json={"input": given}, headers=headers)

    return run


@pytest.fixture
def log() -> Iterator[Callable[[], list[dict]]]:
    """Return the lines of the log so far, as JSON."""
    stream = io.StringIO()
    begin_log(Form.JSON, stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    begin_log(Form.NONE, stream)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def code_in(answer: httpx2.Response) -> str:
    """The error code of an answer that has one, in an envelope that is whole."""
    envelope = answer.json()
    assert envelope["status"] == "ERROR"
    assert set(envelope) == {"request_id", "status", "error"}
    assert answer.headers["x-request-id"] == envelope["request_id"]
    return envelope["error"]["error_code"]
