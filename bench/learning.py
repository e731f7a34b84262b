"""How soon a fact can be found: from the answer ACCEPTED to the first search that shows it.

The rule: the server learns by its own worker, embeds, and answers searches of others meanwhile.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from bench.meanings import FACTS, GROUP
from bench.measure import Figure
from bench.notes import questions, word
from bench.scale import Scale
from recollect.client import Operations
from recollect.faces.operations.inputs import EpisodeItem

_CALLS = 200  # of one episode
_LARGE_CALLS = 5
_AT_ONCE = 100  # episodes of a large call
_SEARCHERS = 2
_RARE = 20_000  # the rank of the first word that only a new fact has
_MOST_SECONDS = 2.0
_PAUSE_SECONDS = 0.01  # between looks
_TIME = "2026-01-31T09:30:00Z"


def visible_figures(url: str, scale: Scale) -> Iterator[Figure]:
    """Tell a server new facts, one by one and many at once, and wait for each to be found."""
    calls, large_calls = scale.times(_CALLS), scale.times(_LARGE_CALLS)
    at_once = scale.times(_AT_ONCE)
    asked = questions(50, scale.times(FACTS))
    ends = threading.Event()
    searchers = [
        threading.Thread(target=_search, args=(url, ends, asked)) for _ in range(_SEARCHERS)
    ]
    for one in searchers:
        one.start()
    try:
        with Operations(url) as operations:
            single = [_seconds(operations, [at])[1] for at in range(calls)]
            large = [
                _seconds(operations, range(calls + at * at_once, calls + (at + 1) * at_once))
                for at in range(large_calls)
            ]
    finally:
        ends.set()
        for one in searchers:
            one.join()
    middle, late = statistics.median(single), statistics.quantiles(single, n=100)[98]
    last, all_ = (max(each) for each in zip(*large, strict=True))
    yield Figure("serving", "a fact to be found after ACCEPTED, median", 1e6 * middle, "us")
    yield Figure("serving", "the same, p99", 1e6 * late, "us", None, "2 s", late <= _MOST_SECONDS)
    yield Figure(
        "serving",
        f"the last of {at_once} episodes of one call, the slowest of {large_calls}",
        1e6 * all_, "us", None, "2 s", all_ <= _MOST_SECONDS,
    )  # fmt: skip
    name = f"the same, without looking for the other {at_once - 1}"
    yield Figure("serving", name, 1e6 * last, "us")


def _seconds(operations: Operations, numbers: Sequence[int]) -> tuple[float, float]:
    """Return how long after ACCEPTED the last of new episodes is found, and how long all are."""
    items = [_episode(at) for at in numbers]
    told = operations.add_episodes(group_id=GROUP, items=items, idempotency_key=f"k{numbers[0]}")
    begun = time.perf_counter()
    assert told["status"] == "ACCEPTED", told
    found = []
    for at in reversed(numbers):  # the last is learnt last
        while not _is_found(operations, at):
            assert time.perf_counter() - begun < 10 * _MOST_SECONDS
            time.sleep(_PAUSE_SECONDS)
        found.append(time.perf_counter() - begun)
    return found[0], found[-1]


def _is_found(operations: Operations, number: int) -> bool:
    envelope = operations.search_facts(group_ids=[GROUP], query=word(_RARE + number), max_facts=3)
    assert envelope["status"] == "OK", envelope
    facts: Any = envelope["output"]["facts"]
    return any(one["source_episode_uuid"] == f"new {number}" for one in facts)


def _episode(number: int) -> EpisodeItem:
    """Return an episode with two entities, one of them new, and a fact with a word of its own."""
    person, company = f"Person {number}", f"Company {number % 50}"
    body = {
        "nodes": [{"tmp_ref": "p", "name": person}, {"tmp_ref": "c", "name": company}],
        "edges": [
            {
                "name": "WORKS_AT",
                "fact": f"{person} works as a {word(_RARE + number)} at {company}",
                "source_ref": "p",
                "target_ref": "c",
            }
        ],
    }
    return {
        "uuid": f"new {number}",
        "source": "json",
        "body": orjson.dumps(body).decode(),
        "reference_time": _TIME,
    }


def _search(url: str, ends: threading.Event, asked: list[str]) -> None:
    """Ask one question after the other until the end."""
    with Operations(url) as operations:
        while not ends.is_set():
            for text in asked:
                if ends.is_set():
                    return
                assert operations.search_facts(group_ids=[GROUP], query=text)["status"] == "OK"
