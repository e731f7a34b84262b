"""A process killed at any moment loses no write it acknowledged and leaves none in part."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.kernel.write.ledger import verify

import recollect
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import Rows

WRITER = Path(__file__).with_name("writer.py")
SOURCES = Path(recollect.__file__).parents[1]

COUNTS = """
SELECT (SELECT count(*) FROM concept), (SELECT count(*) FROM link), (SELECT count(*) FROM tx)
"""


def kill_after(path: Path, first: int, acknowledged: int) -> int:
    """Run a writer, kill it once it has acknowledged so many writes; return the last of them."""
    child = subprocess.Popen(
        [sys.executable, str(WRITER), str(path), str(first)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCES)},
    )
    assert child.stdout is not None
    last = first - 1
    for _ in range(acknowledged):
        last = int(child.stdout.readline())
    child.kill()
    rest = child.stdout.read().split()  # written before the kill, read only now
    child.wait()
    child.stdout.close()
    return int(rest[-1]) if rest else last


def held(path: Path) -> int:
    """Return the last write in the store, after checking that all up to it are there whole."""
    with recollect.open(path) as nexus:
        answer = nexus.read("""
            FIND(?number, ?last) WHERE {
                ?step {type: "Step"}
                ?link ({type: "Marker"}, "reached", ?step)
                (?note, "tells", ?link)
                (?note, "about", ?step)
                ATTR(?step, "number", ?number)
                ATTR({type: "Marker"}, "number", ?last)
            } ORDER BY ?number
        """)
    (rows,) = answer.results
    assert isinstance(rows, Rows)
    numbers = [row[0] for row in rows.rows]
    assert numbers == list(range(len(numbers)))
    assert {row[1] for row in rows.rows} <= {len(numbers) - 1}
    store = SqliteStore(path)
    assert verify(store, 1) == len(numbers)
    with store.reading() as session:
        assert session.rows("PRAGMA integrity_check") == [("ok",)]
        whole = (2 * len(numbers) + 1, 3 * len(numbers), len(numbers))
        assert session.rows(COUNTS) == [whole]
    store.close()
    return len(numbers) - 1


def test_no_acknowledged_write_is_lost_and_none_is_there_in_part(
    tmp_path: Path, is_long: bool
) -> None:
    path, moments = tmp_path / "memory.db", random.Random(7)
    last = -1
    for _ in range(200 if is_long else 10):
        acknowledged = kill_after(path, last + 1, moments.randint(1, 12))
        last = held(path)
        assert acknowledged <= last <= acknowledged + 1


@pytest.mark.parametrize("bytes_lost", [1, 500, 4096])
def test_a_torn_log_loses_whole_writes_only(tmp_path: Path, bytes_lost: int) -> None:
    path = tmp_path / "memory.db"
    acknowledged = kill_after(path, 0, 8)
    log = path.with_name("memory.db-wal")
    torn = log.read_bytes()[:-bytes_lost]
    log.write_bytes(torn)
    path.with_name("memory.db-shm").unlink()
    assert held(path) <= acknowledged + 1
