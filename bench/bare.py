"""Small writes once more, bare: their own statements with their values, and nothing around them.

The rule: what stands beside a write is what its rows cost anybody who keeps the same tables as
durably, and already knows every value.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.kernel.store.port import Parameters, Sql
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.sqlite.dialect import SQLITE

Statements = list[tuple[str, list[Parameters]]]
"""What one write hands to the engine, in order."""


@contextmanager
def overheard() -> Iterator[Statements]:
    """Give the list that the statements of writes are added to, of whatever session, in a block."""
    heard: Statements = []
    execute_many = SqliteSession.execute_many

    def hear(session: SqliteSession, sql: Sql, parameters: Iterable[Parameters]) -> None:
        rows = list(parameters)
        if rows:
            heard.append((sql if isinstance(sql, str) else SQLITE.spelt[sql], rows))
        execute_many(session, sql, rows)

    SqliteSession.execute_many = hear  # type: ignore[method-assign, assignment]
    try:
        yield heard
    finally:
        SqliteSession.execute_many = execute_many  # type: ignore[method-assign]


def bare_times(path: Path, writes: Iterable[Statements]) -> list[float]:
    """Return how many milliseconds each write takes, one after another, to a copy of its file."""
    session = SqliteSession(str(path), StoreSettings(), query_only=False)
    connection = session.connection
    times = []
    for write in writes:
        start = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        for sql, rows in write:
            connection.executemany(sql, rows)
        connection.execute("COMMIT")
        times.append((time.perf_counter() - start) * 1_000)
    session.close()
    return times
