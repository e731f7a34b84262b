"""Tells the size of a file, and keeps it quick; contents are never touched."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.port import Fault, FileSize, Part
from recollect.kernel.store.sqlite.completeness import missing_parts, whole_store
from recollect.kernel.store.sqlite.connection import HAS_SAMPLES, SqliteSession
from recollect.kernel.store.sqlite.damage import file_faults, forget, text_parts
from recollect.kernel.store.sqlite.place import size_of
from recollect.kernel.store.sqlite.text_structure import structure_fault

_PAGES = ("freelist_count", "page_size")
_ANALYSED = 1000  # rows looked at for each index

_FORGET_COUNTS = "DELETE FROM sqlite_stat1 WHERE idx = ?"
_FORGET_SAMPLES = "DELETE FROM sqlite_stat4 WHERE idx = ?"


class SqliteUpkeep:
    """What SQLite knows of its file; it implements `port.Upkeep`."""

    def __init__(self, session: SqliteSession) -> None:
        self._session = session

    @property
    def engine(self) -> str:
        """Return the name of the engine and its version."""
        return f"SQLite {text(self._session.rows('SELECT sqlite_version()')[0][0])}"

    def size(self, path: Path | None) -> FileSize:
        """Return the size of a store and of its log; nothing of it in memory."""
        if path is None:
            return FileSize(0, 0, 0)
        free, size = (whole(self._session.rows(f"PRAGMA {one}")[0][0]) for one in _PAGES)
        log = size_of(path.with_name(path.name + "-wal"))
        return FileSize(size_of(path), log, free * size)

    def parts(self) -> tuple[Part, ...]:
        """Return all that a store of this version has, in the order it is made."""
        return whole_store()

    def missing_parts(self) -> tuple[Part, ...]:
        """Return what a store of this version has and this one lacks, in the order it is made."""
        return missing_parts(self._session)

    def faults(self) -> tuple[Fault, ...]:
        """Return what is wrong with the file: of each broken table or index the first thing."""
        return file_faults(self._session)

    def text_parts(self) -> frozenset[str]:
        """Return the text index and the tables that the engine keeps it in."""
        return text_parts()

    def samples(self) -> frozenset[str]:
        """Return the tables in which the engine keeps what it counted of others."""
        return frozenset({"sqlite_stat1", "sqlite_stat4"})

    def text_fault(self) -> str | None:
        """Return the first thing in the text index that does not hold, beside its words."""
        return structure_fault(self._session)

    def forget(self, names: Iterable[str]) -> None:
        """Let the file have these tables and indexes no longer, inside a write transaction."""
        forget(self._session, names)

    def rebuild_indexes(self) -> None:
        """Make all indexes anew from their rows."""
        self._session.rows("REINDEX")

    def optimise(self, declared: Iterable[str]) -> None:
        """Let the planner count rows again, and join the segments of the text index.

        The `declared` indexes are to be used, even if the planner's samples suggest otherwise.
        Runs inside a write transaction. Cost: the text index.
        """
        session, names = self._session, [(one,) for one in declared]
        session.rows(f"PRAGMA analysis_limit = {_ANALYSED}")
        session.rows("ANALYZE")
        session.execute_many(_FORGET_COUNTS, names)
        if session.row(HAS_SAMPLES) is not None:
            session.execute_many(_FORGET_SAMPLES, names)
        session.rows("ANALYZE sqlite_schema")  # read them again
        session.execute_many("INSERT INTO text_index (text_index) VALUES ('optimize')", [()])
