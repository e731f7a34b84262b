"""Copies of a whole store, made while others read and write it."""

from __future__ import annotations

import os

import apsw

from recollect.kernel.store.connection import SqliteSession
from recollect.kernel.store.faults import translated
from recollect.kernel.store.new_file import new_file


def back_up(session: SqliteSession, path: str | os.PathLike[str]) -> None:
    """Copy the store as `session` sees it to a file that is not there yet, in one step.

    The copy is page by page: it has every group, the past, and the free pages as well.
    Raises INVALID_ARGUMENT when the file exists. Cost: the size of the store.
    """
    with new_file(path) as part:
        try:
            copy = apsw.Connection(str(part))
            try:
                with copy.backup("main", session.connection, "main") as backup:
                    backup.step(-1)  # in steps, every write of another process begins it anew
            finally:
                copy.close()
        except apsw.Error as error:
            raise translated(error) from error
