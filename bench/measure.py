"""Times, and how far this machine can be trusted with them.

The rule: what is compared is run in turns, in one process, and medians are taken; two fixed
loops run all along, one of pure Python and one of SQLite alone, and their spread is the noise.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import apsw

WARM = 5  # runs before the clock starts


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
    """Two loops of fixed work, timed again and again through a run."""

    def __init__(self) -> None:
        self._connection = _table()
        self._python: list[float] = []
        self._sqlite: list[float] = []

    def run(self) -> None:
        """Time both loops once: about ten milliseconds."""
        self._python.append(seconds_of(_python_loop))
        self._sqlite.append(seconds_of(self._sqlite_loop))

    def figures(self) -> list[Figure]:
        """Return the median of both loops, each beside its fastest run."""
        return [
            Figure("machine", f"{name}, median beside fastest", 1e6 * middle, "us", 1e6 * least)
            for name, middle, least in (
                ("Python loop", statistics.median(self._python), min(self._python)),
                ("SQLite loop", statistics.median(self._sqlite), min(self._sqlite)),
            )
        ]

    def _sqlite_loop(self) -> None:
        for at in range(1_000):
            self._connection.execute("SELECT b FROM t WHERE a = ?", (at * 7,)).fetchall()


def _table() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", ((at, str(at)) for at in range(10_000)))
    return connection


def _python_loop() -> None:
    counts: dict[int, str] = {}
    for at in range(30_000):
        counts[at % 977] = str(at)
