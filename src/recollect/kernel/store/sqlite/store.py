"""The store on SQLite: a reader for each thread, one writer at a time, several processes.

`SqliteStore` implements `port.Store`. Every block is one transaction; what a block reads is
materialised before it ends.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from recollect.errors import (
    INTERNAL_ERROR,
    STORE_BUSY,
    STORE_CLOSED,
    STORE_UNAVAILABLE,
    RecollectError,
    refused,
)
from recollect.kernel.store.address import check_place, parse_address
from recollect.kernel.store.cells import Sampling
from recollect.kernel.store.faults import BLOCK, OTHERS, busy, out_of_memory
from recollect.kernel.store.group import has_unfinished_erasure
from recollect.kernel.store.port import Session
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sharing import Shared, part, refuse_write
from recollect.kernel.store.sqlite.connection import MEMORY, SqliteSession
from recollect.kernel.store.sqlite.faults import translated
from recollect.kernel.store.sqlite.forks import FORKS, FilePlace
from recollect.kernel.store.sqlite.inspection import refuse_open, refuse_unusable
from recollect.kernel.store.sqlite.migrations import MIGRATIONS, applied_migrations, migrate
from recollect.kernel.store.sqlite.read_only import read_only
from recollect.kernel.store.sqlite.upkeep import SqliteUpkeep, back_up, finish_erasure
from recollect.model import Kinds, Progress, silent

_PAUSE_SECONDS = 0.01  # between tries to switch a new file to WAL


class SqliteStore:
    """A graph in one SQLite file, or in memory.

    Opening creates the file when it is absent and brings an older one up to date. Any number
    of threads and processes may share it; readers never wait. A file that may not be written
    is read, and nothing is left beside it.

    >>> store = SqliteStore(":memory:")
    >>> with store.writing() as session:
    ...     session.execute_many("INSERT INTO counter (last_n) VALUES (?)", [(7,)])
    >>> with store.reading() as session:
    ...     session.rows("SELECT last_n FROM counter ORDER BY last_n")
    [(0,), (7,)]
    >>> store.close()
    """

    def __init__(
        self, address: str | os.PathLike[str], settings: StoreSettings | None = None
    ) -> None:
        """Open the store; STORE_FOREIGN, STORE_NEWER, STORE_CORRUPT leave the file untouched."""
        self._settings = settings = settings or StoreSettings()
        path = parse_address(address).path
        self._path = None if path is None else check_place(path)
        self._is_closed = False
        self._closing: list[Callable[[], None]] = []
        with _DOOR.alone():
            if self._path is not None:
                refuse_unusable(self._path, is_checked=settings.is_checked)
            self._read_only = None if self._path is None else read_only(self._path)
            self._filename = MEMORY if self._path is None else str(self._path)
            if self._read_only is not None:
                self._filename = self._read_only.uri
            self._place = None
            if self._path is not None and self._read_only is None:
                self._place = FilePlace(self._path)
            self._connections = _Connections(self._filename, self._settings, self._place)
            self._connections.writer(creates=True)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def upkeep(self, session: Session) -> SqliteUpkeep:
        """Return what SQLite knows of the file and tables behind a session of this store."""
        assert isinstance(session, SqliteSession)
        return SqliteUpkeep(session)

    @contextmanager
    def reading(self) -> Iterator[SqliteSession]:
        """Open a snapshot: it begins with the first read, and nothing after that is seen.

        A block inside another one of the same thread reads the same snapshot, and inside
        `together` what that has written.
        """
        connections = self._here()
        if connections.is_together():
            yield connections.writer()
            return
        session = connections.reader()
        try:
            with session.held():
                self._refuse_closed()
                is_outermost = session.depth == 0
                session.depth += 1
                try:
                    if is_outermost and self._read_only is not None:
                        self._read_only.refuse_changed()
                    if is_outermost and self._path is not None:
                        session.begin_reading()
                    elif is_outermost:
                        session.undo_left()
                    yield session
                except MemoryError as error:
                    raise out_of_memory() from error
                finally:
                    session.depth -= 1
                    if is_outermost:
                        session.roll_back()
                        self._close_late(session)
        finally:
            if connections.erasing:
                self._finish_late(connections)

    def reader(self) -> SqliteSession | None:
        """Return this thread's reader, to be used under its lock while its depth is 0.

        Without a block every statement is a snapshot of its own; `version` tells whether two saw
        the same state. None for a file that is read as immutable, and inside `together`.
        """
        connections = self._here()
        if self._read_only is not None or connections.is_together():
            return None
        return connections.reader()

    @contextmanager
    def writing(
        self, is_dry_run: bool = False, group: str | None = None, waits: bool = True
    ) -> Iterator[SqliteSession]:
        """Open the write transaction: commit at the end, roll back on any exception.

        There is one writer for all groups. A dry run rolls back at the end as well. Raises
        STORE_BUSY when another writer does not finish in time, and INVALID_ARGUMENT inside a block
        that only reads.
        """
        del group, waits  # there is one writer for all of them, and its turn is short
        if not is_dry_run:
            refuse_write(self)
        connections = self._here()
        if connections.is_together():
            session = connections.writer()
            with part(session, is_dry_run):
                yield session
            return
        if self._read_only is not None:
            raise self._read_only.not_writable()
        deadline = time.monotonic() + self._settings.busy_seconds
        with connections.write_lock(self._settings.busy_seconds):
            session = connections.writer()
            with session.held(deadline - time.monotonic()):
                self._refuse_closed()
                session.depth += 1
                try:
                    session.begin_writing(deadline - time.monotonic())
                    yield session
                    if session.is_writing and not is_dry_run:
                        session.commit()
                except MemoryError as error:
                    raise out_of_memory() from error
                finally:
                    session.depth -= 1
                    session.roll_back()
                    self._close_late(session)
                if session.is_worn and not self._is_closed:
                    connections.renew_writer()
                    self._close_late(connections.writer())
        self._finish_late(connections)

    @contextmanager
    def together(self, is_dry_run: bool = False, group: str | None = None) -> Iterator[None]:
        """Let every block of this thread be a part of one write transaction, until this ends.

        A part that fails undoes itself, and what it raises undoes all, unless it is caught.
        Inside another such block it is a part as well. A dry run is undone at the end.
        """
        connections = self._here()
        with self.writing(is_dry_run, group):
            if connections.is_together():
                yield
                return
            with connections.joined():
                yield

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Let those who wait for the one connection of a memory see that a block keeps it."""
        if self._path is not None:
            yield
            return
        session = self._here().writer()
        session.blocks += 1
        try:
            yield
        finally:
            session.blocks -= 1

    def is_inside(self) -> bool:
        """Whether this thread is inside a block of `reading` or `together`."""
        connections = self._here()
        return connections.is_together() or connections.is_reading()

    def finish_erasure(
        self, wait_seconds: float | None = None, *, is_whole: bool = False
    ) -> str | None:
        """Let the bytes of purges leave the file; return what is in the way, if anything.

        A block of this thread is (`BLOCK`): it is done when that has ended, and was kept. So is
        who reads or writes for longer than `wait_seconds` (`busy_seconds` when not given), and a
        full disk: then the next opening, mend or backup tries again. Cost: the whole file.
        """
        del is_whole  # it always is
        if self._path is None:
            return None
        wait = self._settings.busy_seconds if wait_seconds is None else wait_seconds
        connections = self._here()
        if connections.is_together():
            connections.writer().on_commit(connections.put_off_erasure)
            return BLOCK
        if connections.is_reading():
            connections.put_off_erasure()
            return BLOCK
        try:
            with connections.write_lock(wait):
                session = connections.writer()
                with session.lock:
                    self._refuse_closed()
                    session.undo_left()
                    session.refuse_gone()
                    return finish_erasure(session, wait)
        except RecollectError as error:
            if error.code.category != "storage":
                raise
            return OTHERS if error.code is STORE_BUSY else error.message

    def back_up(self, path: str | os.PathLike[str], progress: Progress = silent) -> None:
        """Copy the whole store to a new file, while others read and write.

        Purged bytes that are still in the file are removed first. Raises INVALID_ARGUMENT when the
        file exists, and inside `together`. Cost: the size of the store.
        """
        self.refuse_together("a backup")
        with self.reading() as session:
            is_unfinished = has_unfinished_erasure(session)
        if is_unfinished:
            self.finish_erasure()
        with self.reading() as session:
            back_up(session, path, progress)

    def refuse_together(self, what: str) -> None:
        """Refuse what no part of a transaction can do with INVALID_ARGUMENT."""
        if self._here().is_together():
            raise refused(
                f"{what} cannot be made inside a transaction",
                "call it after the block of nexus.transaction()",
            )

    def refuse_wall(self, what: str) -> None:
        """Do nothing: who has the file sees all groups."""

    def checkpoint(self) -> None:
        """Move the log into the file and empty it, as far as no reader is in the way."""
        connections = self._here()
        with connections.write_lock(self._settings.busy_seconds):
            session = connections.writer()
            with session.lock:
                self._refuse_closed()
                session.undo_left()
                session.refuse_gone()
                session.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def path(self) -> Path | None:
        """The file; None in memory."""
        return self._path

    @property
    def is_read_only(self) -> bool:
        """Whether the file may not be written."""
        return self._read_only is not None

    @property
    def kinds(self) -> Kinds:
        """What is special about the types of concepts, as the store was opened."""
        return self._settings.kinds

    def before_close(self, then: Callable[[], None]) -> None:
        """Call `then` once, when the store is about to be closed."""
        self._closing.append(then)

    def close(self) -> None:
        """Close every connection; further use raises STORE_CLOSED.

        A block that is open goes on to its end.
        """
        while self._closing:
            self._closing.pop()()
        self._is_closed = True
        if self._connections.generation == FORKS.generation:
            self._connections.close()

    def _prepare(self) -> None:
        """Make or update the tables, then switch the file to WAL."""
        session = self._connections.writer()
        with session.entered() as connection:
            try:
                refuse_open(connection)
            except RecollectError:
                # Closing must not move another program's log into its file.
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                raise
            except apsw.Error as error:
                raise translated(error) from error
        if len(applied_migrations(session)) < len(MIGRATIONS):
            if self._read_only is not None:
                raise self._read_only.not_writable("its older tables cannot be brought up to date")
            with self.writing() as session:
                migrate(session)
        if self._read_only is not None:
            return
        deadline = time.monotonic() + self._settings.busy_seconds
        while self._path is not None and not _switch_to_wal(session):
            if time.monotonic() > deadline:
                raise busy()
            time.sleep(_PAUSE_SECONDS)
        if has_unfinished_erasure(session):
            self.finish_erasure(wait_seconds=0)

    def _finish_late(self, connections: _Connections) -> None:
        """Finish the erasure that blocks of this thread put off, when the last one has ended.

        Of a store that was closed inside, the next opening does.
        """
        if connections.take_erasure() and not self._is_closed:
            self.finish_erasure()

    def _close_late(self, session: SqliteSession) -> None:
        """Close a connection that could not be closed while its block was open."""
        if self._is_closed and not session.depth:
            session.close()

    def _here(self) -> _Connections:
        """Return the connections of this process; a forked child opens its own."""
        self._refuse_closed()
        if self._connections.generation != FORKS.generation:
            if self._path is None:
                raise STORE_UNAVAILABLE.error(
                    "a store in memory does not cross into a forked process", "open a file instead"
                )
            self._connections = _Connections(self._filename, self._settings, self._place)
        return self._connections

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise STORE_CLOSED.error("the store is closed", "open it again")


class _Door(Shared):
    """Lets one thread at a time look at a file and open it.

    A look closes a descriptor, which would end the locks of whoever opened the file meanwhile.
    """

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads out of a block."""
        with self._lock:
            yield


_DOOR = _Door()


class _Connections:
    """The connections of one process to one file: a writer, and a reader for each thread.

    A thread's reader lives in its thread-local storage, so it is closed when the thread ends.
    """

    def __init__(self, filename: str, settings: StoreSettings, place: FilePlace | None) -> None:
        self.generation = FORKS.generation
        self._filename = filename
        self._place = place
        self._sampling = Sampling(settings.compare_every)
        self._settings = settings
        self._own = threading.local()
        self._readers: weakref.WeakSet[SqliteSession] = weakref.WeakSet()
        self._registering = threading.Lock()
        self._writing = threading.Lock()
        self._writing_thread: int | None = None
        self.erasing: set[int] = set()  # the threads that put an erasure off
        self._is_joined = False  # the write that is going on is open to further blocks
        self._writer: SqliteSession | None = None

    def reader(self) -> SqliteSession:
        """Return this thread's reader; in memory, the one connection there is."""
        if self._filename == MEMORY:
            return self.writer()
        session: SqliteSession | None = getattr(self._own, "session", None)
        if session is None:
            session = self._opened(query_only=True)
            self._own.session = session
            with self._registering:
                self._readers.add(session)
        return session

    def writer(self, *, creates: bool = False) -> SqliteSession:
        """Return the writer; the caller holds the write lock, except while opening."""
        if self._writer is None:
            self._writer = self._opened(query_only=False, creates=creates)
        return self._writer

    def _opened(self, *, query_only: bool, creates: bool = False) -> SqliteSession:
        return SqliteSession(
            self._filename,
            self._settings,
            query_only=query_only,
            creates=creates,
            place=self._place,
            sampling=self._sampling,
        )

    def renew_writer(self) -> None:
        """Write by another connection from now on; the caller holds the write lock."""
        worn = self.writer()
        with suppress(RecollectError):  # then the old one goes on
            fresh = self._opened(query_only=False)
            with fresh.entered() as connection:
                is_writable = not connection.readonly("main")
            if not is_writable:  # the rights of the process have changed
                fresh.close()
                return
            self._writer = fresh
            worn.close()

    @contextmanager
    def write_lock(self, seconds: float) -> Iterator[None]:
        """Hold the right to write among this process's threads; STORE_BUSY after `seconds`."""
        if self._writing_thread == threading.get_ident():
            raise INTERNAL_ERROR.error("a write begins inside another write of the same thread")
        if not self._writing.acquire(timeout=seconds):
            raise busy()
        self._writing_thread = threading.get_ident()
        try:
            yield
        finally:
            self._writing_thread = None
            self._writing.release()

    def is_together(self) -> bool:
        """Whether this thread is in a write transaction whose parts are blocks of their own."""
        return self._is_joined and self._writing_thread == threading.get_ident()

    def is_reading(self) -> bool:
        """Whether this thread is inside a block on its reader."""
        if self._filename == MEMORY:
            return self.writer().is_inside()
        session: SqliteSession | None = getattr(self._own, "session", None)
        return session is not None and session.is_inside()

    def put_off_erasure(self) -> None:
        """Let an erasure be finished when this thread is in no block any more."""
        self.erasing.add(threading.get_ident())

    def take_erasure(self) -> bool:
        """Take up an erasure that was put off until now; return whether there is one to finish.

        A forked child leaves it to its parent.
        """
        thread = threading.get_ident()
        if thread not in self.erasing or self.is_reading():
            return False
        self.erasing.remove(thread)
        return self.generation == FORKS.generation

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Open the write that this thread holds to further blocks."""
        self._is_joined = True
        try:
            yield
        finally:
            self._is_joined = False

    def close(self) -> None:
        """Close every connection, each after the block that is using it."""
        with self._registering:
            sessions = list(self._readers)
        if self._writer is not None:
            sessions.append(self._writer)
        for session in sessions:
            with session.lock:
                if not session.depth:  # else its own thread is inside, and closes it on leaving
                    session.close()


def _switch_to_wal(session: SqliteSession) -> bool:
    """Whether the file is in WAL mode now; another process may be in the way for a moment."""
    try:
        with session.entered() as connection:
            return bool(connection.pragma("journal_mode", "wal") == "wal")
    except apsw.BusyError:
        return False
    except apsw.Error as error:
        raise translated(error) from error
