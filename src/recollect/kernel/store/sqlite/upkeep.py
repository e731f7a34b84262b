"""Tells the size of a file, keeps it quick, and lets erased bytes leave it; no content is touched.

A deletion alone leaves copies: in freed pages, in the gaps of pages that were balanced, in old
segments of the text index, in the engine's samples, in the log file. So a purge counts itself in
`erasure`, in its own transaction. Afterwards the file is rewritten and its log emptied; only then
is the purge finished. If a crash, a reader or a full disk prevents that, the next opening, repair
or backup finishes it. Measured: with the index, the samples, the file or its log left as they are,
words remained. Deleted pages are blanked as well, since rewriting gives their blocks back to the
disk.

Names the tables and indexes that are missing or broken in a file, and takes out the broken.

The rule: the migrations alone say what a store has; there is no second list to forget. What is
taken out is dropped from the file's list without freeing its pages, because a broken tree may claim
pages of others. They are lost until the file is rewritten.

Copies of a whole store, made while others read and write it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path

import apsw

from recollect.errors import INTERNAL_ERROR, STORE_CORRUPT, STORE_UNAVAILABLE, RecollectError
from recollect.kernel.store.address import named_file
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.faults import OTHERS, corrupt
from recollect.kernel.store.group import purges
from recollect.kernel.store.new_file import new_file, unwritable
from recollect.kernel.store.port import Fault, FileSize, Part, Session
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import HAS_SAMPLES, MEMORY, SqliteSession
from recollect.kernel.store.sqlite.faults import translated
from recollect.kernel.store.sqlite.forks import held, size_of
from recollect.kernel.store.sqlite.migrations import migrate
from recollect.kernel.store.sqlite.text_structure import structure_fault
from recollect.model import Progress

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


_MOST_FAULTS = 1000
_HEADING = "*** in database"
_IN_TREE = re.compile(r"Tree ([0-9]+) (.*)")
_OF_SPACE = re.compile(r"Freelist|Page [0-9]+")  # never used, or not as the free pages are listed
_SCHEMA_ROOT = 1

_TREES = "SELECT s.rootpage, s.type, s.name FROM sqlite_schema AS s WHERE s.rootpage > 0"
_FORGET = "DELETE FROM sqlite_schema WHERE name = :name OR tbl_name = :name"
_TEXT_INDEX = "text_index"


def file_faults(session: SqliteSession) -> tuple[Fault, ...]:
    """Return what is wrong with a file: of each broken table or index the first thing.

    What else the engine finds then follows from these. Cost: the whole file.
    """
    unread = _unread_text(session)
    lines = list(_engine_findings(session))
    trees = {whole(root): (text(kind), text(name)) for root, kind, name in session.rows(_TREES)}
    trees[_SCHEMA_ROOT] = "table", "sqlite_schema"
    broken: dict[str, Fault] = {}
    others: list[Fault] = []
    for line in lines:
        found = _IN_TREE.match(line)
        if found is None or int(found[1]) not in trees:
            others.append(Fault(line, is_of_space=_OF_SPACE.match(line) is not None))
            continue
        kind, name = trees[int(found[1])]
        broken.setdefault(name, Fault(f"the {kind} {name} is broken: {found[2]}", tree=name))
    return tuple(broken.values()) or unread or tuple(others)


def forget(session: SqliteSession, trees: Iterable[str]) -> None:
    """Let a file have these tables and indexes no longer, inside a write transaction."""
    names = set(trees)
    if not names.isdisjoint(text_parts()):
        names |= text_parts()
    version = whole(session.rows("PRAGMA schema_version")[0][0])
    _protect(session, is_protected=False)
    try:
        session.rows("PRAGMA writable_schema = ON")
        session.execute_many(_FORGET, [{"name": name} for name in sorted(names)])
        session.rows(f"PRAGMA schema_version = {version + 1}")  # others look at it again
    finally:
        session.rows("PRAGMA writable_schema = RESET")
        _protect(session, is_protected=True)


def _protect(session: SqliteSession, *, is_protected: bool) -> None:
    with session.entered() as connection:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, int(is_protected))


def text_parts() -> frozenset[str]:
    """Return the text index and the tables that the engine keeps it in."""
    return frozenset(one.name for one in whole_store() if one.name.startswith(_TEXT_INDEX))


def _unread_text(session: SqliteSession) -> tuple[Fault, ...]:
    """Read from the text index, which makes it drop what it cached before others wrote."""
    try:
        session.rows("SELECT t.rowid FROM text_index AS t LIMIT 1")
    except RecollectError as error:
        if error.code not in (STORE_CORRUPT, INTERNAL_ERROR):  # the second: it does not open
            raise
        return (Fault("the text index cannot be read", tree=_TEXT_INDEX),)
    return ()


def _engine_findings(session: SqliteSession) -> Iterator[str]:
    """Yield what the engine says of a file, also when it gives up in the middle of it."""
    is_silent = True
    try:
        with session.entered() as connection:
            for (told,) in connection.execute(f"PRAGMA integrity_check({_MOST_FAULTS})"):
                for line in str(told).splitlines():
                    if line != "ok" and not line.startswith(_HEADING):
                        is_silent = False
                        yield line
    # The second: the text index does not open; the third: it has a length that cannot be.
    except (apsw.CorruptError, apsw.SQLError, apsw.NoMemError):
        if is_silent:
            yield corrupt().message
    except apsw.Error as error:
        raise translated(error) from error


# What the engine makes by itself has no definition, and comes with its table.
_PARTS = """
SELECT s.type, s.name, s.sql FROM sqlite_schema AS s
WHERE s.sql IS NOT NULL ORDER BY s.rootpage, s.name
"""


def missing_parts(session: Session) -> tuple[Part, ...]:
    """Return what a store of this version has and this one lacks, in the order it is made."""
    there = {text(name) for _, name, _ in session.rows(_PARTS)}
    return tuple(part for part in whole_store() if part.name not in there)


@cache
def whole_store() -> tuple[Part, ...]:
    """Return all that a store of this version has, in the order it is made."""
    session = SqliteSession(MEMORY, StoreSettings(), query_only=False, creates=True)
    try:
        migrate(session)
        return tuple(Part(*map(text, row)) for row in session.rows(_PARTS))
    finally:
        session.close()


_PAGES_AT_ONCE = 2_000  # between two words of progress


def back_up(session: SqliteSession, path: str | os.PathLike[str], progress: Progress) -> None:
    """Copy the store as `session` sees it to a file that is not there yet.

    The copy is page by page: it has every group, the past, and the free pages as well.
    Raises INVALID_ARGUMENT when the file exists. Cost: the size of the store.
    """
    with new_file(path) as part:
        try:
            session.rows("SELECT count(*) FROM sqlite_schema")
            # The snapshot is open now, or every write of another process would begin it anew.
            with (
                held(partial(apsw.Connection, str(part))) as copy,
                copy.backup("main", session.connection, "main") as backup,
            ):
                while not backup.step(_PAGES_AT_ONCE):
                    progress("pages", backup.page_count - backup.remaining, backup.page_count)
                progress("pages", backup.page_count, backup.page_count)
        except apsw.Error as error:
            fault = translated(error)
            if fault.code is STORE_UNAVAILABLE:
                fault = unwritable(named_file(path), fault.message)
            raise fault from error
