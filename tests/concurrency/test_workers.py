"""Workers in several processes share one queue: each episode is learnt once, and in its order."""

from __future__ import annotations

from pathlib import Path

from tests.crash.learner import EDGES, episode
from tests.crash.test_kill_pipeline import held

import recollect
from recollect.faces.operations import Operations
from together import run_together

PROCESSES = 3
GROUPS = ("g", "h", "i", "j")
EPISODES = 12

PROGRAM = """
import sys
import recollect
from recollect.faces.operations.pipeline import StructuredExtractor, Work, Worker
path = sys.argv[1]
with recollect.open(path, busy_seconds=60) as nexus:
    work = Work(StructuredExtractor())
    print("ready", flush=True)
    sys.stdin.readline()
    with Worker(nexus, work, threads=2, poll_seconds=0.01):
        while any(
            state != "completed"
            for name in nexus.groups()
            for state in nexus.group(name).queue.counts()
        ):
            pass
"""


def test_workers_of_several_processes_learn_each_episode_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        service = Operations(nexus, worker=False)
        for group in GROUPS:
            items = [episode(number) for number in range(EPISODES)]
            service.add_episodes(group_id=group, items=items)  # type: ignore[typeddict-item]
    assert run_together(PROGRAM, [[str(path)]] * PROCESSES) == [0] * PROCESSES
    with recollect.open(path) as nexus:
        for group in GROUPS:
            assert {item.state for item in held(nexus, group).values()} == {"completed"}
            own = nexus.group(group)
            assert own.stats().links == EPISODES * EDGES
            log = [one.transaction for one in own.changes()]
            assert [one.actor for one in log].count("pipeline") == EPISODES
        assert nexus.doctor().findings == ()
