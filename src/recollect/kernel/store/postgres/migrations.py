"""The named steps that build the tables of a schema; the list only ever grows at its end.

The rule: a schema is ours when it has the first step's name in its `migration`. Another one that
holds any table is somebody else's, and stays as it is; so does one that a newer program has made.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import Connection

from recollect.errors import STORE_FOREIGN, STORE_NEWER, STORE_UNAVAILABLE, UPGRADE, RecollectError
from recollect.kernel.store.port import Part, SqlRow
from recollect.kernel.store.postgres.faults import translated
from recollect.kernel.store.postgres.functions import ANY_VALUE, CALLED, ORDERED
from recollect.kernel.store.postgres.groups import GROUP_NAMES
from recollect.kernel.store.postgres.pool import milliseconds
from recollect.kernel.store.postgres.schema import (
    INITIAL,
    LINK_LINE,
    LONG_TERMS,
    ONE_PAST,
    WORK_BY_GROUP,
)
from recollect.kernel.store.postgres.text_index import LAST_WRITES

MIGRATIONS: Final = (
    ("p001_initial", INITIAL),
    ("p002_called_functions", CALLED),
    ("p003_work_by_group", WORK_BY_GROUP),
    ("p004_long_terms", LONG_TERMS),
    ("p005_link_line", LINK_LINE),
    ("p006_group_names", GROUP_NAMES),
    ("p007_ordered_values", ORDERED),
    ("p008_one_past", ONE_PAST),
    ("p009_any_value", ANY_VALUE),
    ("p010_last_writes", LAST_WRITES),
    ("p011_last_writes_taken_back", LAST_WRITES),
)
"""The name of each step, and its statements."""

_OLDEST: Final = 150_000
_TABLE: Final = """
CREATE TABLE migration (name text COLLATE "C" PRIMARY KEY, applied_at bigint NOT NULL)
"""
_TABLES: Final = """
SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
"""
_SCHEMA: Final = "SELECT 1 FROM pg_namespace AS n WHERE n.nspname = $1"
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('recollect ' || $1, 0))"
_FUNCTIONS: Final = re.findall(r"CREATE (?:OR REPLACE )?FUNCTION (\w+)", INITIAL)
_MADE: Final = re.compile(r"CREATE (?:UNIQUE )?(TABLE|INDEX) (\w+)[^;]*;")
_RENAMED: Final = re.compile(r"ALTER TABLE (\w+) RENAME TO (\w+);")
_DROPPED: Final = re.compile(r"DROP TABLE (\w+);")


def whole_store() -> tuple[Part, ...]:
    """Return all tables and indexes of a store of this version, in the order they are made."""
    text = _TABLE.strip() + ";" + "".join(sql for _, sql in MIGRATIONS)
    text = re.sub(r"--[^\n]*", "", text)
    for old, new in _RENAMED.findall(text):
        text = re.sub(rf"\b{old}\b", new, text)
    gone = frozenset(_DROPPED.findall(text))
    found = (one for one in _MADE.finditer(text) if one[2] not in gone)
    return tuple(Part(one[1].lower(), one[2], one[0].removesuffix(";")) for one in found)


def migrate(connection: Connection[SqlRow], schema: str, wait_seconds: float) -> None:
    """Bring a schema up to date in one transaction, and make it where it is not there.

    STORE_FOREIGN and STORE_NEWER leave it as it is. STORE_BUSY when another program is at it for
    longer than `wait_seconds`. Cost: two round trips when nothing is to be done.
    """
    _refuse_server(connection)
    is_old = False
    try:
        if missing := _missing(connection, schema):
            is_old = len(missing) < len(MIGRATIONS)
            with connection.transaction():
                for name, value in (
                    ("lock_timeout", milliseconds(wait_seconds)),
                    ("search_path", schema),
                ):
                    connection.execute("SELECT set_config($1, $2, true)", (name, value))
                connection.execute(_LOCK, (schema,))
                _apply(connection, schema)
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidSchemaName) as error:
        raise (_not_owner if is_old else _not_allowed)(connection, schema) from error
    except psycopg.Error as error:
        raise translated(error) from error


def _not_owner(connection: Connection[SqlRow], schema: str) -> RecollectError:
    """Return the error of a role that uses tables which only their owner can bring up to date."""
    return STORE_UNAVAILABLE.error(
        f'the role "{connection.info.user}" may not bring the schema "{schema}" up to date',
        "have the owner of its tables open the memory once",
    )


def _not_allowed(connection: Connection[SqlRow], schema: str) -> RecollectError:
    """Return the error of a role that lacks what it takes, and the statement that grants it."""
    user, database = connection.info.user, connection.info.dbname
    if not _has_schema(connection, schema):
        what, of = "make the schema", f'CREATE ON DATABASE "{database}"'
    elif holds_tables(connection, schema):
        what, of = "use the tables of the schema", f'USAGE ON SCHEMA "{schema}"'
    else:
        what, of = "make tables in the schema", f'USAGE, CREATE ON SCHEMA "{schema}"'
    return STORE_UNAVAILABLE.error(
        f'the role "{user}" may not {what} "{schema}"',
        f'have the owner run: GRANT {of} TO "{user}"',
    )


def _apply(connection: Connection[SqlRow], schema: str) -> None:
    missing = _missing(connection, schema)
    if len(missing) == len(MIGRATIONS):
        if not _has_schema(connection, schema):  # IF NOT EXISTS asks for a right to make one
            _run(connection, f'CREATE SCHEMA "{schema}"')
        _run(connection, _TABLE)
    for name, sql in MIGRATIONS:
        if name in missing:
            _run(connection, _qualified(sql, schema))
            entry = (name, int(time.time() * 1000))
            connection.execute("INSERT INTO migration (name, applied_at) VALUES ($1, $2)", entry)


def _qualified(sql: str, schema: str) -> str:
    """Name our functions with their schema: `pg_dump` restores rows without a search path."""
    return re.sub(rf"\b({'|'.join(_FUNCTIONS)})(?=\()", rf'"{schema}".\1', sql)


def _missing(connection: Connection[SqlRow], schema: str) -> frozenset[str]:
    """Return the names of the steps that a schema has not been through."""
    known = frozenset(name for name, _ in MIGRATIONS)
    tables = {str(name) for (name,) in connection.execute(_TABLES, (schema,)).fetchall()}
    if not tables:
        return known
    applied: set[str] = set()
    if "migration" in tables:
        sql = f'SELECT m.name FROM "{schema}".migration AS m'  # noqa: S608 - a checked name
        with suppress(psycopg.errors.UndefinedColumn):
            applied = {str(name) for (name,) in connection.execute(sql).fetchall()}
    if MIGRATIONS[0][0] not in applied:
        raise STORE_FOREIGN.error(
            f'the schema "{schema}" holds tables that are not of Recollect',
            "use another schema: ?schema=memory; this one is left as it is",
        )
    if unknown := applied - known:
        raise STORE_NEWER.error(
            "the store was written by a newer version of Recollect",
            UPGRADE,
            details={"unknown_migrations": sorted(unknown)},
        )
    return known - applied


def _has_schema(connection: Connection[SqlRow], schema: str) -> bool:
    return connection.execute(_SCHEMA, (schema,)).fetchone() is not None


def holds_tables(connection: Connection[SqlRow], schema: str) -> bool:
    """Whether a schema has any tables, ours or not."""
    return bool(connection.execute(_TABLES, (schema,)).fetchall())


def _run(connection: Connection[SqlRow], script: str) -> None:
    """Run statements without parameters, several at once."""
    connection.execute(script.encode(), prepare=False)


def _refuse_server(connection: Connection[SqlRow]) -> None:
    """Raise STORE_UNAVAILABLE for a server or a database that cannot hold a store."""
    if connection.info.server_version < _OLDEST:
        raise STORE_UNAVAILABLE.error(
            f"the server is PostgreSQL {connection.info.server_version // 10_000}",
            "use PostgreSQL 15 or newer",
        )
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise STORE_UNAVAILABLE.error(
            "the database does not keep texts as UTF-8",
            "create one with ENCODING 'UTF8' TEMPLATE template0",
        )
