"""Statements that are kept, and what they leave for those that run."""

from __future__ import annotations

from pathlib import Path

import apsw

from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession


def test_statements_that_are_kept_leave_the_engine_its_small_memory(tmp_path: Path) -> None:
    session = SqliteSession(str(tmp_path / "a.db"), StoreSettings(), query_only=False, creates=True)
    session.rows("CREATE TABLE t (a)")
    for number in range(100):
        session.rows(f"SELECT a, a + {number} FROM t WHERE a > ? ORDER BY a", (1,))
        session.row(f"SELECT a - {number} FROM t WHERE a < ?", (1,))
        session.execute_many(f"INSERT INTO t SELECT ? + {number}", [(1,)])
    used, _ = session.connection.status(apsw.SQLITE_DBSTATUS_LOOKASIDE_USED)
    session.connection.close()
    assert used < 60
