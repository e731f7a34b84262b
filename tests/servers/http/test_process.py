"""`recollect serve` as a process: it says where it is, stops when it is told to, and loses nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

import recollect
from recollect.client import Operations
from recollect.faces.operations.pipeline import StructuredExtractor, Work

SECONDS = 60
PROGRAM = "from recollect.servers.cli import main; main()"
TIME = "2026-01-31T09:30:00Z"


class Process:
    """One server with its memory in a file."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--json", *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.log: list[dict] = []
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        line = self.process.stdout.readline()
        self.url = json.loads(line)["result"]["url"] if line else ""

    def stop(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        code = self.process.wait(SECONDS)
        self.reader.join(SECONDS)
        return code

    def _read(self) -> None:
        for line in self.process.stderr:
            if line.startswith("{"):
                self.log.append(json.loads(line))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    processes: list[Process] = []

    def begin(*options: str) -> Process:
        processes.append(Process("--db", str(tmp_path / "memory.db"), *options))
        return processes[-1]

    yield begin
    for one in processes:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait(SECONDS)
        one.reader.join(SECONDS)
        one.process.stdout.close()
        one.process.stderr.close()


def episodes(count: int, prefix: str = "e") -> list[dict]:
    return [
        {"uuid": f"{prefix}{at}", "source": "text", "body": str(at), "reference_time": TIME}
        for at in range(count)
    ]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop(start, how: signal.Signals) -> None:
    server = start()
    with Operations(server.url) as operations:
        assert operations.healthcheck()["status"] == "OK"
        assert server.stop(how) == 0
        assert operations.healthcheck()["error"]["error_code"] == "UNAVAILABLE"
    assert (server.log[0]["event"], server.log[-1]["event"]) == ("listening", "stopped")


def test_what_was_accepted_when_it_stops_is_done_by_the_next(start, tmp_path: Path) -> None:
    server = start()
    accepted: list[str] = []
    stopping = threading.Event()

    def send(name: str) -> None:
        with Operations(server.url) as operations:
            at = 0
            while not stopping.is_set():
                items = episodes(20, f"{name}{at}-")
                answer = operations.add_episodes(group_id="g", items=items)
                if answer["status"] != "ACCEPTED":
                    assert answer["error"]["error_code"] == "UNAVAILABLE", answer
                    return
                accepted.extend(one["uuid"] for one in items)
                at += 1

    senders = [threading.Thread(target=send, args=(name,)) for name in "ab"]
    for sender in senders:
        sender.start()
    while len(accepted) < 100 and any(sender.is_alive() for sender in senders):
        pass
    assert server.stop(signal.SIGTERM) == 0
    stopping.set()
    for sender in senders:
        sender.join(SECONDS)
    assert len(accepted) >= 100
    with recollect.open(tmp_path / "memory.db") as nexus:
        Work(StructuredExtractor()).drain(nexus)
        group = nexus.group("g")
        assert set(group.look_up(accepted)) == set(accepted)
        assert len(group.queue.in_state("completed")) >= len(accepted)
        assert group.verify().is_whole


def test_a_request_that_is_running_when_it_stops_is_answered(start) -> None:
    server = start("--no-worker")
    answers: list[str] = []

    def ask(operations: Operations, at: int) -> None:
        answers.append(
            operations.add_episodes(group_id="g", items=episodes(100, f"{at}-"))["status"]
        )

    with Operations(server.url) as operations:
        threads = [threading.Thread(target=ask, args=(operations, at)) for at in range(4)]
        operations.healthcheck()
        for thread in threads:
            thread.start()
        while httpx2.get(f"{server.url}/readyz").status_code != 200:
            pass
        assert server.stop(signal.SIGTERM) == 0
        for thread in threads:
            thread.join(SECONDS)
    finished = sum(line.get("operation") == "AddEpisodes" for line in server.log)
    assert answers.count("ACCEPTED") == finished


def test_tokens_are_needed_where_a_file_of_them_is_named(start, tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM, "token", "new", "--group", "g", "--tokens", str(path)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    token = made.stdout.split()[0]
    assert path.stat().st_mode & 0o077 == 0
    server = start("--tokens", str(path), "--host", "127.0.0.1")
    with Operations(server.url) as nobody, Operations(server.url, token) as somebody:
        assert nobody.healthcheck()["error"]["error_code"] == "UNAUTHENTICATED"
        assert somebody.get_episodes(group_id="g", last_n=1)["status"] == "OK"
        denied = somebody.get_episodes(group_id="h", last_n=1)
        assert denied["error"]["error_code"] == "PERMISSION_DENIED"
