"""Keeps the log file short: what it holds is copied into the store's file as it grows.

The rule: copying waits for nobody, until the log is long. Then readers that follow each other
without a pause would keep it from ever being begun anew, so the writer waits for them, but only
a moment, and again only when it has grown: a reader that stays delays writes, and stops none.
"""

from __future__ import annotations

import apsw

_SHORT = 1_000  # pages; below, nothing is copied
_LONG = 4_000  # pages; from here on the log is worth waiting for
_PATIENCE = 500  # milliseconds


class LogFile:
    """What a writing connection does after each commit."""

    def __init__(self) -> None:
        self._worth_waiting = _LONG

    def grown(self, connection: apsw.Connection, database: str, pages: int) -> int:
        """Copy the log, now of so many pages, if it is time to; SQLite's hook after a commit."""
        if pages < _LONG:
            self._worth_waiting = _LONG
        if pages < _SHORT:
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
