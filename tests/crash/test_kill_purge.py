"""A process killed while it purges has purged all or nothing, and lost no write."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.crash.purger import secret

import recollect
from recollect.model import Rows

PURGER = Path(__file__).with_name("purger.py")
SOURCES = Path(recollect.__file__).parents[1]

HELD = 'FIND(?n) WHERE { ?x {type: $type} ATTR(?x, "number", ?n) } ORDER BY ?n'
LINKED = 'FIND(?n) WHERE { ?l (?x, "reveals", ?y) ATTR(?x, "number", ?n) } ORDER BY ?n'


def kill_within(path: Path, first: int, acknowledged: int, seconds: float) -> tuple[int, int]:
    """Run a purger, kill it so long after it has said so much; return the last it wrote and purged."""
    child = subprocess.Popen(
        [sys.executable, str(PURGER), str(path), str(first)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCES)},
    )
    assert child.stdout is not None
    last = {"wrote": first - 1, "purged": first - 1}
    lines = [child.stdout.readline() for _ in range(acknowledged)]
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    child.kill()
    for line in [*lines, *child.stdout.read().splitlines()]:
        what, number = line.split()
        last[what] = int(number)
    child.wait()
    child.stdout.close()
    return last["wrote"], last["purged"]


def numbers(nexus: recollect.Nexus, text: str, **parameters: str) -> list[object]:
    (rows,) = nexus.read(text, dict(parameters)).results
    assert isinstance(rows, Rows)
    return [row[0] for row in rows.rows]


def still_readable(path: Path, count: int) -> list[int]:
    files = [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]
    raw = b"".join(one.read_bytes() for one in files if one.exists()).lower()
    return [number for number in range(count) if secret(number)[:-1].lower().encode() in raw]


def test_a_purge_happens_whole_or_not_at_all(tmp_path: Path, is_long: bool) -> None:
    path, moments = tmp_path / "memory.db", random.Random(11)
    count = 0
    for _ in range(200 if is_long else 12):
        written, purged = kill_within(path, count, moments.randint(1, 6), moments.uniform(0, 0.06))
        recollect.open(path).close()  # finishes what was begun
        with recollect.open(path) as nexus:
            steps = numbers(nexus, HELD, type="Step")
            secrets = numbers(nexus, HELD, type="Secret")
            assert nexus.verify().is_whole
            assert numbers(nexus, LINKED) == secrets  # what hangs on a secret goes with it
        assert steps == list(range(len(steps)))
        assert len(steps) in (written + 1, written + 2)  # said, or not said any more
        alive = {one for one in secrets if isinstance(one, int) and one >= count}
        assert alive <= {purged + 1, purged + 2}
        assert still_readable(path, len(steps)) == secrets
        count = len(steps)
