"""A worker killed after any step loses no episode, does none twice, and leaves none in part."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.crash.learner import EDGES, episode

import recollect
from recollect.faces.operations import Operations
from recollect.faces.operations.pipeline import KeptReplays, Pipeline, Work
from recollect.faces.operations.pipeline.structured import StructuredExtractor
from recollect.model import Rows

LEARNER = Path(__file__).with_name("learner.py")
SOURCES = Path(recollect.__file__).parents[1]
NEVER = 10**9
STEPS = ("accepted", "extracted", "embedded", "upserted", "completed")

FACTS = """
FIND(?who, ?relation, ?words) WHERE {
    ?fact (?person, ?relation, {type: "Entity", name: "Acme"})
    ATTR(?person, "name", ?who)
    ATTR(?fact, "fact", ?words)
} ORDER BY ?who, ?relation
"""


class Nursery:
    """The process that forks the children."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, task: str, path: Path, number: int, kill_after: int | None = None) -> list[str]:
        """Run a child to its end, or kill it when it has said so many lines; return all of them."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{task} {path} {number}\n")
        self._process.stdin.flush()
        child, lines = int(self._process.stdout.readline()), list[str]()
        while (line := self._process.stdout.readline().strip()) != "ended":
            assert line, "the nursery is gone"
            lines.append(line)
            if len(lines) == kill_after:
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


def held(nexus: recollect.Nexus, group: str) -> dict[str, str]:
    """Return the states of a group's episodes, after checking that each is written whole or not."""
    one = nexus.group(group)
    states = {item.item: item.state for state in STEPS for item in one.queue.in_state(state)}
    assert sum(one.queue.counts().values()) == len(states)  # none failed, none is parked
    (rows,) = one.read(FACTS).results
    assert isinstance(rows, Rows)
    written = sorted(
        int(name.removeprefix("e"))
        for name, state in states.items()
        if state in ("upserted", "completed")
    )
    expected = [
        (f"person {number}", f"DID_{at}", f"person {number} did {at}")
        for number in written
        for at in range(EDGES)
    ]
    assert sorted(rows.rows) == sorted(expected)
    (rows,) = one.read('FIND(COUNT(?n)) WHERE { ?n {type: "Entity"} }').results
    assert isinstance(rows, Rows)
    assert rows.rows == [(len(written) + bool(written),)]
    assert one.verify().is_whole
    return states


@pytest.mark.parametrize("is_prompt", [True, False], ids=["at once", "a moment later"])
def test_a_worker_killed_after_any_transition(
    tmp_path: Path, is_long: bool, is_prompt: bool
) -> None:
    path, chance = tmp_path / "memory.db", random.Random(str(is_prompt))
    accepted = 0
    with nursery() as children:
        for _ in range(100 if is_long else 25):
            with recollect.open(path) as nexus:
                service = Operations(nexus, ingestion=Pipeline())
                for group in ("g", "h"):
                    service.add_episodes(group_id=group, items=[episode(accepted)])  # type: ignore[list-item]
                accepted += 1
            most = chance.randint(1, len(STEPS) + 1)
            lines = (
                children.run("learn", path, most)
                if is_prompt
                else children.run("learn", path, NEVER, kill_after=most)
            )
            with recollect.open(path) as nexus:
                for group in ("g", "h"):
                    states = held(nexus, group)
                    assert list(states) and len(states) == accepted
                said = dict(line.rsplit(" ", 1) for line in lines)
                for name, state in said.items():
                    group, uuid = name.split()
                    item = nexus.group(group).queue.find(uuid)
                    assert item is not None
                    assert STEPS.index(item.state) >= STEPS.index(state)
        children.run("learn", path, NEVER)
    with recollect.open(path) as nexus:
        for group in ("g", "h"):
            states = held(nexus, group)
            assert set(states.values()) == {"completed"}
            assert len(states) == accepted
            # each episode was kept once and written once
            assert nexus.group(group).stats().transactions == 2 * accepted
        assert nexus.doctor().findings == ()


def test_what_was_accepted_is_there_whole(tmp_path: Path, is_long: bool) -> None:
    path, chance = tmp_path / "memory.db", random.Random(3)
    first = 0
    with nursery() as children:
        for _ in range(50 if is_long else 12):
            lines = children.run("accept", path, first, kill_after=chance.randint(1, 9))
            with recollect.open(path) as nexus:
                service = Operations(nexus, ingestion=Pipeline(), replays=KeptReplays())
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
            assert set(held(nexus, group).values()) == {"completed"}
