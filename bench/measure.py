"""Times, and how far this machine can be trusted with them.

The rule: what is compared is run in turns, in one process, and medians are taken; four fixed
pieces of work run all along, and their spread is the noise: a loop of pure Python, one of SQLite
alone, memory that is touched for the first time, and a write that waits for the disk.
"""

from __future__ import annotations

import mmap
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import apsw

WARM = 5  # runs before the clock starts

_TOUCHED = 4 * 2**20  # bytes of memory
_WRITTEN = 128 * 1024  # bytes, as many as a small transaction writes


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the report; `beside` is what it is compared with, in the same unit."""

    section: str
    name: str
    value: float
    unit: str
    beside: float | None = None
    target: str = ""
    is_reached: bool | None = None  # None: nothing was promised

    @property
    def ratio(self) -> float | None:
        """How many times as much as what stands beside it."""
        return None if not self.beside else self.value / self.beside


def medians(
    runs: Iterable[Callable[[str], object]],
    names: list[str],
    seconds: float,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> list[float]:
    """Return the median microseconds of each function, called in turns with every name.

    They are shuffled for each: who comes first with a name finds its pages cold, others warm.
    Ends after the names or the seconds, whichever is first, but not before three turns.
    """
    functions = list(runs)
    for function in functions:
        for name in names[:WARM]:
            function(name)
    times: list[list[int]] = [[] for _ in functions]
    end = time.perf_counter() + seconds
    turns = list(zip(functions, times, strict=True))
    chance = random.Random(1)
    for name in names:
        chance.shuffle(turns)
        for function, found in turns:
            start = clock()
            function(name)
            found.append(clock() - start)
        if time.perf_counter() > end and len(times[0]) >= 3:
            break
    return [statistics.median(found) / 1_000 for found in times]


def seconds_of(action: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


class Calibration:
    """Fixed work, timed again and again through a run; `folder` is where the run's files are."""

    def __init__(self, folder: Path) -> None:
        self._connection = _table()
        self._file = folder / "calibration"
        self._file.write_bytes(bytes(_WRITTEN))
        self._work: dict[str, Callable[[], None]] = {
            "Python loop": _python_loop,
            "SQLite loop": self._sqlite_loop,
            "new memory": _new_memory,
            "durable write": self._durable_write,
        }
        self._seconds: dict[str, list[float]] = {name: [] for name in self._work}

    def run(self) -> None:
        """Time all of it once: some twenty milliseconds."""
        for name, work in self._work.items():
            self._seconds[name].append(seconds_of(work))

    def figures(self) -> list[Figure]:
        """Return the median of each, beside its fastest run."""
        return [
            Figure(
                "machine",
                f"{name}, median beside fastest",
                1e6 * statistics.median(seconds),
                "us",
                1e6 * min(seconds),
            )
            for name, seconds in self._seconds.items()
        ]

    def _sqlite_loop(self) -> None:
        for at in range(1_000):
            self._connection.execute("SELECT b FROM t WHERE a = ?", (at * 7,)).fetchall()

    def _durable_write(self) -> None:
        with self._file.open("r+b", buffering=0) as file:
            file.write(bytes(_WRITTEN))
            os.fsync(file.fileno())


def _table() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", ((at, str(at)) for at in range(10_000)))
    return connection


def _new_memory() -> None:
    with mmap.mmap(-1, _TOUCHED) as memory:
        for page in range(0, _TOUCHED, mmap.PAGESIZE):
            memory[page] = 1


def _python_loop() -> None:
    counts: dict[int, str] = {}
    for at in range(30_000):
        counts[at % 977] = str(at)
