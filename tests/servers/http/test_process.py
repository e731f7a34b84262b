"""`recollect serve` as a process: it says where it is, stops when it is told to, and loses nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx2
import pytest
from tests.servers.http.started import PROGRAM, SECONDS, Started

import recollect
from recollect.client import Operations
from recollect.faces.operations.pipeline import StructuredExtractor, Work

TIME = "2026-01-31T09:30:00Z"


@pytest.fixture(params=["1", "2"])
def start(start: Callable[..., Started], request: pytest.FixtureRequest) -> Callable[..., Started]:
    """Start a server of one process, and one of two."""
    return partial(start, "--processes", request.param)


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
    events = [one["event"] for one in server.log if one["event"] != "process_started"]
    assert (events[0], events[-1]) == ("listening", "stopped")
    (warning,) = (one for one in server.log if one["level"] == "warning")
    assert "no facts are learnt" in warning["event"]
    assert [line for line in server.said if line and line[0] != "{"] == []


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
        assert set(group.elements.look_up(accepted)) == set(accepted)
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
        while httpx2.get(f"{server.url}/readyz", timeout=SECONDS).status_code != 200:
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
