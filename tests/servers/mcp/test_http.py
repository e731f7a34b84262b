"""The MCP server over streamable HTTP, as a process: every tool, and who may come in."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.servers.mcp.conftest import PROGRAM, SECONDS, Agent
from tests.servers.mcp.test_import import MANY, triples
from tests.servers.mcp.test_lines import asking

import postgres
from recollect.faces.operations import limits
from recollect.servers.http.tokens import new_token

FACT = {"subject": "Ann", "predicate": "works_at", "object": "Acme"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "a", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}

Start = Callable[..., tuple[subprocess.Popen, str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server with options, and return it with its address."""
    started: list[subprocess.Popen] = []

    def run(*options: str, log: IO[bytes] | None = None) -> tuple[subprocess.Popen, str]:
        path = postgres.address_of(tmp_path / "memory.db")
        words = ["mcp", "--http", "127.0.0.1:0", "--json", "--db", path]
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words, *options], stdout=subprocess.PIPE, stderr=log
        )
        started.append(process)
        return process, json.loads(process.stdout.readline())["result"]["url"]

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait(SECONDS)
        process.stdout.close()


@asynccontextmanager
async def agent(url: str, mode: str = "auto", token: str | None = None) -> AsyncIterator[Agent]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield Agent(client)


def within_time(script: Callable) -> None:
    async def run() -> None:
        with anyio.fail_after(SECONDS):
            await script()

    anyio.run(run)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_resource_and_prompt_works_and_the_server_stops_when_told(start, tmp_path, mode):
    triples(tmp_path / "few.jsonl", 3)
    process, url = start("--import-from", str(tmp_path))

    async def script() -> None:
        async with agent(url, mode) as one, agent(url, mode) as other:
            kept = await one.call("remember", facts=[FACT])
            found = await other.call("recall", question="Ann", kinds=["fact"])
            assert found["memories"][0]["text"] == "Ann works at Acme"
            assert (await other.call("add_episode", body="Ann: the train was late"))["accepted"]
            explained = await other.call("explain_memory", id=kept["facts"][0]["id"])
            assert explained["history"][0]["actor"] == "mcp"
            write = 'UPSERT { CONCEPT @a { {type: "Drug", name: "A"} } }'
            assert "result" in await one.call("execute_kip", command=write)
            read = 'FIND(?d.name) WHERE { ?d {type: "Drug"} }'
            answer = await other.call("execute_kip_readonly", command=read)
            assert answer["result"]["rows"] == [["A"]]
            assert (await one.call("import_file", path="few.jsonl"))["records"] == 3
            for resource in (await one.client.list_resources()).resources:
                assert (await one.client.read_resource(resource.uri)).contents[0].text
            for prompt in (await one.client.list_prompts()).prompts:
                assert (await one.client.get_prompt(prompt.name)).messages

    within_time(script)
    process.send_signal(signal.SIGTERM)
    assert process.wait(SECONDS) in (0, -signal.SIGTERM)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_import_tells_how_far_it_is_and_leaves_nothing_when_it_is_cancelled(
    start, tmp_path, mode
):
    triples(tmp_path / "many.jsonl", MANY)
    _, url = start("--import-from", str(tmp_path))
    told: list[float] = []

    async def script() -> None:
        async with agent(url, mode) as one:
            with anyio.CancelScope() as waiting:

                async def leave(done: float, *_: object) -> None:
                    told.append(done)
                    waiting.cancel()

                await one.client.call_tool(
                    "import_file", {"path": "many.jsonl"}, progress_callback=leave
                )
            assert waiting.cancelled_caught
            assert told[0] > 0
            await one.call("remember", facts=[FACT])
            log = await one.read("recollect://changes")
            life, told_now = log["transactions"]
            assert life["changes"][0]["operation"] == "create"
            assert len(told_now["changes"]) == 3  # the fact and its ends

    within_time(script)


def test_two_clients_write_at_once_and_nothing_is_lost(start):
    _, url = start()

    async def script() -> None:
        async def write(name: str) -> None:
            async with agent(url) as one:
                for at in range(15):
                    await one.call("remember", facts=[{**FACT, "subject": f"{name} {at}"}])

        async with anyio.create_task_group() as both:
            both.start_soon(write, "Ann")
            both.start_soon(write, "Bob")
        query = 'FIND(COUNT(?f)) WHERE { ?f (?who, "works_at", ?where) }'
        async with agent(url) as one:
            answer = await one.call("execute_kip_readonly", command=query)
            assert answer["result"]["rows"] == [[30]]

    within_time(script)


def test_a_server_of_this_machine_answers_to_its_own_name_and_offers_no_files(start):
    _, url = start()
    port = url.split(":")[2].split("/")[0]
    rebound = {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}
    for headers in (
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost:1"},
        {"Origin": f"http://localhost:{port}"},
        {"Origin": "null"},
        rebound,
    ):
        answer = httpx2.post(url, headers={**ACCEPT, **headers}, json=INITIALIZE, timeout=SECONDS)
        assert answer.status_code in (403, 421)
    for name in ("localhost", f"localhost:{port}"):
        headers = {"Host": name, "Origin": f"http://{name}"}
        answer = httpx2.post(url, headers={**ACCEPT, **headers}, json=INITIALIZE, timeout=SECONDS)
        assert answer.status_code == 200

    async def script() -> None:
        async with agent(url) as one:
            tools = {tool.name for tool in (await one.client.list_tools()).tools}
            assert "import_file" not in tools
            assert (await one.error("import_file", path="/etc/passwd"))[
                "code"
            ] == "PERMISSION_DENIED"

    within_time(script)


class Bearers:
    """A file of tokens, and the tokens."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.ann, ann = new_token(["team"], name="ann")
        self.everybody, everybody = new_token([], is_admin=True)
        self.two, two = new_token(["team", "other"])
        file.write_text("".join(f"{row.line()}\n" for row in (ann, everybody, two)))


@pytest.fixture
def bearers(tmp_path: Path) -> Bearers:
    return Bearers(tmp_path / "tokens.jsonl")


def test_a_token_opens_its_own_group_and_writes_under_its_name(start, bearers):
    _, url = start("--tokens", str(bearers.file))

    async def script() -> None:
        async with agent(url, token=bearers.ann) as ann, agent(url, token=bearers.everybody) as all:
            kept = await ann.call("remember", facts=[FACT])
            identifier = kept["facts"][0]["id"]
            explained = await ann.call("explain_memory", id=identifier)
            assert explained["history"][0]["actor"] == "ann"
            assert (await all.call("recall", question="Ann Acme"))["memories"] == []
            assert (await all.error("explain_memory", id=identifier))["code"] == "NOT_FOUND"
            primer = await all.read("recollect://primer")
            assert primer["summary"]["concepts"] == 0
            (message,) = (await all.client.get_prompt("bootstrap")).messages
            assert "works_at" not in message.content.text
        async with agent(url, token=bearers.two) as two:
            error = await two.error("recall", question="Ann")
            assert error["code"] == "PERMISSION_DENIED"

    within_time(script)


def test_several_groups_meet_in_the_group_of_the_server(start, bearers):
    _, url = start("--tokens", str(bearers.file), "--group", "team")

    async def script() -> None:
        async with agent(url, token=bearers.two) as two, agent(url, token=bearers.ann) as ann:
            await ann.call("remember", facts=[FACT])
            assert (await two.call("recall", question="Ann", kinds=["fact"]))["memories"]

    within_time(script)


def test_nobody_comes_in_without_a_token_that_is_known(start, bearers):
    _, url = start("--tokens", str(bearers.file))
    for headers in (
        {},
        {"Authorization": "Bearer rct_no"},
        {"Authorization": f"Basic {bearers.ann}"},
    ):
        answer = httpx2.post(url, headers={**ACCEPT, **headers}, json=INITIALIZE, timeout=SECONDS)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]["code"] == "UNAUTHENTICATED"
    known = {**ACCEPT, "Authorization": f"Bearer {bearers.ann}"}
    page = {**known, "Origin": "http://evil.example"}
    assert httpx2.post(url, headers=page, json=INITIALIZE, timeout=SECONDS).status_code == 403


def test_a_session_belongs_to_the_token_that_began_it(start, bearers):
    _, url = start("--tokens", str(bearers.file))
    ann = {**ACCEPT, "Authorization": f"Bearer {bearers.ann}"}
    begun = httpx2.post(url, headers=ann, json=INITIALIZE, timeout=SECONDS)
    session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert (
        httpx2.post(url, headers={**ann, **session}, json=ping, timeout=SECONDS).status_code == 200
    )
    other = {**ACCEPT, "Authorization": f"Bearer {bearers.everybody}"}
    assert (
        httpx2.post(url, headers={**other, **session}, json=ping, timeout=SECONDS).status_code
        == 404
    )


def test_a_body_that_is_no_message_is_told_under_its_id(start):
    _, url = start()
    headers = {**ACCEPT, "Content-Type": "application/json"}
    faults = [
        (asking(rb"\ud83d"), 400, -32700, 7),
        (asking(b"\xff"), 400, -32700, 7),
        (asking(b"a" * limits.REQUEST_BYTES), 413, -32600, 7),
        (b"prose", 400, -32700, None),
        (b"[]", 400, -32600, None),
    ]
    for body, status, code, identifier in faults:
        told = httpx2.post(url, headers=headers, content=body, timeout=SECONDS)
        assert told.status_code == status
        assert (told.json()["error"]["code"], told.json()["id"]) == (code, identifier)
        assert {"code", "hint", "retry"} <= told.json()["error"]["data"].keys()
    assert httpx2.post(url, headers=headers, json=INITIALIZE, timeout=SECONDS).is_success


def test_every_line_of_the_log_is_json(start, tmp_path):
    with (tmp_path / "log").open("w+b") as log:
        process, url = start(log=log)
        foreign = {**ACCEPT, "Host": "evil.example"}
        assert httpx2.post(url, headers=foreign, json=INITIALIZE, timeout=SECONDS).is_error
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
        log.seek(0)
        events = [json.loads(line)["event"] for line in log]
    assert "listening" in events
    assert any("evil.example" in event for event in events)
