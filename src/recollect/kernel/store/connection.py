"""One connection to SQLite and the session over it: rows are materialised, work is counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import apsw

from recollect.errors import EXECUTION_TIMEOUT, RESOURCE_EXHAUSTED, RecollectError
from recollect.kernel.store import text_functions
from recollect.kernel.store.faults import translated
from recollect.kernel.store.functions import register_functions
from recollect.kernel.store.protocol import Budget, Parameters, SqlRow

_STATEMENT_CACHE = 512
_STEPS_A_TICK = 10_000  # how often the engine asks whether it may go on
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_WAL_LIMIT = 64 * 2**20  # bytes the log file keeps on disk after a checkpoint


@dataclass(frozen=True, slots=True)
class Settings:
    """How a store treats its file."""

    synchronous: Literal["full", "normal"] = "full"  # normal: a power cut may lose commits
    busy_seconds: float = 5.0  # how long to wait for another writer
    cache_bytes: int = 32 * 2**20  # for each connection
    mmap_bytes: int = 256 * 2**20


class Meter:
    """Counts the work of the running statement and ends it beyond its budget."""

    def __init__(self) -> None:
        self._budget: Budget | None = None
        self._ticks = 0
        self._deadline = 0.0

    def start(self, budget: Budget | None) -> None:
        """Begin to count a statement; without a budget it may take what it needs."""
        self._budget, self._ticks = budget, 0
        if budget is not None:
            self._deadline = time.monotonic() + budget.seconds

    def tick(self) -> bool:
        """Whether the engine must stop; called by the engine every 10,000 steps."""
        if self._budget is None:
            return False
        self._ticks += 1
        return self._is_over_steps(self._budget) or time.monotonic() > self._deadline

    def exhausted(self) -> RecollectError:
        """Return the error of the statement that was just ended."""
        budget = self._budget or Budget()
        if self._is_over_steps(budget):
            return RecollectError(
                RESOURCE_EXHAUSTED,
                f"the statement takes more than {budget.steps} steps",
                hint="name more of the pattern, or use LIMIT",
                details={"steps": budget.steps},
            )
        return RecollectError(
            EXECUTION_TIMEOUT,
            f"the statement takes longer than {budget.seconds:g} seconds",
            hint="name more of the pattern, or use LIMIT",
            details={"seconds": budget.seconds},
        )

    def _is_over_steps(self, budget: Budget) -> bool:
        return self._ticks * _STEPS_A_TICK > budget.steps


class SqliteSession:
    """One connection's transaction; it implements `protocol.Session`."""

    def __init__(self, filename: str, settings: Settings, *, query_only: bool) -> None:
        self.lock = threading.RLock()
        self.depth = 0  # blocks of this thread that are open on the connection
        self.is_writing = False
        self._meter = Meter()
        self._after_commit: list[Callable[[], None]] = []
        try:
            self.connection = apsw.Connection(
                filename, flags=_FLAGS, statementcachesize=_STATEMENT_CACHE
            )
            _configure(self.connection, settings, query_only=query_only)
        except apsw.Error as error:
            raise translated(error) from error
        self.connection.set_progress_handler(self._meter.tick, _STEPS_A_TICK)

    def rows(
        self, sql: str, parameters: Parameters = (), budget: Budget | None = None
    ) -> list[SqlRow]:
        """Run one statement and return all its rows."""
        self._meter.start(budget)
        try:
            return self.connection.execute(sql, parameters).fetchall()
        except apsw.InterruptError as error:
            raise self._meter.exhausted() from error
        except apsw.Error as error:
            raise translated(error) from error

    def row(self, sql: str, parameters: Parameters = ()) -> SqlRow | None:
        """Run one statement and return its first row, if it has one."""
        self._meter.start(None)
        try:
            cursor = self.connection.execute(sql, parameters)
            found: SqlRow | None = cursor.fetchone()
            cursor.close(True)
        except apsw.Error as error:
            raise translated(error) from error
        return found

    def execute_many(self, sql: str, parameters: Iterable[Parameters]) -> None:
        """Run one statement once for each set of parameters."""
        self._meter.start(None)
        try:
            for _ in self.connection.executemany(sql, parameters):
                pass
        except apsw.Error as error:
            raise translated(error) from error

    def on_commit(self, action: Callable[[], None]) -> None:
        """Call `action` after the transaction has committed; never after a rollback."""
        self._after_commit.append(action)

    def wait(self, seconds: float) -> None:
        """Let the next statements wait so long for other processes, then be STORE_BUSY."""
        try:
            self.connection.set_busy_timeout(max(0, int(seconds * 1000)))
        except apsw.Error as error:
            raise translated(error) from error

    def begin_writing(self, wait_seconds: float) -> None:
        """Begin the write transaction; STORE_BUSY when another process keeps it."""
        self.wait(wait_seconds)
        self._after_commit.clear()
        self.rows("BEGIN IMMEDIATE")
        self.is_writing = True

    def commit(self) -> None:
        """Commit, then run what waited for it."""
        self.rows("COMMIT")
        self.is_writing = False
        actions, self._after_commit = self._after_commit, []
        for action in actions:
            action()

    def roll_back(self) -> None:
        """Undo the transaction, unless the engine has undone it by itself."""
        self.is_writing = False
        self._after_commit.clear()
        if self.connection.in_transaction:
            self.rows("ROLLBACK")


def _configure(connection: apsw.Connection, settings: Settings, *, query_only: bool) -> None:
    connection.set_busy_timeout(int(settings.busy_seconds * 1000))
    # Without the stability guarantee every new bound value prepares a statement anew.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.execute(f"PRAGMA cache_size = -{settings.cache_bytes // 1024}")
    connection.execute(f"PRAGMA mmap_size = {settings.mmap_bytes}")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
    connection.execute(f"PRAGMA synchronous = {settings.synchronous}")
    connection.execute("PRAGMA temp_store = MEMORY")
    register_functions(connection)
    text_functions.register(connection)
    connection.execute(f"PRAGMA query_only = {int(query_only)}")
