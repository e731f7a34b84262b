"""The connections of one process to one server.

A forked child opens its own: the sockets that it inherits belong to its parent, and it leaves them
alone. Whatever the role or a pool between sets, a transaction has the settings below. Where the
server that answers is the one that was connected to, they hold for the connection, told once; where
a pool stands between, which lends another server each time, they travel with each BEGIN.
"""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Final

import psycopg
from psycopg import Connection, RawCursor
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.errors import RecollectError
from recollect.kernel.store.port import SqlRow
from recollect.kernel.store.postgres.address import ServerAddress
from recollect.kernel.store.postgres.binding import adapt
from recollect.kernel.store.postgres.faults import refused, reshaped_late, translated
from recollect.kernel.store.postgres.round_trip import Query, ServerConnection, sent

Answered = Callable[[list[SqlRow]], None]
"""What is told the rows that a statement answers with."""

READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"

SETTINGS: Final = {
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "enable_hashjoin": "off",  # the items of a list are taken for a hundred ...
    "enable_mergejoin": "off",
    "enable_material": "off",  # ... for which the whole table would be read
}
"""How the server plans: our loops, which are small, and each once."""

GROUP_SETTING: Final = "recollect.group"
"""The name of the group whose rows a transaction sees, where there is a wall between groups."""

UNLIMITED: Final = "0"
"""How a setting says that there is no limit of time."""

_OUTSIDE: Final = "search_path", "lock_timeout", "statement_timeout"
SET_SECONDS: Final = "SELECT set_config('statement_timeout', $1, true)"


def _setting(is_local: str) -> str:
    """Return what sets them all: for a transaction where `is_local` is true, else for good."""
    values = {name: f"${at}" for at, name in enumerate((*_OUTSIDE, GROUP_SETTING), 1)}
    values |= {name: f"'{value}'" for name, value in SETTINGS.items()}
    each = (f"set_config('{name}', {value}, {is_local})" for name, value in values.items())
    return f"SELECT {', '.join(each)}"


_BEGUN: Final = _setting("true")
SETTLED: Final = f"{_setting('false')} WHERE pg_backend_pid() = $5"
_QUOTED: Final = re.compile(r'"(?:[^"]|"")+"')
_STATEMENTS: Final = 512  # prepared on a connection, before it is replaced
_LEFT: Final[list[ConnectionPool[ServerConnection]]] = []
"""The pools of a parent, kept in its child for good: nothing of them may be closed there."""


@contextmanager
def connected(address: ServerAddress) -> Iterator[ServerConnection]:
    """Give a connection of its own, closed at the end; STORE_UNAVAILABLE says why there is none."""
    try:
        connection = ServerConnection.connect(address.timed, **_arguments(address))
    except psycopg.Error as error:
        raise refused(error, address) from None  # its message may hold what nobody should read
    try:
        adapt(connection)
        yield connection
    finally:
        connection.close()


def _arguments(address: ServerAddress) -> dict[str, Any]:
    return {
        "autocommit": True,  # transactions begin and end by statements of our own
        "cursor_factory": RawCursor,
        "prepare_threshold": 0 if address.prepares else None,
        "fallback_application_name": "recollect",
    }


class Pool:
    """Lends connections to the threads of one process; at most `most` at a time."""

    def __init__(self, address: ServerAddress, most: int, wait_seconds: float) -> None:
        self.process = os.getpid()
        self._address = address
        self.place = address.place
        self.wait_seconds = wait_seconds
        self.has_wall = address.has_wall  # the server itself keeps a transaction to one group
        self._own = address.schema, milliseconds(wait_seconds)
        self._pool = ConnectionPool(
            address.timed,
            connection_class=ServerConnection,
            kwargs=_arguments(address),
            configure=self._settle,
            min_size=0,
            max_size=most,
            timeout=max(wait_seconds, 0.1),
            reconnect_timeout=max(wait_seconds, 0.1),  # then who asks next is who tries next
            open=True,
        )
        weakref.finalize(self, _leave_or_close, self.process, self._pool)

    def take(self) -> ServerConnection:
        """Take a connection; STORE_BUSY when none becomes free in time."""
        try:
            return self._pool.getconn()
        except PoolTimeout as error:
            with self.beside():  # raises where there is no server, rather than no turn
                raise translated(error) from None
        except psycopg.Error as error:
            raise translated(error) from None

    def end(self, connection: ServerConnection) -> None:
        """Undo what is open on a connection, and take it back; one where that fails is replaced.

        So is one on which the server keeps many statements: those of others may be long forgotten.
        In a child the connection is its parent's, who goes on with it.
        """
        if self.process != os.getpid():
            return
        if len(connection.names) > _STATEMENTS:
            connection.close()  # the server undoes what is open as soon as nobody is there
        try:
            with suppress(psycopg.Error):
                if is_open(connection):
                    sent(connection, [("ROLLBACK", ())])
        finally:
            self._pool.putconn(connection)

    def renew(self) -> None:
        """Replace the connections that the server has closed."""
        self._pool.check()

    def beside(self) -> AbstractContextManager[ServerConnection]:
        """Connect for what stands in no transaction, as long as a block lasts."""
        return connected(self._address)

    def reshape(self, sql: str) -> None:
        """Make or remove an index while others write. Cost: their transactions, then the table.

        INDEX_PENDING when one that was open before stays so; what is half made is made anew by the
        next who makes it, or the doctor.
        """
        name = _QUOTED.search(sql)
        assert name is not None
        try:
            with self.outside() as connection:
                if sql.startswith("CREATE"):
                    connection.execute(
                        f"DROP INDEX CONCURRENTLY IF EXISTS {name[0]}", prepare=False
                    )
                connection.execute(sql.replace("INDEX", "INDEX CONCURRENTLY", 1), prepare=False)
        except psycopg.Error as error:
            raise reshaped_late(translated(error)) from None
        except RecollectError as error:  # the server takes no connection more
            raise reshaped_late(error) from None

    def remake(self, table: str) -> None:
        """Make a table anew in no more room than its rows need, unless somebody keeps it in use.

        Nobody reads it meanwhile. Cost: the table.
        """
        try:
            with suppress(psycopg.errors.LockNotAvailable), self.outside() as connection:
                connection.execute(f"VACUUM (FULL, ANALYZE) {table}", prepare=False)
        except psycopg.Error as error:
            raise translated(error) from None

    @contextmanager
    def outside(self, wait_seconds: float | None = None) -> Iterator[Connection[SqlRow]]:
        """Connect for what a transaction cannot do, among the tables of the store; without limit.

        A lock is waited for as long as said, else as others are. What was set is taken back: the
        connection of a pool between is somebody else's next.
        """
        wait = self.wait_seconds if wait_seconds is None else wait_seconds
        own = self._address.schema, milliseconds(wait), UNLIMITED
        with self.beside() as connection:
            for one in zip(_OUTSIDE, own, strict=True):
                connection.execute("SELECT set_config($1, $2, false)", one, prepare=False)
            try:
                yield connection
            finally:
                for name in _OUTSIDE if not connection.closed else ():
                    connection.execute(f"RESET {name}", prepare=False)

    def preamble(
        self, connection: ServerConnection, begin: str, group: str | None, limit: str = UNLIMITED
    ) -> list[Query]:
        """Return what begins a transaction, the empty text for one of a single message.

        Its settings hold until its end. Behind a wall nothing is seen but the rows of the `group`.

        Statements are planned once (`force_generic_plan`): the compiler has chosen their loops.
        """
        first: list[Query] = [(begin, ())] if begin else []
        if not connection.is_settled:
            seen = group or "" if self.has_wall else ""
            first.append((_BEGUN, (*self._own, limit, seen)))
        elif limit != UNLIMITED:
            first.append((SET_SECONDS, (limit,)))
        return first

    def _settle(self, connection: ServerConnection) -> None:
        """Set for good what transactions have, unless a pool between answers for the server.

        Such a pool tells a number of its own for the server's process. Behind a wall each
        transaction says whose rows it sees.
        """
        adapt(connection)
        if self.has_wall:
            return
        own = *self._own, UNLIMITED, "", connection.info.backend_pid
        settled = connection.execute(SETTLED, own, prepare=False)
        connection.is_settled = settled.fetchone() is not None

    def close(self) -> None:
        """Close every connection that is not lent; the others as they come back."""
        if self.process == os.getpid():
            self._pool.close()


def is_open(connection: Connection[SqlRow]) -> bool:
    """Whether a transaction is open on a connection, failed or not."""
    return not connection.closed and connection.info.transaction_status in (
        TransactionStatus.INTRANS,
        TransactionStatus.INERROR,
        TransactionStatus.ACTIVE,
    )


def milliseconds(seconds: float | None) -> str:
    """Return a time as the server's settings take it, at least 1, since 0 stands for no limit."""
    return UNLIMITED if seconds is None else str(max(1, round(seconds * 1000)))


def _leave_or_close(process: int, pool: ConnectionPool[ServerConnection]) -> None:
    if process == os.getpid():
        pool.close()
    else:
        _LEFT.append(pool)
