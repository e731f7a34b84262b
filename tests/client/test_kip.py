"""KIP on a server through either client: the same responses, and what is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.client.test_transport import http, serve
from tests.faces.operations.remote import ADMIN, ONLY_G, Server
from tests.serving import Stage, stage

import recollect
from recollect import client
from recollect.faces.kip import execute_kip, read_changes
from recollect.faces.operations import Operations
from recollect.kernel import Nexus
from recollect.model import AsOf

__all__ = ["serve", "stage"]

DRUG = 'UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} } }'
NAMES = 'FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) }'
ANSWER = b'{"result":{"columns":["n"],"rows":[]}}'

Call = Callable[..., dict[str, Any]]


def waited(url: str, token: str, method: str, *given: Any, **more: Any) -> dict[str, Any]:
    with client.Kip(url, token, group="g", timeout=20) as kip:
        return getattr(kip, method)(*given, **more)


def awaited(url: str, token: str, method: str, *given: Any, **more: Any) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        async with client.AsyncKip(url, token, group="g", timeout=20) as kip:
            return await getattr(kip, method)(*given, **more)

    return asyncio.run(run())


@pytest.fixture(params=[waited, awaited], ids=["waited", "awaited"])
def call(request: pytest.FixtureRequest) -> Call:
    return request.param


@pytest.fixture
def nexus(stage: Stage) -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        server = Server()
        server.serve(nexus, Operations(nexus))
        stage.app = server.app
        yield nexus


def test_a_response_is_that_of_the_face_in_this_process(stage, nexus: Nexus, call: Call) -> None:
    here = nexus.group("g")
    written = call(stage.url, ONLY_G, "execute", DRUG, actor="ann", request_id="r")
    assert written["result"]["created"] == 1
    assert call(stage.url, ONLY_G, "execute_readonly", NAMES) == execute_kip(here, NAMES)
    before = AsOf(transaction=0)
    assert call(stage.url, ONLY_G, "execute", NAMES, as_of=before)["result"]["rows"] == []
    assert call(stage.url, ONLY_G, "changes") == read_changes(here)
    assert call(stage.url, ONLY_G, "changes", 1)["result"] == {"transactions": [], "next": 1}


@pytest.mark.usefixtures("nexus")
def test_what_the_server_refuses_is_answered(stage: Stage, call: Call) -> None:
    assert call(stage.url, ADMIN, "execute_readonly", DRUG)["error"]["code"] == "KIP_1001"
    assert call(stage.url, "no", "execute", DRUG)["error"]["code"] == "UNAUTHENTICATED"
    assert call(stage.url, ADMIN, "changes", -1)["error"]["code"] == "INVALID_ARGUMENT"


def test_what_no_json_can_carry_is_not_sent(call: Call) -> None:
    answer = call("http://127.0.0.1:1", "t", "execute", NAMES, parameters={"x": object()})
    assert answer["error"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("method", "given", "more"),
    [
        ("execute_readonly", [NAMES], {}),
        ("execute", [DRUG], {"dry_run": True}),
        ("changes", [], {}),
    ],
)
def test_what_may_be_done_twice_is_tried_again(serve, call: Call, method, given, more) -> None:
    server = serve(b"", http("503 Unavailable", b"<html>"), http("200 OK", ANSWER))
    assert "result" in call(server.url, "t", method, *given, **more)
    assert len(server.requests) == 3


def test_a_write_that_may_have_arrived_is_not_sent_again(serve, call: Call) -> None:
    server = serve(b"")
    answer = call(server.url, "t", "execute", DRUG)
    assert answer["error"]["code"] == "UNAVAILABLE"
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"error": "no"}'])
def test_what_is_no_response_comes_from_something_else(serve, call: Call, body: bytes) -> None:
    server = serve(http("404 Not Found", body))
    assert call(server.url, "t", "execute", NAMES)["error"]["code"] == "UNAVAILABLE"
