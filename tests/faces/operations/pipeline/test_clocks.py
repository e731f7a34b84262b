"""Workers in processes of their own whose machines do not agree what time it is."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter

from tests.faces.operations.calls import told
from tests.faces.operations.pipeline.rig import structured

import recollect
from recollect.faces.operations import Operations
from recollect.kernel import Nexus

HOUR = 3_600
GROUPS = ("a", "b", "c")
EPISODES = 8  # of each group

WORKER = f"""
import hashlib, os, sys, time
real = time.time_ns
ahead = int(sys.argv[2]) * 10**9
time.time_ns = lambda: real() + ahead  # another machine, whose clock goes wrong
import recollect
from recollect.faces.operations.pipeline import StructuredExtractor, Work

class Told(StructuredExtractor):
    def extract(self, episode, known, rejected):
        if sys.argv[3] == "dies":
            print("dropped", episode.uuid, flush=True)
            os._exit(0)  # with leases that nobody gives back
        print("ran", episode.uuid, flush=True)
        hashlib.pbkdf2_hmac("sha256", b"work", b"", 20_000)
        return super().extract(episode, known, rejected)

with recollect.open(sys.argv[1], busy_seconds=30) as nexus:
    work = Work(Told(), lease_seconds=3)
    began = time.monotonic()
    while time.monotonic() - began < 60:
        work.run_once(nexus)
        counts = [nexus.group(one).queue.counts() for one in {GROUPS!r}]
        if all(one.get("completed") == {EPISODES} for one in counts):
            break
"""


def started(address: str, seconds: int, what: str = "works") -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WORKER, address, str(seconds), what]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def is_about_now(nexus: Nexus) -> bool:
    """Whether the last write is dated by a clock that goes right."""
    last = nexus.stats().last_at
    return last is not None and abs(last - time.time() * 1_000) < HOUR * 500


def test_workers_whose_clocks_differ_by_an_hour_run_nothing_twice_and_lose_nothing(
    on_server: str,
) -> None:
    with recollect.open(on_server) as nexus:
        service = Operations(nexus, worker=False)
        for group in GROUPS:
            items = [
                structured(f"{group}{n}", (f"P{n}", "WORKS_AT", f"P{n} works at Acme", "Acme"))
                for n in range(EPISODES)
            ]
            told(service.add_episodes(group_id=group, items=items))
        with started(on_server, 0, "dies") as dying:
            dropped, _ = dying.communicate(timeout=60)
        assert dropped.startswith("dropped")
        workers = [started(on_server, hours * HOUR) for hours in (-1, 0, 1, 2)]
        lines = [line for one in workers for line in one.communicate(timeout=120)[0].splitlines()]
        assert [one.returncode for one in workers] == [0] * 4
        ran = Counter(line.split()[1] for line in lines)
        assert set(ran.values()) == {1}
        assert len(ran) == len(GROUPS) * EPISODES
        for group in GROUPS:
            assert nexus.group(group).queue.counts() == {"completed": EPISODES}
            assert nexus.group(group).verify().breach is None
        assert is_about_now(nexus.group("a"))


def test_what_is_written_has_the_time_of_the_server(on_server: str) -> None:
    put = """if True:
        import sys, time
        real = time.time_ns
        time.time_ns = lambda: real() + 3600 * 10**9
        import recollect
        with recollect.open(sys.argv[1]) as nexus:
            nexus.write('UPSERT { CONCEPT ?c { {type: "T", name: "N"} } }')
    """
    recollect.open(on_server).close()
    for _ in range(2):  # the first makes the group
        subprocess.run([sys.executable, "-c", put, on_server], check=True, timeout=60)
    with recollect.open(on_server) as nexus:
        assert is_about_now(nexus)
