"""Read, compute, write: with EXPECT VERSION, or in one UPDATE, no increment is lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.model import PutConcept, PutLink, Rows
from together import run_together

THREADS = 8
PROCESSES = 3
INCREMENTS = 12

READ = 'FIND(?n, ?v) WHERE { ?c {type: "Counter"} ATTR(?c, "n", ?n) META(?c, "_version", ?v) }'
GUARDED = """
UPSERT { CONCEPT { {type: "Counter", name: "c"} EXPECT VERSION $v SET ATTRIBUTES { n: $n } } }
"""
ADDED = 'UPDATE ?c SET ATTRIBUTES { n: ADD(?c.attributes.n, 1) } WHERE { ?c {type: "Counter"} }'
LINK = 'FIND(?n, ?v) WHERE { ?l (id: "l") ATTR(?l, "n", ?n) META(?l, "_version", ?v) }'
GUARDED_LINK = 'UPSERT { PROPOSITION { (id: "l") EXPECT VERSION $v SET ATTRIBUTES { n: $n } } }'

PROGRAM = f"""
import sys
import recollect
from recollect.errors import RecollectError
path, increments = sys.argv[1], int(sys.argv[2])
with recollect.open(path, busy_seconds=60) as nexus:
    print("ready", flush=True)
    sys.stdin.readline()
    left = increments
    while left:
        ((n, version),) = nexus.read({READ!r}).results[0].rows
        try:
            nexus.write({GUARDED!r}, {{"n": n + 1, "v": version}})
        except RecollectError as error:
            assert error.code.code == "KIP_3005", error
            continue
        left -= 1
    for _ in range(increments):
        nexus.write({ADDED!r})
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file whose two groups have a counter that is a concept, and one that is a link."""
    path = tmp_path / "memory.db"
    for group in ("decoy", "default"):
        with recollect.open(path, group) as nexus:
            nexus.write([PutConcept("Counter", "c", {"n": 0}, id="c")])
            nexus.write([PutLink("c", "counts", "c", {"n": 0}, id="l")])
    return path


def counted(nexus: recollect.Nexus, query: str) -> tuple[int, int]:
    (result,) = nexus.read(query).results
    assert isinstance(result, Rows)
    ((number, version),) = result.rows
    assert isinstance(number, int)
    assert isinstance(version, int)
    return number, version


def increment(nexus: recollect.Nexus, query: str, guarded: str) -> None:
    """Count one more, again from the start when another was faster."""
    while True:
        number, version = counted(nexus, query)
        try:
            nexus.write(guarded, {"n": number + 1, "v": version})
        except RecollectError as error:
            assert error.code.code == "KIP_3005"
        else:
            return


def in_threads(action: Callable[[], object]) -> None:
    """Run an action in every thread at once, again and again."""

    def repeat() -> None:
        for _ in range(INCREMENTS):
            action()

    with ThreadPoolExecutor(THREADS) as pool:
        for future in [pool.submit(repeat) for _ in range(THREADS)]:
            future.result()


@pytest.mark.parametrize(("query", "guarded"), [(READ, GUARDED), (LINK, GUARDED_LINK)])
def test_threads_that_expect_a_version_lose_no_increment(
    path: Path, query: str, guarded: str
) -> None:
    with recollect.open(path, busy_seconds=60, synchronous="normal") as nexus:
        in_threads(lambda: increment(nexus, query, guarded))
        total = THREADS * INCREMENTS
        assert counted(nexus, query) == (total, total + 1)
        assert nexus.verify().is_whole


def test_threads_that_update_lose_no_increment(path: Path) -> None:
    with recollect.open(path, busy_seconds=60, synchronous="normal") as nexus:
        in_threads(lambda: nexus.write(ADDED))
        total = THREADS * INCREMENTS
        assert counted(nexus, READ) == (total, total + 1)


def test_processes_and_threads_together_lose_no_increment(path: Path) -> None:
    with recollect.open(path, busy_seconds=60) as nexus, ThreadPoolExecutor(1) as pool:
        arguments = [[str(path), str(INCREMENTS)]] * PROCESSES
        ended = pool.submit(lambda: run_together(PROGRAM, arguments))
        in_threads(lambda: increment(nexus, READ, GUARDED))
        assert ended.result() == [0] * PROCESSES
        total = THREADS * INCREMENTS + 2 * PROCESSES * INCREMENTS
        assert counted(nexus, READ) == (total, total + 1)
        assert nexus.verify().is_whole
        assert nexus.doctor().findings == ()
    with recollect.open(path, "decoy") as decoy:
        assert counted(decoy, READ) == (0, 1)
