"""The count of a store's purges, by which what was cached before the last is known to be stale."""

from __future__ import annotations

from recollect.kernel.store.cells import whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.counters import MAKE_STALE, PURGES, RETIRE_GROUP, UNFINISHED
from recollect.kernel.store.statements.groups import DELETE

OTHERS = "another program or thread is reading or writing"
BLOCK = "this thread is inside a block of nexus.transaction() or nexus.snapshot()"
"""What keeps erased bytes in the file, beside what the engine says of it."""

READERS = "another transaction of the database is open"
"""The same of a server's tables."""

REMAINS = (
    "the server keeps removed bytes in the free space of its tables, until it is written over or "
    "recollect purge --rewrite makes the tables anew; in its log (WAL), and in replicas and backups"
)
"""Where a server has them still, when rows and words are gone and their tables vacuumed."""


def purges(session: Session) -> int:
    """Return how many purges the store has seen: what was cached before the last is stale."""
    rows = session.once(PURGES, {})
    return whole(rows[0][0]) if rows else 0


def make_stale(session: Session, group_id: int) -> None:
    """Let nothing that was cached of a group be used again, as a purge of nothing would."""
    session.execute_many(MAKE_STALE, [{"group": group_id}])


def delete_group(session: Session, group_id: int) -> None:
    """Delete every row of a group that has groups, and retire its number."""
    for statement in (*DELETE.values(), RETIRE_GROUP):
        session.execute_many(statement, [{"group": group_id}])


def has_unfinished_erasure(session: Session) -> bool:
    """Whether bytes of a purge may still be in the file."""
    return session.row(UNFINISHED) is not None
