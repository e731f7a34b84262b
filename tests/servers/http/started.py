"""`recollect serve` as a program of its own, for as long as a test runs.

A connection stays with the process that took it, and a process that is stopped takes none: so a
test can choose who answers.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

import postgres
from recollect.servers.settings import Settings

SECONDS = 60
PROGRAM = "from recollect.servers.cli import main; main()"
ONE_CONNECTION = httpx2.Limits(max_connections=1, keepalive_expiry=None)


class Started:
    """One server with its memory in a file."""

    def __init__(self, *options: str, **environment: str) -> None:
        command = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--json", *options]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**Settings().environment, **environment},
        )
        self.log: list[dict] = []
        self.said: list[str] = []
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        line = self.process.stdout.readline()
        self.first = json.loads(line) if line else {}
        self.url = self.first.get("result", {}).get("url", "")

    @property
    def processes(self) -> list[int]:
        """Those that answer, the oldest first."""
        ended = {one["process"] for one in self.events("process_ended")}
        started = [one["process"] for one in self.events("process_started")]
        return [one for one in started if one not in ended]

    def events(self, name: str) -> list[dict]:
        return [one for one in self.log if one["event"] == name]

    @contextmanager
    def connected(self) -> Iterator[list[httpx2.Client]]:
        """Yield a connection to each process, in their order."""
        await_that(lambda: len(self.processes) == self.first["result"]["processes"])
        processes = self.processes
        clients = [
            httpx2.Client(base_url=self.url, limits=ONE_CONNECTION, timeout=SECONDS)
            for _ in processes
        ]
        try:
            for one, client in zip(processes, clients, strict=True):
                others = [other for other in processes if other != one]
                for other in others:
                    os.kill(other, signal.SIGSTOP)
                try:
                    assert client.get("/healthz").status_code == 200
                finally:
                    for other in others:
                        os.kill(other, signal.SIGCONT)
            yield clients
        finally:
            for client in clients:
                client.close()

    def stop(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        code = self.process.wait(SECONDS)
        self.reader.join(SECONDS)
        return code

    def _read(self) -> None:
        for line in self.process.stderr:
            self.said.append(line)
            if line.startswith("{"):
                self.log.append(json.loads(line))


def await_that(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.002)  # the processor is theirs who are awaited
    assert holds()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """Start servers on one memory; none of them outlives the test."""
    servers: list[Started] = []

    def begin(*options: str, **environment: str) -> Started:
        path = postgres.address_of(tmp_path / "memory.db")
        servers.append(Started("--db", path, *options, **environment))
        return servers[-1]

    yield begin
    for one in servers:
        if one.process.poll() is None:
            one.process.terminate()  # killed, it would leave the folder of its counts
            one.process.wait(SECONDS)
        one.reader.join(SECONDS)
        one.process.stdout.close()
        one.process.stderr.close()
