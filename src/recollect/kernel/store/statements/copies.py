"""What a dump takes and a restore brings back."""

from __future__ import annotations

from collections.abc import Sequence

TERMS = "SELECT t.code, t.text FROM term AS t WHERE t.group_id = ?"

HOLDS = """
SELECT (SELECT count(*) FROM tx AS t WHERE t.group_id = :group)
  + (SELECT count(*) FROM term AS m WHERE m.group_id = :group)
  + (SELECT count(*) FROM attribute_index AS i WHERE i.group_id = :group)
  + (SELECT count(*) FROM schema_mode AS s WHERE s.group_id = :group)
  + (SELECT count(*) FROM work AS w WHERE w.group_id = :group)
  + (SELECT count(*) FROM receipt AS r WHERE r.group_id = :group)
"""

STAND = "UPDATE grp SET id_bits = ?, number = ?, at = ?, chain = ? WHERE group_id = ?"

TAKEN = """
SELECT (SELECT count(*) FROM concept AS c WHERE c.id IN (SELECT w.value FROM json_each(:ids) AS w))
  + (SELECT count(*) FROM link AS k WHERE k.id IN (SELECT w.value FROM json_each(:ids) AS w))
"""

COUNT_IDS = """
UPDATE counter SET last_n = max(last_n, coalesce((SELECT max(t.last_id) >> 1 FROM tx AS t), 0))
"""


def group_row(columns: str) -> str:
    """Return what reads some columns of a group."""
    return f"SELECT {columns} FROM grp WHERE group_id = ?"  # noqa: S608 - names of columns


def counted_rows(table: str) -> str:
    """Return what counts the rows that a table has of a group."""
    return f"SELECT count(*) FROM {table} AS r WHERE r.group_id = ?"  # noqa: S608 - a name


def page(table: str, keys: Sequence[str], columns: str, *, is_first: bool) -> str:
    """Return what reads the next rows that a table has of a group, in the order of its keys."""
    ordered = ", ".join(keys)
    # Elements are read in the order of their ids; by another index each page would sort them all.
    hint = "NOT INDEXED" if tuple(keys) == ("id",) else ""
    beyond = "" if is_first else f"AND ({ordered}) > ({', '.join('?' * len(keys))})"
    return (
        f"SELECT {ordered}, {columns} FROM {table} AS r {hint}"  # noqa: S608 - names
        f" WHERE r.group_id = ? {beyond} ORDER BY {ordered} LIMIT ?"
    )


def put_row(table: str, columns: str, count: int) -> str:
    """Return what puts a row of so many columns, besides the group, into a table."""
    marks = ", ".join("?" * count)
    return f"INSERT INTO {table} (group_id, {columns}) VALUES (?, {marks})"  # noqa: S608 - names
