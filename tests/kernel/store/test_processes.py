"""Several processes on one file, each a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from recollect.kernel.store.sqlite.store import SqliteStore
from together import ENVIRONMENT, run_together

CREATE_AND_ADD = """
import sys
from recollect.kernel.store.sqlite.store import SqliteStore
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with store.writing() as session:
        session.rows("UPDATE counter SET last_n = last_n + 1")
store.close()
"""


def add_together(path: Path, processes: int, writes: int) -> list[int]:
    """Let the processes create the file and add to its counter; return how each ended."""
    return run_together(CREATE_AND_ADD, [[str(path), str(writes)]] * processes)


def counted(path: Path) -> object:
    store = SqliteStore(path)
    with store.reading() as session:
        (row,) = session.rows("SELECT last_n FROM counter")
    store.close()
    return row[0]


def test_processes_that_create_one_file_at_once_all_succeed(tmp_path: Path) -> None:
    for attempt in range(2):
        path = tmp_path / f"{attempt}.db"
        assert add_together(path, processes=4, writes=1) == [0, 0, 0, 0]
        assert counted(path) == 4


def test_two_processes_that_write_at_once_both_succeed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    assert add_together(path, processes=2, writes=200) == [0, 0]
    assert counted(path) == 400


def test_a_forked_child_opens_its_own_connections(tmp_path: Path) -> None:
    child = """
import os, sys
from recollect.errors import RecollectError
from recollect.kernel.store.sqlite.store import SqliteStore
store, memory = SqliteStore(sys.argv[1]), SqliteStore(":memory:")
def add():
    with store.writing() as session:
        session.rows("UPDATE counter SET last_n = last_n + 1")
add()
with store.reading() as session:
    session.rows("SELECT 1")
    child = os.fork()
    if child == 0:
        add()
        store.close()
        try:
            with memory.reading():
                os._exit(1)
        except RecollectError as error:
            os._exit(0 if error.code.code == "STORE_UNAVAILABLE" else 2)
    assert os.waitpid(child, 0)[1] == 0
add()
with store.reading() as session:
    assert session.rows("SELECT last_n FROM counter") == [(3,)]
store.close()
"""
    if hasattr(os, "fork"):
        subprocess.run(
            [sys.executable, "-W", "error", "-c", child, str(tmp_path / "m.db")],
            check=True, timeout=60, env=ENVIRONMENT,
        )  # fmt: skip
        assert counted(tmp_path / "m.db") == 3
