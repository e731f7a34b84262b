"""The count of a store's purges, by which what was cached before the last is known to be stale."""

from __future__ import annotations

from recollect.kernel.store.cells import whole
from recollect.kernel.store.group import group_tables
from recollect.kernel.store.port import Session

OTHERS = "another program or thread is reading or writing"
BLOCK = "this thread is inside a block of nexus.transaction() or nexus.snapshot()"
"""What keeps erased bytes in the file, beside what the engine says of it."""

_PURGES = "SELECT e.begun FROM erasure AS e"
_UNFINISHED = "SELECT e.begun FROM erasure AS e WHERE e.begun > e.finished"
_COUNT_EMPTY = "UPDATE erasure SET begun = begun + 1, finished = finished + 1"
_REMEMBER_GROUP = "UPDATE erasure SET last_group = max(last_group, ?)"


def purges(session: Session) -> int:
    """Return how many purges the store has seen: what was cached before the last is stale."""
    row = session.row(_PURGES)
    return 0 if row is None else whole(row[0])


def make_stale(session: Session) -> None:
    """Let nothing that was cached before be used again, as a purge with nothing to erase would."""
    session.execute_many(_COUNT_EMPTY, [()])


def delete_group(session: Session, group_id: int) -> None:
    """Delete every row of a group, from every table that has groups, and retire its number."""
    for table in group_tables(session):
        sql = f"DELETE FROM {table} WHERE group_id = ?"  # noqa: S608 - from the schema
        session.execute_many(sql, [(group_id,)])
    session.execute_many(_REMEMBER_GROUP, [(group_id,)])


def has_unfinished_erasure(session: Session) -> bool:
    """Whether bytes of a purge may still be in the file."""
    return session.row(_UNFINISHED) is not None
