"""How erased bytes leave the file: what a deletion leaves behind, and how that is removed.

A deletion alone leaves copies: in freed pages, in the gaps of pages that were balanced, in old
segments of the text index, in the engine's samples, in the log file. So a purge counts itself in
`erasure`, in its own transaction. Afterwards the file is rewritten and its log emptied; only then
is the purge finished. If a crash, a reader or a full disk prevents that, the next opening, repair
or backup finishes it. Measured: with the index, the samples, the file or its log left as they are,
words remained. Deleted pages are blanked as well, since rewriting gives their blocks back to the
disk.
"""

from __future__ import annotations

from recollect.kernel.store.erasure import OTHERS, purges
from recollect.kernel.store.sqlite.connection import SqliteSession

_FINISH = "UPDATE erasure SET finished = max(finished, ?)"


def finish_erasure(session: SqliteSession, wait_seconds: float) -> str | None:
    """Rewrite the file and empty its log; return what prevents it: `OTHERS`, who read.

    Runs outside of a transaction, on the writer. STORE_BUSY when another program writes for
    longer than `wait_seconds`. Cost: the whole file.
    """
    begun = purges(session)
    session.wait(wait_seconds)
    session.mark()  # no log of after is to be taken for one of the file as it is laid out now
    session.rows("VACUUM")
    is_blocked, *_ = session.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0]
    if is_blocked:
        return OTHERS
    session.mark()
    session.execute_many(_FINISH, [(begun,)])
    session.rows("PRAGMA secure_delete = OFF")
    return None
