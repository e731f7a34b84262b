"""A process killed while it loads knowledge leaves all of a document, or nothing of it."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from tests.crash.learner_of_knowledge import PIECES

import recollect
from recollect.faces.knowledge import KnowledgeBase

LEARNER = Path(__file__).with_name("learner_of_knowledge.py")
SOURCES = Path(recollect.__file__).parents[1]


def kill_after(path: Path, first: int, acknowledged: int) -> int:
    """Run a child, kill it once it has acknowledged so many loads; return the last of them."""
    child = subprocess.Popen(
        [sys.executable, str(LEARNER), str(path), str(first)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCES)},
    )
    assert child.stdout is not None
    last = first - 1
    for _ in range(acknowledged):
        last = int(child.stdout.readline())
    child.kill()
    rest = child.stdout.read().split()
    child.wait()
    child.stdout.close()
    return int(rest[-1]) if rest else last


def held(path: Path) -> int:
    """Return the last load in the memory, after checking that it is there whole."""
    with recollect.open(path) as nexus, KnowledgeBase(nexus=nexus) as kb:
        entities = kb.metadata_store.list_entities()
        last = max(int(one.partition(":")[2]) for one in entities)
        assert len(entities) == last + 1
        found = kb.retrieve("", f"entity:{last}")
        assert found.metadata.get("n") == last
        assert len(found.pieces) == len(found.graph_context) == PIECES
        assert len(kb.piece_store.list_all(f"entity:{last}")) == PIECES
        assert nexus.doctor().is_well
        assert nexus.verify().is_whole
    return last


def test_no_acknowledged_load_is_lost_and_none_is_there_in_part(
    tmp_path: Path, is_long: bool
) -> None:
    path, moments = tmp_path / "memory.db", random.Random(7)
    last = -1
    for _ in range(50 if is_long else 4):
        acknowledged = kill_after(path, last + 1, moments.randint(1, 6))
        last = held(path)
        assert acknowledged <= last <= acknowledged + 1


def test_two_processes_on_one_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    recollect.open(path).close()
    children = [
        subprocess.Popen(
            [sys.executable, str(LEARNER), str(path), str(first)],
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(SOURCES)},
        )
        for first in (0, 1_000)
    ]
    said = []
    for child in children:
        assert child.stdout is not None
        said += [int(child.stdout.readline()) for _ in range(5)]
    for child in children:
        child.kill()
        said += [int(one) for one in child.stdout.read().split()]
        child.wait()
        child.stdout.close()
    with recollect.open(path) as nexus, KnowledgeBase(nexus=nexus) as kb:
        entities = set(kb.metadata_store.list_entities())
        assert {f"entity:{one}" for one in said} <= entities
