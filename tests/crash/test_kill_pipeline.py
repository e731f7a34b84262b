"""A worker killed after any transition loses no episode, does none twice, leaves none in part."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.crash.learner import ACME, EDGES, KINDS, NEVER, episode, kind_of

import recollect
from recollect.faces.operations import Operations
from recollect.faces.operations.pipeline import Work, Worker
from recollect.faces.operations.pipeline.patterns import StructuredExtractor
from recollect.faces.operations.pipeline.ports import system_clock
from recollect.model import Instant, Rows, WorkItem

LEARNER = Path(__file__).with_name("learner.py")
SOURCES = Path(recollect.__file__).parents[1]
PROGRESS = {
    "accepted": 0,
    "extract_failed": 0,
    "extracted": 1,
    "embed_failed": 1,
    "embedded": 2,
    "upsert_failed": 2,
    "parked": 2,
    "upserted": 3,
    "completed": 4,
}
FAILED = ("upsert_failed", "parked")
REACHED = [state for state in PROGRESS if state != "accepted"]

FACTS = """
FIND(?who, ?relation, ?words) WHERE {
    ?fact (?person, ?relation, {type: "Entity", name: "Acme"})
    ATTR(?person, "name", ?who)
    ATTR(?fact, "fact", ?words)
} ORDER BY ?who, ?relation
"""


def _none(_: list[str]) -> bool:
    return False


class Nursery:
    """The process that forks the children."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self,
        task: str,
        path: Path,
        argument: str | int,
        is_last: Callable[[list[str]], bool] = _none,
    ) -> list[str]:
        """Run a child to its end, or kill it at the line that is the last; return all of them."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{task} {path} {argument}\n")
        self._process.stdin.flush()
        child, lines, is_killed = int(self._process.stdout.readline()), list[str](), False
        while (line := self._process.stdout.readline().strip()) != "ended":
            assert line, "the nursery is gone"
            lines.append(line)
            if not is_killed and is_last(lines):
                is_killed = True
                os.kill(child, signal.SIGKILL)
        return lines


@contextmanager
def nursery() -> Iterator[Nursery]:
    process = subprocess.Popen(
        [sys.executable, str(LEARNER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": f"{SOURCES}{os.pathsep}{SOURCES.parent}"},
    )
    try:
        yield Nursery(process)
    finally:
        process.communicate()


def held(nexus: recollect.Nexus, group: str) -> dict[str, WorkItem]:
    """Return a group's items, after checking that each is written whole or not at all."""
    with nexus.snapshot():  # a worker may be writing
        return _held(nexus.group(group))


def _held(one: recollect.Nexus) -> dict[str, WorkItem]:
    items = {item.item: item for state in PROGRESS for item in one.queue.in_state(state)}
    assert sum(one.queue.counts().values()) == len(items)
    (rows,) = one.read(FACTS).results
    assert isinstance(rows, Rows)
    written = sorted(
        int(name.removeprefix("e"))
        for name, item in items.items()
        if item.state in ("upserted", "completed")
    )
    expected = [
        (f"person {number}", f"DID_{at}", f"person {number} did {at}")
        for number in written
        for at in range(EDGES)
    ]
    assert sorted(rows.rows) == sorted(expected)
    (rows,) = one.read('FIND(?n) WHERE { ?e {type: "Entity"} ATTR(?e, "name", ?n) }').results
    assert isinstance(rows, Rows)
    names = {name for (name,) in rows.rows}
    assert len(names) == len(rows.rows)
    assert names - {"Acme"} == {f"person {number}" for number in written}
    assert one.verify().is_whole
    return items


def accept(path: Path, group: str, first: int) -> None:
    """Accept an episode of each kind."""
    with recollect.open(path) as nexus:
        service = Operations(nexus, worker=False)
        items: Any = [episode(first + at, kind) for at, kind in enumerate(KINDS)]
        assert service.add_episodes(group_id=group, items=items)["status"] == "ACCEPTED"


@pytest.mark.parametrize("is_prompt", [True, False], ids=["at once", "a moment later"])
def test_a_worker_killed_after_each_transition(
    tmp_path: Path, is_long: bool, is_prompt: bool
) -> None:
    path, counts = tmp_path / "memory.db", Counter[str]()
    with recollect.open(path) as nexus:
        for group in ("g", "h"):
            Operations(nexus).add_entity_node(group_id=group, uuid=ACME, name="Acme")
    with nursery() as children:
        for at, state in enumerate(REACHED * (25 if is_long else 4)):
            group = "gh"[at // len(REACHED) % 2]
            accept(path, group, len(KINDS) * at)
            counts[group] += len(KINDS)
            if is_prompt:
                lines = children.run("learn", path, state)
            else:
                lines = children.run("learn", path, NEVER, lambda said: state in said[-1])  # noqa: B023
            assert any(state in line for line in lines)
            with recollect.open(path) as nexus:
                items = {group: held(nexus, group) for group in ("g", "h")}
            assert {one: len(each) for one, each in items.items() if each} == counts
            for line in lines:
                group, uuid, reached, attempts = line.split()
                item = items[group][uuid]
                now = PROGRESS[item.state], item.attempts
                assert now >= (PROGRESS[reached], int(attempts)), line
        children.run("learn", path, NEVER)
    with recollect.open(path) as nexus:
        for group in ("g", "h"):
            for uuid, item in held(nexus, group).items():
                is_lost = kind_of(int(uuid.removeprefix("e"))) == "never written"
                ended = (item.state, item.attempts)
                assert ended == (("parked", 4) if is_lost else ("completed", 0))
                assert ("error" in item.payload) == is_lost
            calls, written = counts[group] // len(KINDS), counts[group] * 3 // len(KINDS)
            # the node, the calls that accepted, and each episode written once
            assert nexus.group(group).stats().transactions == 1 + calls + written
        assert nexus.doctor().findings == ()


def test_what_a_killed_worker_held_is_taken_up_within_ten_seconds(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    accept(path, "g", 0)
    with nursery() as children:
        children.run("hold", path, "extracted")
    with recollect.open(path) as nexus:
        assert Work(StructuredExtractor()).drain(nexus) == 0
        soon = Work(StructuredExtractor(), clock=lambda: Instant(system_clock() + 9_500))
        worker = Worker(nexus, soon, poll_seconds=0.01)
        with worker:
            while {item.state for item in held(nexus, "g").values()} - {"completed", *FAILED}:
                assert worker.is_running
        assert held(nexus, "g")["e0"].state == "completed"


def test_what_was_accepted_is_there_whole(tmp_path: Path, is_long: bool) -> None:
    path, chance = tmp_path / "memory.db", random.Random(3)
    first = 0
    with nursery() as children:
        for _ in range(50 if is_long else 12):
            most = chance.randint(1, 9)
            lines = children.run("accept", path, first, lambda said: len(said) == most)  # noqa: B023
            with recollect.open(path) as nexus:
                service = Operations(nexus, worker=False)
                for line in lines:
                    group, number, receipt = line.split()
                    answer = service.get_receipt(group_id=group, receipt_id=receipt)
                    assert answer["status"] == "ACCEPTED"
                    assert answer["output"]["items"][0]["episode_uuid"] == f"e{number}"  # type: ignore[index,call-overload]
                for group in ("g", "h"):
                    found = service.get_episodes(group_id=group, last_n=1000)["output"]["episodes"]
                    assert {one["uuid"] for one in found} == set(held(nexus, group))  # type: ignore[index,union-attr]
                    first = max(first, len(found))  # type: ignore[arg-type]
                group, number, receipt = lines[0].split()
                again = service.add_episodes(
                    group_id=group,
                    items=[episode(int(number))],  # type: ignore[list-item]
                    idempotency_key=f"k{number}",
                )
                assert again["output"]["receipt_id"] == receipt
    with recollect.open(path) as nexus:
        Work(StructuredExtractor(), lease_seconds=0.0).drain(nexus)
        for group in ("g", "h"):
            assert {item.state for item in held(nexus, group).values()} == {"completed"}
