"""The named steps that build the tables; the list only ever grows at its end."""

from __future__ import annotations

import time

from recollect.errors import STORE_NEWER, UPGRADE, RecollectError
from recollect.kernel.store.port import Session
from recollect.kernel.store.sqlite.schema import (
    APPLICATION_ID,
    ATTRIBUTE_INDEX,
    COUNTS_OF_ALL_LINKS,
    COUNTS_OF_BOUNDED,
    ERASURE,
    INITIAL,
    KEYED_ANSWERS,
    LINK_LINE,
    NAME_KEY,
    SCHEMA_MODE,
    STATE_MARK,
    VECTOR_DIGESTS,
    VECTORS,
    WORK,
)
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; its name is recorded in the file once it has run."""

    name: str
    sql: str


MIGRATIONS: tuple[Migration, ...] = (
    Migration("m001_initial", INITIAL),
    Migration("m002_erasure", ERASURE),
    Migration("m003_attribute_index", ATTRIBUTE_INDEX),
    Migration("m004_counts_of_all_links", COUNTS_OF_ALL_LINKS),
    Migration("m005_schema_mode", SCHEMA_MODE),
    Migration("m006_name_key", NAME_KEY),
    Migration("m007_work", WORK),
    Migration("m008_vectors", VECTORS),
    Migration("m009_state_mark", STATE_MARK),
    Migration("m010_vector_digests", VECTOR_DIGESTS),
    Migration("m011_keyed_answers", KEYED_ANSWERS),
    Migration("m012_counts_of_bounded", COUNTS_OF_BOUNDED),
    Migration("m013_link_line", LINK_LINE),
)

VERSION = len(MIGRATIONS)
"""SQLite's `user_version` of a file all of whose migrations have run."""

_TABLE = "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)"


def refuse_newer(applied: frozenset[str], version: int) -> None:
    """Raise STORE_NEWER when a file holds migrations this program does not know."""
    unknown = applied - {one.name for one in MIGRATIONS}
    if unknown or version > VERSION:
        raise RecollectError(
            STORE_NEWER,
            "the file was written by a newer version of Recollect",
            hint=UPGRADE,
            details={"unknown_migrations": sorted(unknown), "file_version": version},
        )


def applied_migrations(session: Session) -> frozenset[str]:
    """Return the names of the migrations a file has been through."""
    table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
    if session.row(table) is None:
        return frozenset()
    return frozenset(str(name) for (name,) in session.rows("SELECT name FROM migration"))


def migrate(session: Session) -> None:
    """Run the missing migrations, inside the write transaction of `session`."""
    session.rows(_TABLE)
    applied = applied_migrations(session)
    for migration in MIGRATIONS:
        if migration.name not in applied:
            session.rows(migration.sql)
            entry = (migration.name, int(time.time() * 1000))
            session.execute_many("INSERT INTO migration (name, applied_at) VALUES (?, ?)", [entry])
    session.rows(f"PRAGMA application_id = {APPLICATION_ID}")
    session.rows(f"PRAGMA user_version = {VERSION}")
