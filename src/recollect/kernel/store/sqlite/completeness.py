"""Compares the tables and indexes of a file with those that the migrations make in an empty one.

The rule: the migrations alone say what a store has; there is no second list to forget.
"""

from __future__ import annotations

from functools import cache

from recollect.kernel.store.cells import text
from recollect.kernel.store.port import Part, Session
from recollect.kernel.store.settings import Settings
from recollect.kernel.store.sqlite.connection import MEMORY, SqliteSession
from recollect.kernel.store.sqlite.migrations import migrate

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
    session = SqliteSession(MEMORY, Settings(), query_only=False, creates=True)
    try:
        migrate(session)
        return tuple(Part(*map(text, row)) for row in session.rows(_PARTS))
    finally:
        session.close()
