"""Tells the size of a file, and keeps it quick; contents are never touched."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from recollect.kernel.store.cells import whole
from recollect.kernel.store.port import FileSize, Session

_PAGES = ("freelist_count", "page_size")
_ANALYSED = 1000  # rows looked at for each index

_FORGET_COUNTS = "DELETE FROM sqlite_stat1 WHERE idx = ?"
_FORGET_SAMPLES = "DELETE FROM sqlite_stat4 WHERE idx = ?"
_HAS_SAMPLES = "SELECT 1 FROM sqlite_schema AS s WHERE s.name = 'sqlite_stat4'"


def file_size(session: Session, path: Path | None) -> FileSize:
    """Return the size of a store and of its log."""
    if path is None:
        return FileSize(0, 0, 0)
    free, size = (whole(session.rows(f"PRAGMA {one}")[0][0]) for one in _PAGES)
    return FileSize(size_of(path), size_of(path.with_name(path.name + "-wal")), free * size)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; zero where there is none, or none any more."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def optimise(session: Session, declared: Iterable[str]) -> None:
    """Let the planner count rows again, and join the segments of the text index.

    The `declared` indexes are to be used, even if the planner's samples suggest otherwise. Runs
    inside a write transaction. Cost: the text index.
    """
    names = [(one,) for one in declared]
    session.rows(f"PRAGMA analysis_limit = {_ANALYSED}")
    session.rows("ANALYZE")
    session.execute_many(_FORGET_COUNTS, names)
    if session.row(_HAS_SAMPLES) is not None:
        session.execute_many(_FORGET_SAMPLES, names)
    session.rows("ANALYZE sqlite_schema")  # read them again
    session.execute_many("INSERT INTO text_index (text_index) VALUES ('optimize')", [()])
