"""Many threads on one store: what is read is one moment, and nothing written is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import recollect
from recollect.model import AsOf, PutConcept, Rows

READERS = 8
WRITES = 60
LOG_LIMIT = 4 * 2**20  # bytes; what these tests write is a fraction of it


def pair(number: int) -> list[PutConcept]:
    """Two concepts that always say the same, written together."""
    return [PutConcept("Half", name, {"n": number}) for name in ("left", "right")]


def halves(nexus: recollect.Nexus, as_of: AsOf | None = None) -> list[object]:
    query = 'FIND(?n) WHERE { ?half {type: "Half"} ATTR(?half, "n", ?n) }'
    (result,) = nexus.read(query, as_of=as_of).results
    assert isinstance(result, Rows)
    return [row[0] for row in result.rows]


def log_bytes(path: Path) -> int:
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0


def together(*actions: Callable[[], None]) -> None:
    """Run the actions at once, each in a thread; an error in one is the test's."""
    with ThreadPoolExecutor(len(actions)) as pool:
        for future in [pool.submit(action) for action in actions]:
            future.result()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file whose other group holds halves too, which never change."""
    path = tmp_path / "memory.db"
    with recollect.open(path, "decoy") as decoy:
        decoy.write(pair(-1))
    return path


def test_eight_readers_see_whole_transactions_while_one_writes(path: Path) -> None:
    with recollect.open(path) as nexus:
        nexus.write(pair(0))
        is_done = threading.Event()
        started = threading.Barrier(READERS + 1)

        def read() -> None:
            started.wait()
            last = 0
            while True:
                ends = is_done.is_set()
                left, right = halves(nexus)
                assert left == right
                assert isinstance(left, int)
                assert left >= last
                last = left
                if ends:
                    assert last == WRITES
                    return

        def write() -> None:
            started.wait()
            for number in range(1, WRITES + 1):
                nexus.write(pair(number))
            is_done.set()

        together(write, *[read] * READERS)
        assert nexus.stats().transactions == WRITES + 1
        assert nexus.verify().is_whole


def test_writing_threads_lose_no_write(path: Path) -> None:
    with recollect.open(path, busy_seconds=60) as nexus:

        def write(thread: int) -> None:
            for number in range(WRITES // 4):
                nexus.write([PutConcept("Note", f"{thread} {number}")])

        together(*[lambda thread=thread: write(thread) for thread in range(4)])
        assert nexus.stats().concepts == nexus.stats().transactions == WRITES
        assert nexus.verify().is_whole


def test_a_reader_that_stays_sees_its_moment_and_the_log_shrinks_after_it(path: Path) -> None:
    with recollect.open(path, synchronous="normal") as nexus:
        nexus.write(pair(0))
        begun, may_end = threading.Event(), threading.Event()

        def stay() -> None:
            with nexus.elements_in_one_moment() as seen:
                begun.set()
                may_end.wait()
                assert seen() == [0, 0]

        def write() -> None:
            begun.wait()
            for number in range(1, WRITES + 1):
                nexus.write(pair(number))
            may_end.set()

        together(stay, write)
        assert halves(nexus) == [WRITES, WRITES]
    assert log_bytes(path) == 0
