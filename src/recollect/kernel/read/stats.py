"""What a group holds, by its kept counts, and how large the store is."""

from __future__ import annotations

from pathlib import Path

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.statements.counts import COUNTS
from recollect.kernel.store.upkeep import file_size
from recollect.model import Instant, Stats


def stats_of(session: Session, group: Group, path: Path | None) -> Stats:
    """Return the counts of a group and the size of the store. Cost: a few rows."""
    counts = session.rows(COUNTS, {"group": group.group_id})[0]
    concepts, links, types, predicates, documents, transactions, at, groups = map(whole, counts)
    (version,) = session.rows("SELECT sqlite_version()")[0]
    size = file_size(session, path)
    return Stats(
        path=None if path is None else str(path),
        size_bytes=size.file_bytes,
        log_bytes=size.log_bytes,
        free_bytes=size.free_bytes,
        group=group.name,
        groups=groups,
        concepts=concepts,
        links=links,
        types=types,
        predicates=predicates,
        documents=documents,
        transactions=transactions,
        last_at=Instant(at) if transactions else None,
        engine="SQLite " + text(version),
    )
