"""Many at once: reading threads beside a writer, writing processes, and a reader that stays.

The rule: besides the speed, nothing is lost and the log file ends within its bound.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import recollect
from bench.measure import Figure
from bench.scale import Scale
from recollect.model import PutConcept

_READERS = 8
_PROCESSES = 4
_SECONDS = 2.0
_WRITES = 100  # of each process
_LONGEST_LOG = 64 * 2**20  # bytes, and what one write may add

_ASK = 'FIND(?n) WHERE { ?c {type: "Counter", name: $name} ATTR(?c, "n", ?n) }'


def figures(folder: Path, scale: Scale) -> Iterator[Figure]:
    """Run all of it in files of its own."""
    seconds = scale.seconds(_SECONDS)
    path = folder / "threads.db"
    with recollect.open(path, synchronous="normal") as nexus:
        nexus.write([PutConcept("Counter", str(at), {"n": 0}) for at in range(100)])
        alone, _ = _together(nexus, seconds, writes=False)
        reads, writes = _together(nexus, seconds, writes=True)
        yield Figure(
            "together", f"{_READERS} reading threads and a writer, reads", reads, "/s", alone
        )
        yield Figure("together", "the writer beside them", writes, "/s")
        yield _log_figure("log file after it", path)
    yield from _processes(folder / "processes.db", scale.times(_WRITES))


def _together(nexus: recollect.Nexus, seconds: float, *, writes: bool) -> tuple[float, float]:
    """Return reads and writes a second."""
    ends = threading.Event()
    counts = [0] * (_READERS + 1)

    def read(thread: int) -> None:
        while not ends.is_set():
            nexus.read(_ASK, {"name": str(thread)})
            counts[thread] += 1

    def write(thread: int) -> None:
        while not ends.is_set():
            counts[thread] += 1
            nexus.write([PutConcept("Counter", "0", {"n": counts[thread]})])

    threads = [threading.Thread(target=read, args=(at,)) for at in range(_READERS)]
    if writes:
        threads.append(threading.Thread(target=write, args=(_READERS,)))
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    ends.set()
    for thread in threads:
        thread.join()
    return sum(counts[:_READERS]) / seconds, counts[_READERS] / seconds


def _processes(path: Path, writes: int) -> Iterator[Figure]:
    with recollect.open(path, synchronous="normal", busy_seconds=60) as nexus:
        nexus.write([PutConcept("Counter", "first", {"n": 0})])
        start = time.perf_counter()
        command = [sys.executable, "-m", "bench.concurrency", str(path), str(writes)]
        children = [
            subprocess.Popen([*command, str(at)], stdout=subprocess.DEVNULL)
            for at in range(_PROCESSES)
        ]
        failed = [child.wait() for child in children]
        seconds = time.perf_counter() - start
        kept = nexus.stats().transactions - 1
    expected = _PROCESSES * writes
    is_whole = kept == expected and not any(failed)
    name = f"{_PROCESSES} writing processes, writes kept"
    yield Figure("together", name, kept, "", expected, "all", is_whole)
    yield Figure("together", "their writes, with the start of the processes", kept / seconds, "/s")


def _log_figure(name: str, path: Path) -> Figure:
    log = path.with_name(path.name + "-wal")
    size = log.stat().st_size if log.exists() else 0
    return Figure("together", name, size / 1e6, "MB", None, "64 MB", size <= _LONGEST_LOG)


def _child(path: str, writes: str, name: str) -> None:
    """Be one of the writing processes."""
    with recollect.open(path, synchronous="normal", busy_seconds=60) as nexus:
        for at in range(int(writes)):
            nexus.write([PutConcept("Counter", f"{name} {at}", {"n": at})])


if __name__ == "__main__":
    _child(*sys.argv[1:])
