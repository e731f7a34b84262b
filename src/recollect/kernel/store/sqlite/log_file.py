"""Keeps the log file short: what it holds is copied into the store's file as it grows.

The rule: after small writes it is copied early. A load changes the same pages again and again, so
its log is copied late, each page once for several transactions. Copying waits for nobody until the
log is long. By then, readers that follow each other without a pause could keep the log from ever
starting over, so the writer waits for them: only a moment, and again only after the log has grown.
A reader that stays delays writes but never stops them.
"""

from __future__ import annotations

import apsw

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
