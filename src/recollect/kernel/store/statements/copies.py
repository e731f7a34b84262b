"""What a dump takes and a restore brings back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recollect.kernel.store.statement import Statement
from recollect.node import dataclass

TERMS: Final = Statement("SELECT t.code, t.text FROM term AS t WHERE t.group_id = :group")

HOLDS: Final = Statement("""
SELECT (SELECT count(*) FROM tx AS t WHERE t.group_id = :group)
  + (SELECT count(*) FROM term AS m WHERE m.group_id = :group)
  + (SELECT count(*) FROM attribute_index AS i WHERE i.group_id = :group)
  + (SELECT count(*) FROM schema_mode AS s WHERE s.group_id = :group)
  + (SELECT count(*) FROM work AS w WHERE w.group_id = :group)
  + (SELECT count(*) FROM receipt AS r WHERE r.group_id = :group)
""")

GROUP: Final = Statement("""
SELECT g.name, g.id_bits, g.number, g.at, g.chain FROM grp AS g WHERE g.group_id = :group
""")

STAND: Final = Statement("""
UPDATE grp SET id_bits = :id_bits, number = :number, at = :at, chain = :chain
WHERE group_id = :group
""")


@dataclass(frozen=True, slots=True)
class Copying:
    """How the rows that a table has of a group are read, in the order of its keys, and put."""

    count: Statement
    first: Statement
    next: Statement  # those beyond `:after_0`, `:after_1`: the keys of the last one
    put: Statement  # a group and a row, by their places


def copying(table: str, keys: Sequence[str], columns: Sequence[str]) -> Copying:
    """Return the statements about one table; a page has its keys, then its columns."""
    order, listed = ", ".join(keys), ", ".join(columns)
    # Elements are read in the order of their ids; by another index each page would sort them all.
    hint = "{by_none}" if tuple(keys) == ("id",) else ""
    rows = f"SELECT {order}, {listed} FROM {table} AS r {hint} WHERE r.group_id = :group"  # noqa: S608
    after = ", ".join(f":after_{at}" for at in range(len(keys)))
    marks = ", ".join("?" * len(columns))
    return Copying(
        Statement(f"SELECT count(*) FROM {table} AS r WHERE r.group_id = :group"),  # noqa: S608
        Statement(f"{rows} ORDER BY {order} LIMIT :most"),
        Statement(f"{rows} AND ({order}) > ({after}) ORDER BY {order} LIMIT :most"),
        Statement(f"INSERT INTO {table} (group_id, {listed}) VALUES (?, {marks})"),  # noqa: S608
    )
