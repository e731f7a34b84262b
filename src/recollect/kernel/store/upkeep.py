"""Tells the size of a file, and keeps it quick; contents are never touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recollect.kernel.store.cells import whole
from recollect.kernel.store.protocol import Session

_PAGES = ("freelist_count", "page_size")
_ANALYSED = 1000  # rows looked at for each index

# A declared index is meant to be used, whatever the samples make the planner believe.
_FORGET_DECLARED = """
DELETE FROM sqlite_stat1 WHERE idx IN (
  SELECT s.name FROM sqlite_schema AS s WHERE s.type = 'index' AND s.name LIKE 'attribute%:%')
"""
_FORGET_SAMPLES = """
DELETE FROM sqlite_stat4 WHERE idx IN (
  SELECT s.name FROM sqlite_schema AS s WHERE s.type = 'index' AND s.name LIKE 'attribute%:%')
"""
_HAS_SAMPLES = "SELECT 1 FROM sqlite_schema AS s WHERE s.name = 'sqlite_stat4'"


@dataclass(frozen=True, slots=True)
class FileSize:
    """How large a store is, in bytes; nothing of it in memory."""

    file_bytes: int
    log_bytes: int  # of the file beside it that holds the last writes
    free_bytes: int  # of the file, unused


def file_size(session: Session, path: Path | None) -> FileSize:
    """Return the size of a store and of its log."""
    if path is None:
        return FileSize(0, 0, 0)
    free, size = (whole(session.rows(f"PRAGMA {one}")[0][0]) for one in _PAGES)
    log = path.with_name(path.name + "-wal")
    log_bytes = log.stat().st_size if log.exists() else 0
    return FileSize(path.stat().st_size, log_bytes, free * size)


def optimise(session: Session) -> None:
    """Let the planner count rows anew, and join the segments of the text index.

    Runs inside a write transaction. Cost: the text index.
    """
    session.rows(f"PRAGMA analysis_limit = {_ANALYSED}")
    session.rows("ANALYZE")
    session.execute_many(_FORGET_DECLARED, [()])
    if session.row(_HAS_SAMPLES) is not None:
        session.execute_many(_FORGET_SAMPLES, [()])
    session.rows("ANALYZE sqlite_schema")  # read them again
    session.execute_many("INSERT INTO text_index (text_index) VALUES ('optimize')", [()])
