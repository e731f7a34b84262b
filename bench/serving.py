"""The HTTP server: searches a second over many facts, asked from another process.

The rule: an answer counts when it is OK and holds facts; what is not is an error, and none may be.
Two processes answer, as of `recollect serve --processes 2`; what one reaches is told beside it.
"""

from __future__ import annotations

import http.client
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

import orjson

import recollect
from bench.learning import visible_figures
from bench.meanings import FACTS, GROUP, Drawn, fill
from bench.measure import Figure
from bench.notes import questions
from bench.scale import Scale
from recollect.servers.http.logs import Form
from recollect.servers.http.processes import Begun
from recollect.servers.http.server import listen, url_of
from recollect.servers.http.serving import ServingPlan, serve_in_processes, serve_nexus

_SEARCHERS = 8
_SECONDS = 10.0
_LEAST = 300  # searches a second
_ASKED = 500
_PROCESSES = 2  # one for each core
_SERVED_BY = {1: "one process", _PROCESSES: "two processes"}
_SERVE = ("-c", "from recollect.servers.cli import main; main()", "serve", "--port", "0")
_QUIET = ("--log", "none", "--no-worker", "--json")


@dataclass(slots=True)
class Counted:
    """What one searcher saw."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0


def figures(folder: Path, scale: Scale) -> Iterator[Figure]:
    """Fill a memory, serve it in a process of its own, and search it from threads of this one."""
    path, facts = folder / "serving.db", scale.times(FACTS)
    with recollect.open(path, embedder=Drawn(), synchronous="normal") as nexus:
        fill(nexus, facts)
    for processes in (1, _PROCESSES):
        shared = ("--processes", str(processes))
        with _served([*_SERVE, *_QUIET, *shared, "--db", str(path)]) as url:
            yield from _search_figures(url, "words", processes, scale)
        with _served(["-m", "bench.serving", str(path), str(processes)]) as url:
            yield from _search_figures(url, "words and meaning", processes, scale)
            if processes == _PROCESSES:
                yield from visible_figures(url, scale)


@contextmanager
def _served(arguments: Sequence[str]) -> Iterator[str]:
    """Run a server, which says its address on a line."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield orjson.loads(server.stdout.readline())["result"]["url"]
        finally:
            server.terminate()


def _search_figures(url: str, by: str, processes: int, scale: Scale) -> Iterator[Figure]:
    facts = scale.times(FACTS)
    texts = questions(scale.times(_ASKED), facts)
    counted, seconds = _search(url, texts, scale.seconds(_SECONDS))
    times = [one for each in counted for one in each.seconds]
    errors = sum(each.errors for each in counted)
    rate = len(times) / seconds
    name = f"SearchFacts by {by}, {facts / 1000:g} k facts, {_SERVED_BY[processes]}"
    if processes == _PROCESSES:
        yield Figure("serving", name, rate, "/s", None, f"{_LEAST} /s", rate >= _LEAST)
    else:
        yield Figure("serving", name, rate, "/s")
    yield Figure("serving", "errors among them", errors, "", None, "0", errors == 0)
    yield Figure("serving", "one of them, median", 1e6 * statistics.median(times), "us")
    yield Figure("serving", "one of them, p99", 1e6 * statistics.quantiles(times, n=100)[98], "us")


def _search(url: str, texts: list[str], seconds: float) -> tuple[list[Counted], float]:
    """Return what each searcher saw, and how long all of them took."""
    counted = [Counted() for _ in range(_SEARCHERS)]
    begun = time.perf_counter()
    threads = [
        threading.Thread(target=_ask, args=(url, texts[at:], begun + seconds, counted[at]))
        for at in range(_SEARCHERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counted, time.perf_counter() - begun


def _ask(url: str, texts: Iterable[str], end: float, counted: Counted) -> None:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    asked = cycle(texts)
    while time.perf_counter() < end:
        body = orjson.dumps({"input": {"group_ids": [GROUP], "query": next(asked)}})
        begun = time.perf_counter()
        connection.request("POST", "/v1/operations/SearchFacts", body)
        answer = connection.getresponse()
        envelope = orjson.loads(answer.read())
        counted.seconds.append(time.perf_counter() - begun)
        if answer.status != http.HTTPStatus.OK or not envelope["output"]["facts"]:
            counted.errors += 1
    connection.close()


def _be_served(path: str, processes: int) -> None:
    """Be a server that embeds and learns, as `recollect serve` is, with the embedder that draws."""
    with listen("127.0.0.1", 0) as listener:
        told = orjson.dumps({"result": {"url": url_of(listener)}}).decode()
        plan = ServingPlan(log=Form.NONE)
        opened, begun = partial(_open, path), lambda: print(told, flush=True)
        if processes == 1:
            opened(plan, listener, begun)
        else:
            serve_in_processes(opened, plan, listener, processes, begun)


def _open(path: str, plan: ServingPlan, listener: socket.socket, begun: Begun) -> None:
    with recollect.open(path, embedder=Drawn()) as nexus:
        serve_nexus(nexus, plan, listener, begun)


if __name__ == "__main__":
    _be_served(sys.argv[1], int(sys.argv[2]))
