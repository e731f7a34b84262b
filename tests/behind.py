"""What somebody with the file, or with the tables on the server, does behind a memory's back."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from psycopg import sql as names
from psycopg.conninfo import make_conninfo

import postgres
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.binding import adapt, bound

BYTES = pytest.mark.sqlite_only("looks for bytes in a file")
COPIES = pytest.mark.sqlite_only("copies a file")
FILES = pytest.mark.sqlite_only("looks at a file itself")
STEPS = pytest.mark.sqlite_only("a server counts no steps")

Row = tuple[Any, ...]
Place = str | os.PathLike[str]


def changed(place: Place, sql: str, parameters: Mapping[str, Any] | None = None) -> int:
    """Run one statement on what a memory stands in, and return how many rows it changed."""
    address = postgres.standing(place)
    if address is None:
        connection = apsw.Connection(str(place))
        try:
            connection.execute(sql, parameters)
            return connection.changes()
        finally:
            connection.close()
    with _connected(address) as served:
        return served.execute(*_spelt(sql, parameters)).rowcount


def tampered(place: Place, sql: str, parameters: Mapping[str, Any] | None = None) -> None:
    """Change at least one row."""
    assert changed(place, sql, parameters) > 0


def rows(place: Place, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
    """Return what one statement finds there."""
    address = postgres.standing(place)
    if address is None:
        connection = apsw.Connection(str(place), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return list(connection.execute(sql, parameters))
        finally:
            connection.close()
    with _connected(address) as served:
        return served.execute(*_spelt(sql, parameters)).fetchall()


def columns(place: Place) -> dict[str, list[str]]:
    """Return the columns of each table."""
    address = postgres.standing(place)
    if address is None:
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table'"
        return {
            table: [row[1] for row in rows(place, f"PRAGMA table_info({table})")]
            for (table,) in rows(place, tables)
        }
    found: dict[str, list[str]] = {}
    told = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1"
    with _connected(address) as served:
        for table, column in served.execute(told, [parse_server(address).schema]):
            found.setdefault(table, []).append(column)
    return found


def held(place: Place) -> bytes:
    """Return everything that is there: a file's bytes, or every row on a server as text."""
    if postgres.standing(place) is None:
        return Path(place).read_bytes()
    whole = (rows(place, f'SELECT t::text FROM "{table}" AS t') for table in columns(place))
    return "\n".join(row for table in whole for (row,) in table).encode()


def indexes(place: Place) -> list[str]:
    """Return the names of all indexes, in order."""
    address = postgres.standing(place)
    if address is None:
        found = rows(place, "SELECT name FROM sqlite_schema WHERE type = 'index'")
    else:
        found = rows(place, "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()")
    return sorted(name for (name,) in found)


def _connected(address: str) -> psycopg.Connection[Row]:
    server = parse_server(address)
    connection = psycopg.connect(
        make_conninfo(server.conninfo), autocommit=True, cursor_factory=psycopg.RawCursor
    )
    adapt(connection)
    connection.execute(names.SQL("SET search_path = {}").format(names.Identifier(server.schema)))
    return connection


def _spelt(sql: str, parameters: Mapping[str, Any] | None) -> tuple[str, Any]:
    text = re.sub(r"zeroblob\((\d+)\)", r"decode(repeat('00', \1), 'hex')", sql)
    return bound(text, parameters or {})
