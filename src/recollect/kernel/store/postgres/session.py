"""One transaction on a server, and the session over it.

A connection is taken with the first statement, which travels together with BEGIN and the settings.
What a server has closed meanwhile shows there, so that one beginning is tried again on another
connection; nothing was read or written by then.

What a write of one group puts into tables waits, and travels with the next statement that answers
something, at last with COMMIT. So a fault of it may show a little later, in the same transaction.

Outside of blocks a statement is a transaction of its own, in one round trip with the number that
its group's last transaction has after it, by which its reader knows what state it saw.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Final
from uuid import uuid4

import psycopg
from psycopg import RawServerCursor

from recollect.errors import STORE_UNAVAILABLE, RecollectError
from recollect.kernel.store.cells import Sampling, SqlValue, whole
from recollect.kernel.store.faults import overdue
from recollect.kernel.store.port import Budget, EngineWork, Parameters, Sql, SqlRow
from recollect.kernel.store.postgres import round_trip
from recollect.kernel.store.postgres.binding import bound
from recollect.kernel.store.postgres.dialect import POSTGRES
from recollect.kernel.store.postgres.faults import (
    READING_ERRORS,
    is_lost,
    not_owner,
    translated,
    unknown_outcome,
    unreachable,
)
from recollect.kernel.store.postgres.pool import (
    GROUP_SETTING,
    READ,
    SET_SECONDS,
    UNLIMITED,
    WRITE,
    Answered,
    Pool,
    is_open,
    milliseconds,
)
from recollect.kernel.store.postgres.postings import Postings
from recollect.kernel.store.postgres.round_trip import Query, ServerAnswer, ServerConnection
from recollect.kernel.store.postgres.text_index import PostgresTexts, Word
from recollect.kernel.store.sharing import AsksOnce
from recollect.kernel.store.statement import Insertion
from recollect.kernel.store.statements.counts import RETIRE_GROUP
from recollect.kernel.store.statements.elements import LAST, STATE
from recollect.kernel.store.statements.rows import LOG
from recollect.model import LIVING, Kinds

_MOST_WAITING: Final = 64  # statements that travel together
_FEW: Final = 3  # rows that are put as they are: each number of them is a statement to prepare
_ROWS_AT_ONCE: Final = 1_000  # of a statement whose rows are passed on as they come
_PAUSE_SECONDS: Final = 0.05  # between two looks at a commit that the server is still at

_CLOCK: Final = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
_LOCK_GROUP: Final = f"{_CLOCK}, held.number FROM lock_group($1, $2::int = 1) AS held(number)"
_LEAST_SKEW: Final = 1_000  # milliseconds: what is below is the way to the server and back
_EXPECT_WORK: Final = f"""
UPDATE grp SET due_at = coalesce((
  SELECT min(w.due_at) FROM work AS w WHERE w.group_id = $1 AND w.due_at < {LIVING}), {LIVING})
WHERE group_id = $1
"""  # noqa: S608 - numbers
_UNDO_PART: Final = ("ROLLBACK TO SAVEPOINT part", ()), ("RELEASE SAVEPOINT part", ())
_LOCK_ALL: Final = "LOCK TABLE grp IN EXCLUSIVE MODE"
_LOCK_NUMBER: Final = "SELECT 1 FROM grp AS g WHERE g.group_id = $1 FOR UPDATE"
_OUTCOME: Final = "SELECT t.chain FROM tx AS t WHERE t.group_id = $1 AND t.number = $2"
_SET_GROUP: Final = f"SELECT set_config('{GROUP_SETTING}', $1, true)"
_MAY_RESHAPE: Final = """
SELECT pg_has_role(c.relowner, 'USAGE'), EXISTS (SELECT 1 FROM concept)
FROM pg_class AS c WHERE c.oid = to_regclass('concept')
"""
_BEGIN_ERASURE: Final = "UPDATE erasure SET begun = begun + 1"

_STATE: Final = "SELECT e.begun, g.number FROM erasure AS e LEFT JOIN grp AS g ON g.group_id = $1"
_TRANSACTIONS: Final = 2**62  # of a group, at most

_NUMBERS = itertools.count(1)

_Logged = tuple[Mapping[str, SqlValue], str | None]
"""What a transaction has logged, and the group that was seen then."""


class PostgresSession(AsksOnce):
    """One transaction; it implements `port.Session`. It belongs to one thread at a time."""

    dialect = POSTGRES

    def __init__(self, pool: Pool, kinds: Kinds, sampling: Sampling, *, is_writing: bool) -> None:
        super().__init__()
        self.depth = 0  # blocks of this thread that are open on it
        self.is_writing = is_writing
        self.written = 0  # rows
        self.has_erased = False
        self.kinds = kinds
        self.sampling = sampling
        self._pool = pool
        self._connection: ServerConnection | None = None
        self._before: list[Query] = []  # what travels with the next statement
        self._waiting = False  # whether what is put may wait for that one
        self._answers: list[tuple[int, Answered]] = []  # who is told what a place in it answers
        self._soon: list[tuple[int, Query]] = []  # the places of what is asked before it is wanted
        self._ahead: dict[tuple[SqlValue, ...], list[SqlRow]] = {}  # what that was answered
        self._skew: int | None = None
        self._group: SqlValue = None  # the number of the group that is read outside of blocks
        self._version: int | None = None  # of the state that was seen, where it is known
        self._logged: _Logged | None = None  # what tells whether it was kept
        self.group_seen: str | None = None  # behind a wall between groups
        self._rare: dict[Word, Postings] = {}  # where words stand that the block has counted
        self.draws: Iterator[int] = itertools.count()  # for the index, from the last write on
        self._deadline: float | None = None
        self._seconds: float | None = None  # what the reads of the block may take in all
        self._limit = UNLIMITED  # what the server is told of it
        self._after_commit: list[Callable[[], None]] = []
        # For each part, as it began: how much waits for the commit, the group seen, what is logged.
        self._parts: list[tuple[int, str | None, _Logged | None]] = []

    @property
    def texts(self) -> PostgresTexts:
        """The index of texts; what one question has read of it goes with it, but for rare words."""
        return PostgresTexts(self, self._rare if self.depth else {})

    def ask_anew(self) -> None:
        """Forget what was asked once, or ahead, and where words stand: the state is another one."""
        super().ask_anew()
        self._rare.clear()
        self._soon.clear()
        self._ahead.clear()

    def soon(self, sql: Sql, parameters: Parameters) -> None:
        """Run a statement with the next one, for when it is asked."""
        if self.depth:
            query = self._bound(sql, parameters)
            self._soon.append((len(self._before), query))
            self._before.append(query)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Do nothing: no other thread is on the connection."""
        yield

    def allow(self, budget: Budget | None) -> None:
        """Limit the seconds of the reads in the rest of the block; the server counts no steps."""
        if budget is None and self._seconds is None:
            return
        self._seconds = None if budget is None else budget.seconds
        left = None if budget is None else budget.seconds - budget.spent
        self._deadline = None if left is None else time.monotonic() + left
        self._limit = milliseconds(left)
        if self._connection is not None:
            self._before.append((SET_SECONDS, (self._limit,)))

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[SqlRow]:
        """Run one statement and return all its rows."""
        text, values = self._bound(sql, parameters)
        found = self._ahead.pop((text, *values), None) if self._ahead else None
        return self._run(text, values) if found is None else found

    def row(self, sql: Sql, parameters: Parameters = ()) -> SqlRow | None:
        """Run one statement and return its first row, if it has one."""
        row = next(iter(self.rows(sql, parameters)), None)
        if sql is STATE and not self.is_writing:
            self._version = _version(row)
        return row

    def later(self, sql: Sql, parameters: Parameters, answered: Answered | None = None) -> None:
        """Run a statement when the next one runs, or at the end; tell its rows then."""
        self.ask_anew()
        if answered is not None:
            self._answers.append((len(self._before), answered))
        self._before.append(bound(_text(sql), parameters))
        if not self._waiting or len(self._before) > _MOST_WAITING:
            self._arrive()

    def settle(self) -> None:
        """Let what waits arrive where its answers bring more: what reads before sees half of it."""
        if self._answers:
            self._arrive()

    def each(self, sql: Sql, parameters: Parameters = ()) -> Generator[SqlRow]:
        """Run one statement and yield its rows as they come; see `port.Session`."""
        if not self.depth:
            yield from self.rows(sql, parameters)
            return
        query = bound(_text(sql), parameters)
        connection = self._begun()
        with self._translating():
            cursor = RawServerCursor(connection, f"each_{next(_NUMBERS)}")
            cursor.execute(*query)
        try:
            while True:
                with self._translating():
                    rows = cursor.fetchmany(_ROWS_AT_ONCE)
                if not rows:
                    return
                yield from rows
        finally:
            if self._connection is connection and is_open(connection):
                cursor.close()

    def version(self) -> int:
        """Return a number of the state that was seen, or one that never comes again."""
        return -next(_NUMBERS) if self._version is None else self._version

    def execute_many(self, sql: Sql, parameters: Iterable[Parameters]) -> None:
        """Run one statement once for each set of parameters, in one round trip.

        One that the dialect spells as nothing does nothing.
        """
        given, text = list(parameters), _text(sql)
        if not (given and text):
            return
        self.ask_anew()
        if sql is LOG and isinstance(given[-1], Mapping):
            self._logged = given[-1], self.group_seen
        elif sql is RETIRE_GROUP:  # what was logged may be gone with it
            self._logged = None
        self._before += [bound(text, one) for one in given]
        if not self._waiting or len(self._before) > _MOST_WAITING:
            self._begun()

    def put(self, insertion: Insertion, rows: Sequence[SqlRow]) -> None:
        """Put rows into a table, many of them by the thousand: it takes a third of the time."""
        if len(rows) <= _FEW:
            self.put_few(insertion.one, rows)
            return
        for statement, sets in insertion.at_once(rows):
            self.execute_many(statement, sets)

    def plan(self, sql: Sql, parameters: Parameters = ()) -> tuple[str, ...]:
        """Return the server's own plan of a statement, a line each, indented by depth.

        It is the one for any values, which is run: none of them is shown, nor a group's number.
        """
        connection = self._begun()
        with self._translating():
            return _plan(connection, *bound(_text(sql), parameters))

    @contextmanager
    def measured(self) -> Iterator[EngineWork]:
        """Give what says nothing: the server counts no steps."""
        yield EngineWork()

    @contextmanager
    def watched(self, tell: Callable[[int], None]) -> Iterator[None]:
        """Tell once that a block begins: the server counts no steps."""
        tell(0)
        yield

    def on_commit(self, action: Callable[[], None]) -> None:
        """Call `action` after the transaction has committed; never after a rollback."""
        self._after_commit.append(action)

    def reshape(self, sql: str, *, leaves: bool = False) -> bool:
        """Make or remove an index after the commit, while others write; now where nothing is.

        A role that does not have the tables `leaves` it (False), or gets STORE_UNAVAILABLE.
        """
        ((may, is_filled),) = self.rows(_MAY_RESHAPE)
        if not may:
            if leaves:
                return False
            raise not_owner()
        if is_filled:
            self.on_commit(partial(self._pool.reshape, sql))
        else:
            self._run(sql, ())
        return True

    def remake(self, table: str) -> None:
        """Give a table no more room than its rows need, after the commit."""
        self.on_commit(partial(self._pool.remake, table))

    def stay_in(self, group: str | None) -> None:
        """Let what follows see the rows of one group alone, where row level security is on."""
        if self._pool.has_wall and group != self.group_seen:
            self.group_seen = group
            self.ask_anew()
            if self._connection is not None:
                self._before.append((_SET_GROUP, (group or "",)))

    def begin_erasure(self) -> None:
        """Count a purge in its own transaction; call it before anything is deleted."""
        self._run(_BEGIN_ERASURE, ())
        self.has_erased = True

    def count_rows(self) -> None:
        """Count the rows of tables that nobody else is counting."""
        self._run("ANALYZE (SKIP_LOCKED) concept, link, past, term, change, tx", ())

    def clear_remains(self) -> None:
        """Do nothing: what deletions left is dead rows, which `finish_erasure` removes."""

    @property
    def skew(self) -> int:
        """By how many milliseconds the server's clock is ahead, as read with the lock of a group.

        Less than a second is nothing: it is how long an answer may be on its way.
        """
        if self._skew is None:
            self._read_clock(self.rows(_CLOCK))
        assert self._skew is not None
        return self._skew

    def _read_clock(self, rows: list[SqlRow]) -> None:
        ahead = whole(rows[0][0]) - time.time_ns() // 1_000_000
        self._skew = ahead if abs(ahead) >= _LEAST_SKEW else 0

    def expect_work(self, group_id: int) -> None:
        """Keep in the row of a group when the next of its work is due."""
        self.later(_EXPECT_WORK, (group_id,))

    def lock(self, group: str | None, *, waits: bool = True) -> None:
        """Keep other writers off a group until the end; off all where none is named, or is there.

        STORE_BUSY when another writer does not finish in time, at once where it does not wait.
        """
        self.stay_in(group)
        self.ask_anew()  # others may have written until now
        self._waiting = group is not None and self._locked(group, waits=waits)
        if not self._waiting:
            if not self._parts:  # to have looked is a lock, which two would hold and wait
                self.leave()
                self.is_writing, self.group_seen = True, group
            self._run(_LOCK_ALL, ())
            self.ask_anew()

    def _locked(self, group: str, *, waits: bool) -> bool:
        """Lock a group, and ask what every write of one asks next, which sees what was waited for.

        Return whether it is there.
        """
        found: list[SqlRow] = []
        self._answers.append((len(self._before), found.extend))
        self._before.append((_LOCK_GROUP, (group, waits)))
        text, values = self._bound(LAST, {"name": group})
        last = self._run(text, values)
        self._read_clock(found)
        if is_there := found[0][1] is not None:
            self._ahead[text, *values] = last
            self.draws = itertools.count(whole(last[0][2]))
        return is_there

    @property
    def place(self) -> str:
        """The host, database and schema: what messages may say."""
        return self._pool.place

    @property
    def parts(self) -> int:
        """How many parts of the transaction are open."""
        return len(self._parts)

    def begin_part(self) -> int:
        """Begin a part of the open transaction, and return how many are open with it."""
        self._run("SAVEPOINT part", ())
        self._parts.append((len(self._after_commit), self.group_seen, self._logged))
        return self.parts

    def commit(self) -> None:
        """Commit, then run what waited for it; inside a part, only end that.

        STORE_UNAVAILABLE where the transaction is not kept, or nobody can tell.
        """
        if self._parts:
            self.allow(None)
            self._run("RELEASE SAVEPOINT part", ())
            self.stay_in(self._parts.pop()[1])
            return
        if self._connection is not None:
            while self._answers:  # one may bring more, which goes with the commit
                with self._translating():
                    self._send(self._connection, ())
            self._end("COMMIT")
        actions, self._after_commit = self._after_commit, []
        with ExitStack() as after:  # all of them, whatever one of them raises
            for action in reversed(actions):
                after.callback(action)

    def roll_back(self) -> None:
        """Undo the transaction, or its innermost part."""
        if self._parts:
            waited, self.group_seen, self._logged = self._parts.pop()
            del self._after_commit[waited:]
            if self._connection is not None and is_open(self._connection):
                self._forget()
                with self._translating():
                    self._send(self._connection, _UNDO_PART)
            return
        self._after_commit.clear()
        self.leave()

    def leave(self) -> None:
        """Undo the transaction, if it has begun, and give the connection back."""
        connection, self._connection = self._connection, None
        self.is_writing = self._waiting = False
        self._skew = self._logged = self.group_seen = None
        self._forget()
        if connection is not None:
            self._pool.end(connection)

    def _forget(self) -> None:
        """Drop what waits, what the block was allowed, and what it was answered."""
        self.ask_anew()
        self._before.clear()
        self._answers.clear()
        self._seconds = self._deadline = self._version = None
        self._limit = UNLIMITED

    def _run(self, text: str, values: Sequence[SqlValue]) -> list[SqlRow]:
        if self._pool.process != os.getpid():
            raise RecollectError(
                STORE_UNAVAILABLE,
                "a block does not cross into a forked process",
                hint="open a block of its own there",
            )
        if self._deadline is not None and time.monotonic() > self._deadline:
            assert self._seconds is not None
            raise overdue(self._seconds)
        if not self.depth:
            return self._alone((text, values))
        if self._connection is None:
            begin = WRITE if self.is_writing else READ
            self._connection, found = self._begin(begin, [(text, values)])
            return found[0].rows
        with self._translating():
            return self._send(self._connection, [(text, values)])[0].rows

    def _begun(self) -> ServerConnection:
        """Return the connection, on which everything that was to travel has arrived."""
        if self._connection is None:
            self._run("SELECT 1", ())
        self._arrive()
        assert self._connection is not None
        return self._connection

    def _arrive(self) -> None:
        """Let everything travel that waits, and what its answers bring."""
        while self._before and self._connection is not None:
            with self._translating():
                self._send(self._connection, ())

    def _send(
        self, connection: ServerConnection, queries: Sequence[Query], first: Sequence[Query] = ()
    ) -> list[ServerAnswer]:
        """Run statements after those that wait, in one round trip; return what they answered.

        `first` come before all of them. Who waits for an answer is told it.
        """
        before, answers, soon = self._before, self._answers, self._soon
        found = round_trip.sent(connection, [*first, *before, *queries])
        self.written += sum(one.changed for one in found)
        self._before, self._answers, self._soon = [], [], []
        for place, (text, values) in soon:
            self._ahead[text, *values] = found[len(first) + place].rows
        for place, answered in answers:
            answered(found[len(first) + place].rows)
        return found[len(first) + len(before) :]

    def _bound(self, sql: Sql, parameters: Parameters) -> Query:
        if not self.depth and isinstance(parameters, Mapping):
            self._group = parameters.get("group")
        return bound(_text(sql), parameters)

    def _alone(self, query: Query) -> list[SqlRow]:
        """Run a statement outside of blocks, and keep the state there is after it.

        Without a BEGIN what travels together is one transaction, by itself.
        """
        connection, (found, seen) = self._begin("", [query, (_STATE, (self._group,))])
        self._pool.end(connection)
        self._version = _version(next(iter(seen.rows), None))
        return found.rows

    def _begin(
        self, begin: str, queries: Sequence[Query]
    ) -> tuple[ServerConnection, list[ServerAnswer]]:
        """Begin a transaction with its first statements, on a connection that works."""
        is_again = False
        while True:
            connection = self._pool.take()
            first = self._pool.preamble(connection, begin, self.group_seen, self._limit)
            try:
                return connection, self._send(connection, queries, first)
            except READING_ERRORS as error:
                self._pool.end(connection)
                if is_again or not is_lost(error):
                    raise translated(error, self._seconds) from None
                self._pool.renew()
                is_again = True

    def _end(self, last: str) -> None:
        """Commit; when no answer comes, ask the server over another connection what it did."""
        connection, logged = self._connection, self._logged
        assert connection is not None
        try:
            (ended,) = self._send(connection, [(last, ())])
            kept = ended.done == last.encode()
        except psycopg.OperationalError as error:
            if not is_lost(error):
                raise translated(error) from None
            if logged is None:  # the log of no group says anything of it
                is_put = self.written or self._before
                raise (unknown_outcome() if is_put else unreachable()) from None
            kept = self._is_kept(*logged)
        except psycopg.Error as error:
            raise translated(error) from None
        if not kept:
            raise translated(psycopg.errors.InFailedSqlTransaction())
        self.leave()

    def _is_kept(self, logged: Mapping[str, SqlValue], seen: str | None) -> bool:
        """Return whether the log of a group has what the transaction wrote into it.

        The server's own number of a transaction is another one's on a standby that took over.
        """
        group, number = logged["group"], logged["number"]
        until = time.monotonic() + self._pool.wait_seconds
        while True:
            try:
                with self._pool.beside() as other, other.transaction():
                    round_trip.sent(other, self._pool.preamble(other, "", seen))
                    if other.execute(_LOCK_NUMBER, (group,)).fetchone() is None:
                        other.execute(_LOCK_ALL)  # who makes the group may be at its commit still
                    row = other.execute(_OUTCOME, (group, number)).fetchone()
                    return row is not None and row[0] == logged["chain"]
            except (psycopg.Error, RecollectError):
                if time.monotonic() > until:
                    raise unknown_outcome() from None
                time.sleep(_PAUSE_SECONDS)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except READING_ERRORS as error:
            raise translated(error, self._seconds) from None


def _version(state: SqlRow | None) -> int | None:
    """Return the number of a state: of the purges so far, and the group's last transaction."""
    if state is None or state[1] is None:
        return None
    return whole(state[0]) * _TRANSACTIONS + whole(state[1])


def _plan(connection: ServerConnection, text: str, values: Sequence[SqlValue]) -> tuple[str, ...]:
    """Return the plan of a statement as it is prepared: the one for any values.

    Its name is drawn: one that was cancelled stays with the server's connection, which a pool
    may give to another process.
    """
    name = f"explained_{uuid4().hex}"
    given = f"({', '.join('NULL' for _ in values)})" if values else ""
    connection.execute("SET LOCAL plan_cache_mode = force_generic_plan", prepare=False)
    connection.execute(f"PREPARE {name} AS {text}", prepare=False)
    found = connection.execute(f"EXPLAIN (COSTS OFF) EXECUTE {name}{given}", prepare=False)
    connection.execute(f"DEALLOCATE {name}", prepare=False)
    return tuple(str(line) for (line,) in found.fetchall())


def _text(sql: Sql) -> str:
    return sql if isinstance(sql, str) else POSTGRES.spelt[sql]
