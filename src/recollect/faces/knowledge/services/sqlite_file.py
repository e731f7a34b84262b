"""One SQLite file of services: opened, written in transactions, and its errors told as ours.

The rule: one connection a service, used by one thread at a time. A write begins IMMEDIATE, so two
processes on one file wait for each other and lose nothing; what is written is on the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import ClassVar, Final

import apsw

from recollect.errors import (
    STORE_BUSY,
    STORE_CORRUPT,
    STORE_FOREIGN,
    STORE_UNAVAILABLE,
    RecollectError,
    refused,
)

Cell = str | int | float | bytes | None

_OURS: Final = 0x52434B53  # RCKS
_WAIT, _PAUSE = 10_000, 10  # milliseconds for another process to finish its write; between tries


class SqliteFile:
    """A file, or ":memory:", that holds the tables of a service."""

    def __init__(self, db_path: str | os.PathLike[str], tables: str) -> None:
        """Open a file, made if it is not there, and make the tables that it lacks."""
        self._path = _checked_path(db_path)
        with self.own_errors():
            self._connection = apsw.Connection(self._path)
            try:
                self._prepare(tables)
            except BaseException:
                self._connection.close()
                raise

    def rows(
        self, statement: str, values: Sequence[Cell] | Mapping[str, Cell] = ()
    ) -> list[tuple[Cell, ...]]:
        """Run a statement and return all its rows."""
        return list(self._connection.execute(statement, values))

    def run_many(self, statement: str, values: Sequence[Sequence[Cell]]) -> None:
        """Run a statement once for each tuple of values."""
        self._connection.executemany(statement, values)

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        return self._connection.changes()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let the block see one state of the file, whatever others write meanwhile."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make what the block writes one transaction; nothing stays of a block that fails."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._connection.execute(begin)
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def own_errors(self) -> Iterator[None]:
        """Turn errors of SQLite into ours."""
        try:
            yield
        except apsw.BusyError as error:
            raise STORE_BUSY.error(
                f"{self._path} is being written by others", "try again"
            ) from error
        except apsw.NotADBError as error:
            raise _foreign(self._path) from error
        except apsw.CorruptError as error:
            raise STORE_CORRUPT.error(
                f"{self._path} is damaged", "restore it from a copy"
            ) from error
        except apsw.Error as error:
            raise STORE_UNAVAILABLE.error(
                f"{self._path} cannot be used: {error}",
                "check the folder's permissions and the space on its disk",
            ) from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _prepare(self, tables: str) -> None:
        self._connection.set_busy_timeout(_WAIT)
        ((owner,),) = self.rows("PRAGMA application_id")
        if owner not in (0, _OURS):
            raise _foreign(self._path)
        self._switch_to_wal()
        self._connection.execute("PRAGMA synchronous = FULL")
        with self.writing():
            ((held,),) = self.rows("SELECT COUNT(*) FROM sqlite_schema")
            if owner != _OURS and held:
                ((owner,),) = self.rows("PRAGMA application_id")  # made by another meanwhile?
                if owner != _OURS:
                    raise _foreign(self._path)
            self._connection.execute(f"PRAGMA application_id = {_OURS}")
            self._connection.execute(tables)

    def _switch_to_wal(self) -> None:
        for left in range(_WAIT // _PAUSE, -1, -1):
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except apsw.BusyError:  # told at once where another switches a new file, too
                if not left:
                    raise
                time.sleep(_PAUSE / 1_000)


def _checked_path(db_path: object) -> str:
    path = os.fspath(db_path) if isinstance(db_path, str | os.PathLike) else ""
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise refused("db_path names no file", 'give a path such as "knowledge.db"')
    return path


def _foreign(path: str) -> RecollectError:
    return STORE_FOREIGN.error(f"{path} is not a file of knowledge services", "choose another file")


class InSqliteFile:
    """A service whose tables are in a file, or ":memory:"; several processes may share it."""

    _tables: ClassVar[str]

    def __init__(self, db_path: str | os.PathLike[str]) -> None:
        super().__init__()
        self._file = SqliteFile(db_path, self._tables)

    def _own_errors(self) -> AbstractContextManager[None]:
        return self._file.own_errors()

    def _release(self) -> None:
        self._file.close()
