"""`recollect studio` as a program."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx2

import postgres
import recollect

PROGRAM = "from recollect.servers.cli import main; main()"
SECONDS = 60


def test_the_command_says_where_the_pages_are_and_ends_when_told(tmp_path: Path):
    file = tmp_path / "memory.db"
    with recollect.open(file) as nexus:
        nexus.write('UPSERT { CONCEPT { {type: "Person", name: "Ann"} } }')
    command = [sys.executable, "-c", PROGRAM, "studio", postgres.address_of(file), "--port", "0"]
    options = ["--no-open", "--read-only", "--json"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        url = json.loads(process.stdout.readline())["result"]["url"]
        page = httpx2.get(f"{url}/", timeout=SECONDS)
        assert "Ann" in page.text and "read only" in page.text
        assert httpx2.post(f"{url}/v1/kip", json={}, timeout=SECONDS).status_code == 404
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0
