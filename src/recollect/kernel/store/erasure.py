"""How erased bytes leave the file: what a deletion leaves behind, and how that is removed.

A deletion alone leaves copies: in freed pages, in the gaps of pages that were balanced, in old
segments of the text index, in the engine's samples, in the log file. So a purge counts itself in
`erasure`, in its own transaction. Afterwards the file is rewritten and its log emptied; only then
is the purge finished. If a crash, a reader or a full disk prevents that, the next opening, repair
or backup finishes it. Measured: with the index, the samples, the file or its log left as they are,
words remained. Deleted pages are blanked as well, since rewriting gives their blocks back to the
disk.
"""

from __future__ import annotations

from recollect.kernel.store.cells import whole
from recollect.kernel.store.connection import SqliteSession
from recollect.kernel.store.group import group_tables
from recollect.kernel.store.protocol import Session

OTHERS = "another program or thread is reading or writing"
BLOCK = "this thread is inside a block of nexus.transaction() or nexus.snapshot()"
"""What keeps erased bytes in the file, beside what the engine says of it."""

_PURGES = "SELECT e.begun FROM erasure AS e"
_UNFINISHED = "SELECT e.begun FROM erasure AS e WHERE e.begun > e.finished"
_BEGIN = "UPDATE erasure SET begun = begun + 1"
_COUNT_EMPTY = "UPDATE erasure SET begun = begun + 1, finished = finished + 1"
_FINISH = "UPDATE erasure SET finished = max(finished, ?)"
_REMEMBER_GROUP = "UPDATE erasure SET last_group = max(last_group, ?)"
_OPTIMIZE = "INSERT INTO text_index (text_index) VALUES ('optimize')"
_SAMPLES = "SELECT 1 FROM sqlite_schema AS s WHERE s.name = 'sqlite_stat4'"


def purges(session: Session) -> int:
    """Return how many purges the store has seen: what was cached before the last is stale."""
    row = session.row(_PURGES)
    return 0 if row is None else whole(row[0])


def make_stale(session: Session) -> None:
    """Let nothing that was cached before be used again, as a purge with nothing to erase would."""
    session.execute_many(_COUNT_EMPTY, [()])


def begin_erasure(session: Session) -> None:
    """Count a purge in its own transaction; call it before anything is deleted."""
    session.rows("PRAGMA secure_delete = ON")
    session.execute_many(_BEGIN, [()])


def clear_remains(session: Session) -> None:
    """Remove what deletions left in the text index and in the engine's samples.

    Called in the purge's transaction, after its deletions. Cost: the whole text index.
    """
    session.execute_many(_OPTIMIZE, [()])
    if session.row(_SAMPLES) is not None:
        session.execute_many("DELETE FROM sqlite_stat4", [()])


def delete_group(session: Session, group_id: int) -> None:
    """Delete every row of a group, from every table that has groups, and retire its number."""
    for table in group_tables(session):
        sql = f"DELETE FROM {table} WHERE group_id = ?"  # noqa: S608 - from the schema
        session.execute_many(sql, [(group_id,)])
    session.execute_many(_REMEMBER_GROUP, [(group_id,)])


def has_unfinished_erasure(session: Session) -> bool:
    """Whether bytes of a purge may still be in the file."""
    return session.row(_UNFINISHED) is not None


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
