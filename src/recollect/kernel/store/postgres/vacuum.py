"""Removed rows given up by the server: what VACUUM does, and who keeps it from doing so.

The rule: a row that was removed goes when no transaction of the database sees it any more, whatever
table that one reads. So those that were open before are waited for.
"""

from __future__ import annotations

import time
from typing import Final

from psycopg import Connection

from recollect.kernel.store.cells import text
from recollect.kernel.store.port import SqlRow
from recollect.kernel.store.postgres.migrations import whole_store

_PAUSE_SECONDS: Final = 0.02
_OLDER: Final = """
SELECT 1 FROM pg_stat_activity AS a
WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
  AND a.backend_type = 'client backend' AND age(a.backend_xmin) >= age($1::text::xid) LIMIT 1
"""


def vacuum(
    connection: Connection[SqlRow], schema: str, wait_seconds: float, *, is_whole: bool
) -> bool:
    """Vacuum the tables of a store, or make them anew; return whether all that was removed went.

    Transactions of other roles are seen by a role with pg_read_all_stats.
    """
    sql = f'SELECT pg_current_xact_id()::xid::text, e.begun FROM "{schema}".erasure AS e'  # noqa: S608
    ((now, begun),) = connection.execute(sql).fetchall()
    until = time.monotonic() + wait_seconds
    while has_older := connection.execute(_OLDER, (text(now),)).fetchone() is not None:
        if time.monotonic() > until:
            break
        time.sleep(_PAUSE_SECONDS)
    tables = ", ".join(f'"{schema}"."{one.name}"' for one in whole_store() if one.is_table)
    connection.execute(f"VACUUM {'(FULL) ' if is_whole else ''}{tables}", prepare=False)
    if not has_older:
        sql = f'UPDATE "{schema}".erasure SET finished = greatest(finished, $1)'  # noqa: S608
        connection.execute(sql, (begun,))
    return not has_older
