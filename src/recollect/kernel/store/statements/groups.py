"""Groups by their names, and all that belongs to one."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

_GROUP: Final = """
SELECT g.group_id, g.name, g.id_bits,
  EXISTS (SELECT 1 FROM schema_mode AS m WHERE m.group_id = g.group_id)
FROM grp AS g
"""

ONE: Final = Statement(f"{_GROUP} WHERE g.name = :name")

ALL: Final = Statement(f"{_GROUP} ORDER BY g.name")

NAMES: Final = Statement("SELECT g.name FROM grp AS g ORDER BY g.name")

LAST: Final = Statement("SELECT g.number, g.at FROM grp AS g WHERE g.group_id = :group")

TABLES: Final = (
    *("attribute_index", "change", "concept", "concept_past", "embedded", "embedding_model"),
    *("kept_answer", "link", "link_past", "receipt", "schema_mode", "tally", "term", "text_past"),
    *("tx", "vector", "work", "grp"),
)
"""All whose rows belong to groups; last is what a wall of the server knows them by."""

DELETE: Final = {
    table: Statement(f"DELETE FROM {table} WHERE group_id = :group")  # noqa: S608 - those tables
    for table in TABLES
}

LOST: Final = {
    table: Statement(f"""
SELECT DISTINCT t.group_id FROM {table} AS t
EXCEPT SELECT g.group_id FROM grp AS g
""")  # noqa: S608
    for table in TABLES
    if table != "grp"
}
"""The groups that have rows in a table and are not there."""
