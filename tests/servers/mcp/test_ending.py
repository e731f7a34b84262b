"""How a server over standard input ends: at once, and with all that it acknowledged."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.mcp.conftest import PROGRAM, SECONDS

import postgres
import recollect

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "a", "version": "1"},
}
NOISE = "import warnings; warnings.warn('a warning', stacklevel=1); "


def message(number: int, method: str, params: dict) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def remembering(number: int) -> str:
    fact = {"subject": f"Ann {number}", "predicate": "knows", "object": "Bob"}
    return message(number, "tools/call", {"name": "remember", "arguments": {"facts": [fact]}})


@pytest.fixture
def server(path: Path):
    """A server that has shaken hands."""
    with subprocess.Popen(
        [sys.executable, "-c", f"{NOISE}{PROGRAM}", "mcp", "--db", postgres.address_of(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdin.write(message(0, "initialize", INITIALIZE))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 0
        yield process
        process.kill()


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, None])
@pytest.mark.parametrize("calls", [0, 60])
def test_a_server_that_is_stopped_keeps_what_it_acknowledged(server, path, stop, calls: int):
    server.stdin.write("".join(remembering(number) for number in range(1, calls + 1)))
    server.stdin.flush()
    told = [server.stdout.readline() for _ in range(min(calls, 5))]
    if stop is None:
        server.stdin.close()
    else:
        server.send_signal(stop)
    told += server.stdout.readlines()
    assert server.wait(SECONDS) == (0 if stop is None else -stop)
    answers = [json.loads(line) for line in told if line.endswith("\n")]
    acknowledged = [one["id"] for one in answers if "structuredContent" in one.get("result", {})]
    assert len(acknowledged) >= min(calls, 5)
    with recollect.open(path) as nexus:
        rows = nexus.read('FIND(?a.name) WHERE { ?f (?a, "knows", ?b) } LIMIT 100').results[0].rows
    assert {f"Ann {number}" for number in acknowledged} <= {name for (name,) in rows}
    errors = server.stderr.read()
    assert "a warning" in errors
    assert "Traceback" not in errors
