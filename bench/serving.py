"""The HTTP server: searches a second over many facts, asked from another process.

The rule: an answer counts when it is OK and holds facts; what is not is an error, and none may be.
"""

from __future__ import annotations

import http.client
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

import orjson

import recollect
from bench.measure import Figure
from bench.notes import notes, questions, word
from recollect.faces.operations import Operations

FACTS = 10_000
ENTITIES = 2_000

_GROUP = "team"
_RELATIONS = ("WORKS_AT", "KNOWS", "LIVES_IN", "OWNS")
_SEARCHERS = 8
_SECONDS = 10.0
_LEAST = 300  # searches a second
_RARE = 5_000  # the rank of the first word that names an entity
_BATCH = 100
_ASKED = 500
_SERVE = "from recollect.servers.cli import main; main()"


@dataclass(slots=True)
class Counted:
    """What one searcher saw."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0


def figures(folder: Path) -> Iterator[Figure]:
    """Fill a memory, serve it in a process of its own, and search it from threads of this one."""
    path = folder / "serving.db"
    _fill(path)
    options = ["--port", "0", "--log", "none", "--no-worker", "--json", "--db", str(path)]
    with subprocess.Popen(
        [sys.executable, "-c", _SERVE, "serve", *options], stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        url = orjson.loads(server.stdout.readline())["result"]["url"]
        counted, seconds = _search(url)
        server.terminate()
    times = [one for each in counted for one in each.seconds]
    errors = sum(each.errors for each in counted)
    rate, name = len(times) / seconds, f"SearchFacts, 8 words in {FACTS // 1000} k facts"
    yield Figure("serving", name, rate, "/s", None, f"{_LEAST} /s", rate >= _LEAST)
    yield Figure("serving", "errors among them", errors, "", None, "0", errors == 0)
    yield Figure("serving", "one of them, median", 1e6 * statistics.median(times), "us")
    yield Figure("serving", "one of them, p99", 1e6 * statistics.quantiles(times, n=100)[98], "us")


def _fill(path: Path) -> None:
    with recollect.open(path, synchronous="normal") as nexus:
        operations = Operations(nexus)
        for at in range(ENTITIES):
            name = f"{word(_RARE + at)} {word(_RARE + 2 * at + 1)}"
            operations.add_entity_node(group_id=_GROUP, uuid=f"n{at}", name=name)
        facts = [_fact(at, str(note.attributes["text"])) for at, note in enumerate(notes(FACTS))]
        for begin in range(0, FACTS, _BATCH):
            batch = facts[begin : begin + _BATCH]
            operations.call("AddFacts", {"group_id": _GROUP, "facts": batch})


def _fact(at: int, text: str) -> dict[str, object]:
    return {
        "name": _RELATIONS[at % len(_RELATIONS)],
        "fact": text,
        "source_node_uuid": f"n{at % ENTITIES}",
        "target_node_uuid": f"n{(at * 7 + 1) % ENTITIES}",
    }


def _search(url: str) -> tuple[list[Counted], float]:
    """Return what each searcher saw, and how long all of them took."""
    counted = [Counted() for _ in range(_SEARCHERS)]
    texts = questions(_ASKED, FACTS)
    begun = time.perf_counter()
    threads = [
        threading.Thread(target=_ask, args=(url, texts[at:], begun + _SECONDS, counted[at]))
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
        body = orjson.dumps({"input": {"group_ids": [_GROUP], "query": next(asked)}})
        begun = time.perf_counter()
        connection.request("POST", "/v1/operations/SearchFacts", body)
        answer = connection.getresponse()
        envelope = orjson.loads(answer.read())
        counted.seconds.append(time.perf_counter() - begun)
        if answer.status != http.HTTPStatus.OK or not envelope["output"]["facts"]:
            counted.errors += 1
    connection.close()
