"""Tells the size of a file, keeps it quick, and lets erased bytes leave it; no content is touched.

A deletion alone leaves copies: in freed pages, in the gaps of pages that were balanced, in old
segments of the text index, in the engine's samples, in the log file. So a purge counts itself in
`erasure`, in its own transaction. Afterwards the file is rewritten and its log emptied; only then
is the purge finished. If a crash, a reader or a full disk prevents that, the next opening, repair
or backup finishes it. Measured: with the index, the samples, the file or its log left as they are,
words remained. Deleted pages are blanked as well, since rewriting gives their blocks back to the
disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.faults import OTHERS
from recollect.kernel.store.group import purges
from recollect.kernel.store.port import Fault, FileSize, Part
from recollect.kernel.store.sqlite.connection import HAS_SAMPLES, SqliteSession
from recollect.kernel.store.sqlite.damage import (
    file_faults,
    forget,
    missing_parts,
    text_parts,
    whole_store,
)
from recollect.kernel.store.sqlite.forks import size_of
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

    def notes(self) -> tuple[str, ...]:
        """Return nothing: a file has no operator."""
        return ()

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


_FINISH = "UPDATE erasure SET finished = max(finished, ?)"


def finish_erasure(session: SqliteSession, wait_seconds: float) -> str | None:
    """Rewrite the file and empty its log; return what prevents it: `OTHERS`, who read.

    Runs outside of a transaction, on the writer. STORE_BUSY when another program writes for
    longer than `wait_seconds`. Cost: the whole file.
    """
    begun = purges(session)
    session.wait(wait_seconds)
    session.mark()  # no log of after is to be taken for one of the file as it is laid out now
    session.rows("VACUUM")
    is_blocked, *_ = session.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0]
    if is_blocked:
        return OTHERS
    session.mark()
    session.execute_many(_FINISH, [(begun,)])
    session.rows("PRAGMA secure_delete = OFF")
    return None
