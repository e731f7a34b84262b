"""The MCP server over streamable HTTP, as a process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import anyio
import httpx2
import pytest
from mcp import Client

PROGRAM = "from recollect.servers.cli import main; main()"
SECONDS = 60


@pytest.fixture
def server(tmp_path) -> Iterator[tuple[subprocess.Popen, str]]:
    options = ["mcp", "--http", "127.0.0.1:0", "--json", "--db", str(tmp_path / "memory.db")]
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, *options], stdout=subprocess.PIPE)
    yield process, json.loads(process.stdout.readline())["result"]["url"]
    if process.poll() is None:
        process.kill()
        process.wait(SECONDS)
    process.stdout.close()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_share_the_memory_and_the_server_stops_when_told(server, mode):
    process, url = server
    fact = {"subject": "Ann", "predicate": "works_at", "object": "Acme"}

    async def script() -> None:
        with anyio.fail_after(SECONDS):
            async with Client(url, mode=mode) as one, Client(url, mode=mode) as other:
                assert not (await one.call_tool("remember", {"facts": [fact]})).is_error
                answer = await other.call_tool("recall", {"question": "Ann", "kinds": ["fact"]})
                assert answer.structured_content["memories"][0]["text"] == "Ann works at Acme"
                assert (await one.read_resource("recollect://primer")).contents
                assert (await one.get_prompt("maintenance")).messages

    anyio.run(script)
    process.send_signal(signal.SIGTERM)
    assert process.wait(SECONDS) in (0, -signal.SIGTERM)


def test_a_call_under_another_name_is_refused(server):
    _, url = server
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        answer = httpx2.post(
            url, headers=headers, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}
        )
        assert answer.status_code in (403, 421)
