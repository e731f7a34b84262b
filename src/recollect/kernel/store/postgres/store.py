"""The store on PostgreSQL: a connection for each block, one writer a group, any number of programs.

`PostgresStore` implements `port.Store`. Every block is one transaction. A block that reads sees one
moment (REPEATABLE READ); one that writes holds the row of its group, so that nobody else writes
there, and sees what others have committed elsewhere (READ COMMITTED).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import psycopg

from recollect.errors import INTERNAL_ERROR, STORE_CLOSED, RecollectError, refused
from recollect.kernel.store.cells import Sampling, whole
from recollect.kernel.store.faults import BLOCK, READERS, REMAINS, out_of_memory
from recollect.kernel.store.port import Session
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.distribution import refuse_distributed
from recollect.kernel.store.postgres.faults import translated, walled
from recollect.kernel.store.postgres.migrations import holds_tables, migrate, whole_store
from recollect.kernel.store.postgres.pool import Pool, connected
from recollect.kernel.store.postgres.roles import refuse_behind_wall, refuse_without_wall
from recollect.kernel.store.postgres.session import PostgresSession
from recollect.kernel.store.postgres.upkeep import PostgresUpkeep
from recollect.kernel.store.postgres.vacuum import vacuum
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sharing import Shared, part, refuse_write
from recollect.model import Kinds, Progress, silent
from recollect.node import replace


def is_there(address: str) -> bool:
    """Whether opening an address makes no tables; STORE_UNAVAILABLE when nobody can tell."""
    known = parse_server(address)
    with connected(known) as connection:
        return holds_tables(connection, known.schema)


_LOAD: Final = 1_000  # rows that change what the planner believes ...
_GROWN: Final = 0.2  # ... beside those it knows
_KNOWN: Final = """
SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
"""


class _Own(threading.local):
    """The blocks of one thread."""

    reader: PostgresSession | None = None
    writer: PostgresSession | None = None
    is_joined = False  # the write that is going on is open to further blocks


class PostgresStore(Shared):
    """A graph in one schema of one database."""

    def __init__(self, address: str, settings: StoreSettings | None = None) -> None:
        """Open the store, and make its tables where there are none; see `migrations.migrate`.

        STORE_UNAVAILABLE when the server does not answer.
        """
        super().__init__()
        self._settings = settings = settings or StoreSettings()
        self._address = parse_server(address)
        if self._address.wait is not None:
            self._settings = settings = replace(settings, busy_seconds=self._address.wait)
        self._sampling = Sampling(settings.compare_every)
        self._closing: list[Callable[[], None]] = []
        self._is_closed = False
        self._counted = self._uncounted = 0  # rows written here, before the last ANALYZE and since
        self._own = _Own()
        self._pool = self._new_pool()
        try:
            with self._pool.beside() as connection:
                migrate(connection, self._address.schema, settings.busy_seconds)
                if self._address.has_wall:
                    refuse_distributed(connection, self._address.schema)
                    refuse_without_wall(connection, self._address.schema)
                else:
                    refuse_behind_wall(connection, self._address.schema)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"PostgresStore({self._address!r})"

    def upkeep(self, session: Session) -> PostgresUpkeep:
        """Return what the server knows of the tables behind a session of this store."""
        assert isinstance(session, PostgresSession)
        return PostgresUpkeep(session)

    @contextmanager
    def reading(self) -> Iterator[PostgresSession]:
        """Open a snapshot: it begins with the first read, and nothing after that is seen."""
        pool, own = self._here()
        if own.is_joined and own.writer is not None:
            yield own.writer
            return
        session = self._reader(pool, own)
        if session.depth:
            group = session.group_seen
            yield session
            session.stay_in(group)
            return
        session.stay_in(None)
        session.depth = 1
        try:
            yield session
        except MemoryError as error:
            raise out_of_memory() from error
        finally:
            session.depth = 0
            session.leave()

    def reader(self) -> PostgresSession | None:
        """Return what this thread reads by outside of blocks: a statement is one round trip."""
        pool, own = self._here()
        return None if own.is_joined else self._reader(pool, own)

    @contextmanager
    def writing(
        self, is_dry_run: bool = False, group: str | None = None, waits: bool = True
    ) -> Iterator[PostgresSession]:
        """Open the write transaction: commit at the end, roll back on any exception.

        It holds the `group`; all of them where none is named, or the group is not there yet. Where
        it does not wait, STORE_BUSY comes at once for a group that somebody writes.
        """
        if not is_dry_run:
            refuse_write(self)
        pool, own = self._here()
        if own.writer is not None:
            if not own.is_joined:
                raise INTERNAL_ERROR.error("a write begins inside another write of the same thread")
            session = own.writer
            with part(session, is_dry_run):
                session.lock(group, waits=waits)
                yield session
            return
        own.writer = session = self._session(pool, is_writing=True)
        session.depth = 1
        try:
            session.lock(group, waits=waits)
            yield session
            if session.is_writing and not is_dry_run:
                session.commit()
                self._count(pool, session.written)
        except MemoryError as error:
            raise out_of_memory() from error
        finally:
            own.writer = None
            session.depth = 0
            session.roll_back()

    @contextmanager
    def together(self, is_dry_run: bool = False, group: str | None = None) -> Iterator[None]:
        """Let every block of this thread be a part of one write transaction, until this ends.

        It begins with the lock of the `group`; a part of another group takes that one's too.
        """
        _, own = self._here()
        is_outermost = not own.is_joined
        erased: list[bool] = []
        try:
            with self.writing(is_dry_run, group) as session:
                own.is_joined = True
                try:
                    yield
                finally:
                    own.is_joined = not is_outermost
                if is_outermost and session.has_erased:
                    session.on_commit(lambda: erased.append(True))
        finally:  # also where an index could not be made after the commit
            if erased:
                self.finish_erasure()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Do nothing: nobody waits for the connection of a block."""
        yield

    def is_inside(self) -> bool:
        """Whether this thread is inside a block of `reading` or `together`."""
        _, own = self._here()
        return own.is_joined or (own.reader is not None and own.reader.depth > 0)

    def refuse_together(self, what: str) -> None:
        """Refuse what no part of a transaction can do with INVALID_ARGUMENT."""
        if self._here()[1].is_joined:
            raise refused(
                f"{what} cannot be made inside a transaction",
                "call it after the block of nexus.transaction()",
            )

    def refuse_wall(self, what: str) -> None:
        """Refuse what is of all groups with STORE_UNAVAILABLE behind the wall, which hides them."""
        if self._address.has_wall:
            raise walled(what)

    def finish_erasure(
        self, wait_seconds: float | None = None, *, is_whole: bool = False
    ) -> str | None:
        """Vacuum the tables, and return where the server keeps removed bytes all the same.

        Inside a block of this thread nothing is done (`BLOCK`): it is when that has ended, and was
        kept. Who still sees what was removed is waited for, then `READERS`. `is_whole` makes the
        tables anew, and nobody reads them meanwhile. Cost: the pages of the tables that have
        changed; all that there are.
        """
        pool, _ = self._here()
        if self.is_inside():
            return BLOCK
        wait = self._settings.busy_seconds if wait_seconds is None else wait_seconds
        try:
            with pool.outside(wait) as connection:
                is_gone = vacuum(connection, self._address.schema, wait, is_whole=is_whole)
        except psycopg.Error as error:
            raise translated(error) from None
        if not is_gone:
            return READERS
        return None if is_whole else REMAINS

    def back_up(self, path: str | os.PathLike[str], progress: Progress = silent) -> None:
        """Refuse with INVALID_ARGUMENT: a server has backups of its own."""
        del path, progress
        raise refused(
            "a memory on a server is not copied to a file",
            "use pg_dump for the database, or recollect dump for the memory",
        )

    def checkpoint(self) -> None:
        """Do nothing: the server brings its log home by itself."""

    @property
    def path(self) -> Path | None:
        """None: there is no file."""
        return None

    @property
    def is_read_only(self) -> bool:
        """False: whether the server lets a write in shows when one begins."""
        return False

    @property
    def kinds(self) -> Kinds:
        """What is special about the types of concepts, as the store was opened."""
        return self._settings.kinds

    def before_close(self, then: Callable[[], None]) -> None:
        """Call `then` once, when the store is about to be closed."""
        self._closing.append(then)

    def close(self) -> None:
        """Close every connection; further use raises STORE_CLOSED. An open block goes on."""
        while self._closing:
            self._closing.pop()()
        self._is_closed = True
        self._pool.close()

    def _reader(self, pool: Pool, own: _Own) -> PostgresSession:
        if own.reader is None:
            own.reader = self._session(pool, is_writing=False)
        return own.reader

    def _count(self, pool: Pool, written: int) -> None:
        """Let the planner count rows after a load, before anybody reads what came.

        Without it the server takes the tables for empty until it looks by itself, a minute later.
        """
        self._uncounted += written
        if self._uncounted < max(_LOAD, self._counted * _GROWN):
            return
        load, self._uncounted = self._uncounted, 0  # others write while this is counted
        # What was written is kept: a server that is not there any more tells whoever reads.
        schema = self._address.schema
        tables = ", ".join(f'"{schema}"."{one.name}"' for one in whole_store() if one.is_table)
        with suppress(psycopg.Error, RecollectError), pool.beside() as connection:
            ((known,),) = connection.execute(_KNOWN, (schema,)).fetchall()
            self._counted = whole(known)
            if load < self._counted * _GROWN:  # another program has counted the others
                self._uncounted += load
                return
            # Who counts them just now does it for this load too, or for the most of it.
            connection.execute(f"ANALYZE (SKIP_LOCKED) {tables}", prepare=False)
            self._counted += load

    def _session(self, pool: Pool, *, is_writing: bool) -> PostgresSession:
        return PostgresSession(pool, self._settings.kinds, self._sampling, is_writing=is_writing)

    def _new_pool(self) -> Pool:
        most = self._address.pool or self._settings.connections
        return Pool(self._address, most, self._settings.busy_seconds)

    def _here(self) -> tuple[Pool, _Own]:
        """Return the connections of this process, and the blocks of this thread."""
        if self._is_closed:
            raise STORE_CLOSED.error("the store is closed", "open it again")
        if self._pool.process != os.getpid():
            with self._lock:
                if self._pool.process != os.getpid():
                    self._pool, self._own = self._new_pool(), _Own()
        return self._pool, self._own
