"""Many threads on one store: what is read is one moment, and nothing written is lost."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import recollect
from recollect.model import PutConcept, Rows

READERS = 8
WRITES = 60
LOG_LIMIT = 32 * 2**20  # bytes: twice what is worth waiting for


def pair(number: int) -> list[PutConcept]:
    """Two concepts that always say the same, written together."""
    return [PutConcept("Half", name, {"n": number}) for name in ("left", "right")]


def halves(nexus: recollect.Nexus) -> list[object]:
    query = 'FIND(?n) WHERE { ?half {type: "Half"} ATTR(?half, "n", ?n) }'
    (result,) = nexus.read(query).results
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


class SlowStream(io.BytesIO):
    """A stream whose reader keeps whoever fills it waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def write(self, text: object) -> int:
        self.begun.set()
        self.may_go_on.wait()
        return super().write(text)  # type: ignore[arg-type]


def test_a_reader_that_stays_sees_its_moment_and_stops_nobody(path: Path) -> None:
    with recollect.open(path) as nexus:
        nexus.write(pair(0))
        stream = SlowStream()

        def write() -> None:
            stream.begun.wait()
            for number in range(1, WRITES + 1):
                nexus.write(pair(number))
            stream.may_go_on.set()

        together(lambda: nexus.dump(stream, all_groups=True), write)
        assert halves(nexus) == [WRITES, WRITES]
    with recollect.open(path.with_name("then.db")) as then:
        stream.seek(0)
        then.restore(stream)
        assert halves(then) == [0, 0]


def volume(nexus: recollect.Nexus, batches: int) -> None:
    """Write about half a megabyte a batch."""
    word = "x" * 2**17
    for _ in range(batches):
        first = nexus.stats().concepts
        nexus.write([PutConcept("Word", str(first + one), {"is": word}) for one in range(4)])


def test_the_log_does_not_grow_while_others_read(path: Path) -> None:
    with recollect.open(path, synchronous="normal") as nexus:
        is_done = threading.Event()

        def read() -> None:
            while not is_done.is_set():
                halves(nexus)

        def write() -> None:
            volume(nexus, 100)
            is_done.set()

        together(write, *[read] * 3)
        assert path.stat().st_size > LOG_LIMIT
        assert log_bytes(path) < LOG_LIMIT


def test_the_log_is_used_again_after_a_reader_that_stayed(path: Path) -> None:
    with recollect.open(path, synchronous="normal") as nexus:
        stream = SlowStream()

        def write() -> None:
            stream.begun.wait()
            volume(nexus, 80)
            stream.may_go_on.set()

        together(lambda: nexus.dump(stream, all_groups=True), write)
        nexus.write(pair(0))
        grown = log_bytes(path)
        assert grown > LOG_LIMIT
        volume(nexus, 80)
        assert log_bytes(path) == grown
    assert log_bytes(path) == 0
