"""One connection to SQLite and the session over it: rows are materialised, work is counted.

What costs too much is ended. Who waits for another process looks again soon and always as soon: the
engine's own waiting looks ever more rarely, ten times a second at last, and never finds a process
at rest that writes without a pause.

The log file is kept short: after small writes it is copied early. A load changes the same pages
again and again, so its log is copied late, each page once for several transactions. Copying waits
for nobody until the log is long. By then, readers that follow each other without a pause could keep
the log from ever starting over, so the writer waits for them: only a moment, and again only after
the log has grown. A reader that stays delays writes but never stops them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

import apsw

from recollect.errors import RESOURCE_EXHAUSTED, STORE_UNAVAILABLE, RecollectError
from recollect.kernel.store.cells import Sampling
from recollect.kernel.store.faults import busy, overdue
from recollect.kernel.store.port import Budget, EngineWork, Parameters, Sql, SqlRow
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sharing import AsksOnce
from recollect.kernel.store.sqlite.dialect import SQLITE
from recollect.kernel.store.sqlite.faults import READING_ERRORS, translated
from recollect.kernel.store.sqlite.forks import LOG, FilePlace, Held, beside
from recollect.kernel.store.sqlite.functions import (
    register_functions,
    register_search,
    register_texts,
)
from recollect.kernel.store.sqlite.read_only import SCHEME
from recollect.kernel.store.sqlite.text_index import SqliteTexts
from recollect.kernel.store.statement import MOST_FEW, Insertion

STEPS_A_TICK = 10_000
"""How often the engine asks whether it may go on."""


class Meter:
    """Counts what the reads of one block cost together, and ends the one that is too much."""

    def __init__(self) -> None:
        self._budget: Budget | None = None
        self._is_counting = False
        self._steps = 0
        self._seconds = 0.0
        self._since = 0.0  # when the running statement was last looked at
        self._watcher: Callable[[int], None] | None = None
        self._watched = 0  # steps since it began to watch

    def allow(self, budget: Budget | None) -> None:
        """Restart the count; without a budget statements may take what they need."""
        self._budget, self._steps = budget, 0
        self._seconds = 0.0 if budget is None else budget.spent

    def watch(self, watcher: Callable[[int], None] | None) -> None:
        """Tell a watcher how many steps there were since this call; None ends the watching."""
        self._watcher, self._watched = watcher, 0

    def start(self, *, is_read: bool) -> None:
        """Begin a statement; what writes is as large as its input and is not counted."""
        self._is_counting = is_read and self._budget is not None
        if self._is_counting:
            self._since = time.monotonic()

    def tick(self) -> bool:
        """Whether the engine must stop; called by the engine every 10,000 steps."""
        if self._watcher is not None:
            self._watched += STEPS_A_TICK
            self._watcher(self._watched)
        if not self._is_counting or self._budget is None:
            return False
        now = time.monotonic()
        self._steps += STEPS_A_TICK
        self._seconds += now - self._since
        self._since = now
        return self._steps > self._budget.steps or self._seconds > self._budget.seconds

    def exhausted(self) -> RecollectError:
        """Return the error of the statement that was just ended."""
        budget = self._budget or Budget()
        if self._steps > budget.steps:
            return RESOURCE_EXHAUSTED.error(
                f"the text takes more than {budget.steps} steps",
                "name more of the pattern, or use LIMIT",
                details={"steps": budget.steps},
            )
        return overdue(budget.seconds)

    def check(self) -> None:
        """Raise KIP_4001 where the seconds are over; for long work between two ticks."""
        if not self._is_counting or self._budget is None:
            return
        if self._seconds + time.monotonic() - self._since > self._budget.seconds:
            raise overdue(self._budget.seconds)


_NAP_SECONDS: Final = 0.001


def patient(seconds: float) -> Callable[[int], bool]:
    """Return the function by which the engine asks whether to go on waiting.

    The engine passes how often it has asked already. The answer comes after a short sleep, and is
    no once `seconds` have passed.

    >>> patient(0)(0), patient(60)(0)
    (False, True)
    """
    end = 0.0

    def goes_on(asked: int) -> bool:
        nonlocal end
        now = time.monotonic()
        if asked == 0:
            end = now + seconds
        if now >= end:
            return False
        time.sleep(_NAP_SECONDS)
        return True

    return goes_on


_SHORT = 1_000  # pages; below, nothing is copied
_LONG = 4_000  # pages; from here on the log is worth waiting for
_LOAD = 1_000  # pages; a transaction that writes as many is part of a load
_LOADED = 16_000  # pages; below, the log of a load is not copied
_PATIENCE = 500  # milliseconds


class LogFile:
    """What a writing connection does after each commit."""

    def __init__(self) -> None:
        self._worth_waiting = _LONG
        self._is_loading = False
        self.is_past_load = False  # the last transaction was small, and the one before was not

    def grown(self, connection: apsw.Connection, database: str, pages: int) -> int:
        """Copy the log, now `pages` long, if it is time to; SQLite's hook after a commit."""
        # What other connections wrote is in the log too, and is not counted here.
        written, _ = connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE, True)
        is_load = written >= _LOAD
        self.is_past_load = self._is_loading and not is_load
        self._is_loading = is_load
        if pages < _LONG:
            self._worth_waiting = _LONG
        if pages < (_LOADED if is_load else _SHORT):
            return apsw.SQLITE_OK
        mode = apsw.SQLITE_CHECKPOINT_PASSIVE
        if pages >= self._worth_waiting:
            self._worth_waiting = pages + _SHORT
            mode = apsw.SQLITE_CHECKPOINT_RESTART
            connection.set_busy_timeout(_PATIENCE)
        try:
            connection.wal_checkpoint(database, mode)
        except apsw.BusyError:
            return apsw.SQLITE_OK  # somebody still reads it: the next commits try again
        return apsw.SQLITE_OK


MEMORY = ":memory:"
"""The name of a file that is none."""

_STATEMENT_CACHE = 512
_KEPT = apsw.SQLITE_PREPARE_PERSISTENT  # leaves the engine its small memory for running
_FLAGS = apsw.SQLITE_OPEN_READWRITE
_LEAST_PATIENCE = 0.05  # seconds between two looks at who is on a connection
_WAL_LIMIT = 64 * 2**20  # bytes the log file keeps on disk after a checkpoint
_WRITERS_CACHE = 2 * 2**20  # bytes; a commit may go through every slot of the cache it ends
_ROWS_AT_ONCE = 1_000  # of a statement whose rows are passed on as they come
_OF_TEXT_INDEX = "'main'."  # in statements that FTS5 keeps, whose counters never start again
_BEGIN_ERASURE = "UPDATE erasure SET begun = begun + 1"
_JOIN_SEGMENTS = "INSERT INTO text_index (text_index) VALUES ('optimize')"
HAS_SAMPLES = "SELECT 1 FROM sqlite_schema AS s WHERE s.name = 'sqlite_stat4'"
_MARK = "UPDATE counter SET mark_before = mark, mark = randomblob(16)"
_SLOW = 0.0002  # seconds a row, beyond which another thread has had the turn, or texts are long
_UNWRITTEN = 64 * 2**20  # bytes of changed pages a write keeps in memory, if the cache is smaller


class SqliteSession(AsksOnce):
    """One connection's transaction; it implements `port.Session`."""

    dialect = SQLITE
    skew = 0

    def __init__(
        self,
        filename: str,
        settings: StoreSettings,
        *,
        query_only: bool,
        creates: bool = False,
        place: FilePlace | None = None,
        sampling: Sampling | None = None,
    ) -> None:
        """Open a connection; STORE_UNAVAILABLE when another file is at its place by now."""
        super().__init__()
        self.lock = threading.RLock()
        self._patience = max(settings.busy_seconds, _LEAST_PATIENCE)
        self.blocks = 0  # that a caller has open on it, to be seen by other threads
        self.depth = 0  # blocks of this thread that are open on the connection
        self.is_writing = False
        self._meter = Meter()
        self._log = LogFile()
        self._after_commit: list[Callable[[], None]] = []
        self._parts: list[int] = []  # how much waited for the commit when each part began
        self.kinds = settings.kinds
        self.sampling = sampling or Sampling(settings.compare_every)
        self._place = place
        self._log_place = None if place is None else FilePlace(beside(place.path, LOG))
        self._changes = 0  # of rows, before the write that is going on
        make = partial(_opened, filename, settings, query_only=query_only, creates=creates)
        if place is not None:
            place.refuse_gone()  # before anything that stands there is touched
        try:
            self._held = Held(make, is_file=filename != MEMORY)
            with self._held as connection:
                connection.set_progress_handler(self._meter.tick, STEPS_A_TICK)
                register_search(connection, self._meter.check)
                if not query_only:
                    connection.set_wal_hook(self._log.grown)
        except (apsw.Error, MemoryError) as error:
            raise translated(error) from error
        if place is not None:
            place.settle()

    def __del__(self) -> None:
        if hasattr(self, "_held"):
            self._held.drop()

    @property
    def texts(self) -> SqliteTexts:
        """The index of texts; kept by nobody, so that the session is not kept by it."""
        return SqliteTexts(self)

    @property
    def connection(self) -> apsw.Connection:
        """The engine's own; for what this class does not do, inside `entered`."""
        return self._held.connection

    def entered(self) -> Held:
        """Return what is to be used in a `with` around the connection."""
        return self._held

    @contextmanager
    def held(self, seconds: float | None = None) -> Iterator[None]:
        """Keep other threads off the connection; STORE_BUSY when one is on it for `seconds`.

        When not given, what another thread does is waited for to its end, and a block that a
        caller has open for `busy_seconds`: who waits here may be what the block waits for.
        """
        if seconds is not None and not self.lock.acquire(timeout=max(0.0, seconds)):
            raise busy("another thread")
        while seconds is None and not self.lock.acquire(timeout=self._patience):
            if self.blocks:
                raise busy("another thread")
        try:
            yield
        finally:
            self.lock.release()

    def is_inside(self) -> bool:
        """Whether this thread is inside a block on the connection."""
        if not self.depth or not self.lock.acquire(blocking=False):
            return False
        try:
            return self.depth > 0
        finally:
            self.lock.release()

    def close(self) -> None:
        """Close the connection; the session is of no use any more."""
        self._held.close()

    def allow(self, budget: Budget | None) -> None:
        """Let what the rest of the block reads cost so much; the end of a block lifts it."""
        self._meter.allow(budget)

    @property
    def is_worn(self) -> bool:
        """Whether a load is just over, for which page cache and text index grew tables in memory.

        Small writes go through all of them: another connection is quicker.
        """
        return self._log.is_past_load

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[SqlRow]:
        """Run one statement and return all its rows."""
        self._meter.start(is_read=True)
        try:
            with self._held as connection:
                return connection.execute(_text(sql), parameters, prepare_flags=_KEPT).fetchall()
        except apsw.InterruptError as error:
            raise self._meter.exhausted() from error
        except READING_ERRORS as error:
            raise translated(error) from error

    def soon(self, sql: Sql, parameters: Parameters) -> None:
        """Do nothing: what stands in a file takes no longer by itself."""

    def each(self, sql: Sql, parameters: Parameters = ()) -> Generator[SqlRow]:
        """Run one statement and yield its rows as they come; see `port.Session`."""
        self._meter.start(is_read=True)
        cursor: apsw.Cursor | None = None
        try:
            with self._held as connection:
                cursor = connection.execute(_text(sql), parameters, prepare_flags=_KEPT)
                rows: list[SqlRow] = list(islice(cursor, _ROWS_AT_ONCE))
            while rows:
                yield from rows  # outside the connection, for what else is asked of it meanwhile
                with self._held:
                    rows = list(islice(cursor, _ROWS_AT_ONCE))
        except apsw.InterruptError as error:
            raise self._meter.exhausted() from error
        except READING_ERRORS as error:
            raise translated(error) from error
        finally:
            if cursor is not None and not self._held.is_left:
                with self._held:
                    cursor.close(True)

    def row(self, sql: Sql, parameters: Parameters = ()) -> SqlRow | None:
        """Run one statement and return its first row, if it has one."""
        self._meter.start(is_read=True)
        try:
            with self._held as connection:
                cursor = connection.execute(_text(sql), parameters, prepare_flags=_KEPT)
                found: SqlRow | None = cursor.fetchone()
                cursor.close(True)
        except apsw.InterruptError as error:
            raise self._meter.exhausted() from error
        except READING_ERRORS as error:
            raise translated(error) from error
        return found

    def version(self) -> int:
        """Return a number that is another one after every change; see `port.Session`."""
        with self._held as connection:
            return connection.data_version()

    def execute_many(self, sql: Sql, parameters: Iterable[Parameters]) -> None:
        """Run one statement once for each set of parameters."""
        if isinstance(parameters, list) and not parameters:
            return
        self.ask_anew()
        self._meter.start(is_read=False)
        try:
            with self._held as connection:
                for _ in connection.executemany(_text(sql), parameters, prepare_flags=_KEPT):
                    pass
        except (apsw.Error, MemoryError) as error:
            raise translated(error) from error

    def put(self, insertion: Insertion, rows: Sequence[SqlRow], slow: float = _SLOW) -> None:
        """Put rows in their order; beyond `slow` seconds a row, the others by the thousand.

        Each statement hands over Python's turn, and a busy thread may keep it for milliseconds.
        Alone, many rows are put quickest one by one, since a statement of many keeps a journal of
        its own. Beside a busy thread a thousand would wait for seconds; one statement waits once.
        """
        if len(rows) <= MOST_FEW:
            self.put_few(insertion.one, rows)
            return
        began = time.perf_counter()
        self.execute_many(insertion.one, rows[:MOST_FEW])
        is_slow = time.perf_counter() - began > slow * MOST_FEW
        rest = rows[MOST_FEW:]
        for statement, sets in insertion.at_once(rest) if is_slow else ((insertion.one, rest),):
            self.execute_many(statement, sets)

    def plan(self, sql: Sql, parameters: Parameters = ()) -> tuple[str, ...]:
        """Return the engine's own plan of a statement, a line each, indented by depth."""
        depth = {0: -1}
        lines = []
        for step, parent, _, detail in self.rows(f"EXPLAIN QUERY PLAN {_text(sql)}", parameters):
            depth[int(str(step))] = level = depth[int(str(parent))] + 1
            lines.append("  " * level + str(detail))
        return tuple(lines)

    @contextmanager
    def measured(self) -> Iterator[EngineWork]:
        """Count what the statements of a block take, until it ends."""
        work = EngineWork(0, 0)

        def finished(event: dict[str, Any]) -> None:
            if _OF_TEXT_INDEX in event["sql"]:
                return
            status: dict[str, int] = event["stmt_status"]
            work.steps = (work.steps or 0) + status["SQLITE_STMTSTATUS_VM_STEP"]
            work.scanned = (work.scanned or 0) + status["SQLITE_STMTSTATUS_FULLSCAN_STEP"]

        with self._held as connection:
            connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, finished)
        try:
            yield work
        finally:
            if not self._held.is_left:
                with self._held as connection:
                    connection.trace_v2(0, None)

    @contextmanager
    def watched(self, tell: Callable[[int], None]) -> Iterator[None]:
        """Tell from time to time how many steps the statements of a block have taken."""
        self._meter.watch(tell)
        try:
            yield
        finally:
            self._meter.watch(None)

    def on_commit(self, action: Callable[[], None]) -> None:
        """Call `action` after the transaction has committed; never after a rollback."""
        self._after_commit.append(action)

    def expect_work(self, group_id: int) -> None:
        """Do nothing: an index finds what is due."""

    def reshape(self, sql: str, *, leaves: bool = False) -> bool:
        """Make or remove an index: nobody else writes meanwhile."""
        del leaves
        self.rows(sql)
        return True

    def stay_in(self, group: str | None) -> None:
        """Do nothing: every statement names its group."""

    def begin_erasure(self) -> None:
        """Count a purge in its own transaction; call it before anything is deleted."""
        self.rows("PRAGMA secure_delete = ON")
        self.execute_many(_BEGIN_ERASURE, [()])

    def count_rows(self) -> None:
        """Do nothing: the loops are fixed, whatever is counted."""

    def clear_remains(self) -> None:
        """Remove what deletions left in the text index and in the engine's samples.

        Called in the purge's transaction, after its deletions. Cost: the whole text index.
        """
        self.execute_many(_JOIN_SEGMENTS, [()])
        if self.row(HAS_SAMPLES) is not None:
            self.execute_many("DELETE FROM sqlite_stat4", [()])

    def wait(self, seconds: float) -> None:
        """Let the next statements wait so long for other processes, then be STORE_BUSY."""
        try:
            with self._held as connection:
                connection.set_busy_handler(patient(seconds))
        except apsw.Error as error:
            raise translated(error) from error

    def begin_reading(self) -> None:
        """Begin a snapshot."""
        self.undo_left()
        self.rows("BEGIN")

    def begin_writing(self, wait_seconds: float) -> None:
        """Begin the write transaction; STORE_BUSY when another process keeps it."""
        self.undo_left()
        self.wait(wait_seconds)
        self._after_commit.clear()
        try:
            self._held.begin_write()
            self.refuse_gone()
            self.rows("BEGIN IMMEDIATE")
            if self._log_place is not None:
                self._log_place.settle()  # it is there now, until this connection closes
            self._changes = self._changed()
        except BaseException:
            self._held.end_write()
            raise
        self.is_writing = True

    @property
    def parts(self) -> int:
        """How many parts of the transaction are open."""
        return len(self._parts)

    def begin_part(self) -> int:
        """Begin a part of the open transaction, and return how many are open with it.

        STORE_UNAVAILABLE where the engine has undone the transaction by itself: a part would be
        one of its own.
        """
        if not self._is_in_transaction():
            raise STORE_UNAVAILABLE.error(
                "the transaction is undone: the engine ran out of memory or of disk",
                "send the same request again",
            )
        self.rows("SAVEPOINT part")
        self._parts.append(len(self._after_commit))
        return self.parts

    def commit(self) -> None:
        """Commit, then run what waited for it; inside a part, only end that."""
        self.allow(None)
        if self._parts:
            self.rows("RELEASE part")
            self._parts.pop()
            return
        if self._place is not None and self._changed() != self._changes:
            self.mark()
            self.refuse_gone()
        self.rows("COMMIT")
        self._end_write()
        actions, self._after_commit = self._after_commit, []
        for action in actions:
            action()

    def roll_back(self) -> None:
        """Undo the transaction, or its innermost part, unless the engine has by itself."""
        self.ask_anew()
        self.allow(None)
        if self._parts:
            del self._after_commit[self._parts.pop() :]
            if self._is_in_transaction():
                self.rows("ROLLBACK TO part")
                self.rows("RELEASE part")
            return
        self._after_commit.clear()
        if self._is_in_transaction():
            self.rows("ROLLBACK")
        self._end_write()

    def mark(self) -> None:
        """Give the state of the file another mark, by which a log is known to belong to it."""
        self.rows(_MARK)

    def refuse_gone(self) -> None:
        """Raise STORE_UNAVAILABLE when the file, or its log, does not stand in its place."""
        if self._place is not None and self._log_place is not None:
            self._place.refuse_gone()
            self._log_place.refuse_gone()

    def _changed(self) -> int:
        """Return how many rows the connection has changed so far."""
        if self._place is None:
            return 0
        with self._held as connection:
            return connection.total_changes()

    def undo_left(self) -> None:
        """Undo a transaction whose own end could not do it."""
        if self._is_in_transaction():
            self._parts.clear()
            self.roll_back()

    def _is_in_transaction(self) -> bool:
        """Whether one is open; in a child that was forked inside a block, none is."""
        if self._held.is_left:
            return False
        with self._held as connection:
            return connection.in_transaction

    def _end_write(self) -> None:
        self._held.end_write()
        self.is_writing = False


def _text(sql: Sql) -> str:
    return sql if isinstance(sql, str) else SQLITE.spelt[sql]


def _opened(
    filename: str, settings: StoreSettings, *, query_only: bool, creates: bool
) -> apsw.Connection:
    flags = _FLAGS | (apsw.SQLITE_OPEN_CREATE if creates else 0)
    if filename.startswith(SCHEME):
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(filename, flags=flags, statementcachesize=_STATEMENT_CACHE)
    try:
        if not query_only and filename != MEMORY:  # in memory one reads and writes
            settings = replace(settings, cache_bytes=min(settings.cache_bytes, _WRITERS_CACHE))
        _configure(connection, settings, query_only=query_only)
    except BaseException:
        connection.close(True)  # whoever keeps the error would keep it open
        raise
    return connection


def _configure(connection: apsw.Connection, settings: StoreSettings, *, query_only: bool) -> None:
    connection.set_busy_handler(patient(settings.busy_seconds))
    # Without the stability guarantee every new bound value prepares a statement anew.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.execute(f"PRAGMA cache_size = -{settings.cache_bytes // 1024}")
    # A page that goes to the log before the end of its write may well go there again.
    connection.execute(f"PRAGMA cache_spill = -{_UNWRITTEN // 1024}")
    connection.execute("PRAGMA mmap_size = 0")  # a map of a file that is cut off ends the process
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
    connection.execute(f"PRAGMA synchronous = {settings.synchronous}")
    if settings.synchronous == "full":  # on macOS only these reach the disk itself
        connection.execute("PRAGMA fullfsync = 1")
        connection.execute("PRAGMA checkpoint_fullfsync = 1")
    connection.execute("PRAGMA temp_store = FILE")
    register_functions(connection)
    register_texts(connection)
    connection.execute(f"PRAGMA query_only = {int(query_only)}")
