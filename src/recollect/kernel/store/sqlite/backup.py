"""Copies of a whole store, made while others read and write it."""

from __future__ import annotations

import os
from functools import partial

import apsw

from recollect.errors import STORE_UNAVAILABLE
from recollect.kernel.store.address import named_file
from recollect.kernel.store.new_file import new_file, unwritable
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.sqlite.faults import translated
from recollect.kernel.store.sqlite.forks import held
from recollect.model import Progress

_PAGES_AT_ONCE = 2_000  # between two words of progress


def back_up(session: SqliteSession, path: str | os.PathLike[str], progress: Progress) -> None:
    """Copy the store as `session` sees it to a file that is not there yet.

    The copy is page by page: it has every group, the past, and the free pages as well.
    Raises INVALID_ARGUMENT when the file exists. Cost: the size of the store.
    """
    with new_file(path) as part:
        try:
            session.rows("SELECT count(*) FROM sqlite_schema")
            # The snapshot is open now, or every write of another process would begin it anew.
            with (
                held(partial(apsw.Connection, str(part))) as copy,
                copy.backup("main", session.connection, "main") as backup,
            ):
                while not backup.step(_PAGES_AT_ONCE):
                    progress("pages", backup.page_count - backup.remaining, backup.page_count)
                progress("pages", backup.page_count, backup.page_count)
        except apsw.Error as error:
            fault = translated(error)
            if fault.code is STORE_UNAVAILABLE:
                fault = unwritable(named_file(path), fault.message)
            raise fault from error
