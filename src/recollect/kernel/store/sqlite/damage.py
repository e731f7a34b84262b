"""Names the tables and indexes that are missing or broken in a file, and takes out the broken.

The rule: the migrations alone say what a store has; there is no second list to forget. What is
taken out is dropped from the file's list without freeing its pages, because a broken tree may claim
pages of others. They are lost until the file is rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import apsw

from recollect.errors import INTERNAL_ERROR, STORE_CORRUPT, RecollectError
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.faults import corrupt
from recollect.kernel.store.port import Fault, Part, Session
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import MEMORY, SqliteSession
from recollect.kernel.store.sqlite.faults import translated
from recollect.kernel.store.sqlite.migrations import migrate

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
    lines = list(_told(session))
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


def _told(session: SqliteSession) -> Iterator[str]:
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
