"""Compares the tables and indexes of a file with those that the migrations make in an empty one.

The rule: the migrations alone say what a store has; there is no second list to forget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from recollect.kernel.store.cells import text
from recollect.kernel.store.connection import MEMORY, Settings, SqliteSession
from recollect.kernel.store.migrations import migrate
from recollect.kernel.store.protocol import Session

# What the engine makes by itself has no definition, and comes with its table.
_PARTS = """
SELECT s.type, s.name, s.sql FROM sqlite_schema AS s
WHERE s.sql IS NOT NULL ORDER BY s.rootpage, s.name
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A table or an index of a store."""

    kind: str  # "table" or "index"
    name: str
    sql: str  # the statement that makes it

    @property
    def is_table(self) -> bool:
        """Whether it holds rows that nothing else does."""
        return self.kind == "table"

    def __str__(self) -> str:
        return f"the {self.kind} {self.name}"


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
