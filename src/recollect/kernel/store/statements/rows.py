"""The rows that a transaction changes: those of elements, by the name of their table, and its own.

Values of elements are bound by their place: a flush may write many rows, and names cost each.
"""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

_TABLES: Final = ("concept", "link")

UPDATE: Final = {
    table: Statement(f"""
UPDATE {table} SET attributes = ?, metadata = ?, valid_at = ?, invalid_at = ?, version = ?,
    changed_at = ?
WHERE id = ? AND group_id = ?
""")  # noqa: S608 - the tables are constants, here and below
    for table in _TABLES
}

CLOSE: Final = {
    table: Statement(f"""
UPDATE {table} SET attributes = ?, metadata = ?, valid_at = ?, invalid_at = ?, version = ?,
    changed_at = ?, expired_at = ?
WHERE id = ? AND group_id = ?
""")  # noqa: S608
    for table in _TABLES
}
"""Apart from the one above: every index holds `expired_at`, and whoever sets it writes them all."""

DELETE: Final = {
    table: Statement(f"DELETE FROM {table} WHERE id = ? AND group_id = ?")  # noqa: S608
    for table in _TABLES
}

INSERT_PAST: Final = Statement("""
INSERT INTO past (group_id, id, until, attributes, metadata, valid_at, invalid_at, version,
    changed_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
""")

DELETE_PAST: Final = Statement("DELETE FROM past WHERE group_id = ? AND id = ? AND until = ?")

LOG: Final = Statement("""
INSERT INTO tx (group_id, number, at, last_id, actor, request, chain)
VALUES (:group, :number, :at, :last_id, :actor, :request_id, :chain)
""")

ADVANCE: Final = Statement("""
UPDATE grp SET number = :number, at = :at, chain = :chain WHERE group_id = :group
""")
