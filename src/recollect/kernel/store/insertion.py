"""Rows put into a table: one by one, or by one statement where other threads are at work.

The rule: each statement hands over Python's turn, and a busy thread may keep it for five
milliseconds. Alone, many rows are put quickest one by one, since a statement of many keeps a
journal of its own; a few are put as quickly by one statement. Beside a busy thread each of them
waits for that thread, a thousand for seconds; a statement of a thousand waits once. To a server
they always go by the thousand: it takes a third of the time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain

import orjson

from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.counts import ADD

_FIRST = 16
"""Rows that are put by one statement if they are all. Of more, so many are put one by one in any
case; the time they take decides about the others."""

_VALUES = re.compile(r"(\([?, ]+\))")

_AT_ONCE = 1_000
"""Rows of one statement."""

_MOST_BYTES = 2**20
"""Texts and bytes of one statement: with more, the engine takes longer than any turn."""

_SLOW = 0.0002
"""Seconds a row, beyond which another thread has had the turn, or the texts are long."""


class Insertion:
    """How rows come into `target`: a table, with the names of its columns unless all have a value.

    `types` are those of the values in a row: bigint, text or bytea.

    >>> Insertion("tag (id)", "bigint").many.text
    'INSERT INTO tag (id) SELECT {cell w.value 0 bigint} FROM {rows all w}'
    """

    def __init__(self, target: str, types: str) -> None:
        cells = [
            f"{{octets w.value {at}}}" if one == "bytea" else f"{{cell w.value {at} {one}}}"
            for at, one in enumerate(types.split())
        ]
        marks, values = ", ".join("?" * len(cells)), ", ".join(cells)
        self.one = Statement(f"INSERT INTO {target} VALUES ({marks})")  # noqa: S608
        self.many = Statement(f"INSERT INTO {target} SELECT {values} FROM {{rows all w}}")  # noqa: S608

    def run(self, session: Session, rows: Sequence[SqlRow], slow: float = _SLOW) -> None:
        """Put rows in their order; beyond `slow` seconds a row, the others by the thousand."""
        done, is_slow = 0, session.dialect.is_remote
        if len(rows) <= _FIRST and not is_slow:
            put_few(session, self.one, rows)
            return
        if not is_slow:
            began = time.perf_counter()
            session.execute_many(self.one, rows[:_FIRST])
            done, is_slow = _FIRST, time.perf_counter() - began > slow * _FIRST
        for start in range(done, len(rows), _AT_ONCE):
            block = rows[start : start + _AT_ONCE]
            if is_slow and _size(block) <= _MOST_BYTES:
                document = orjson.dumps(block, default=bytes.hex).decode()
                session.execute_many(self.many, [{"all": document}])
            else:
                session.execute_many(self.one, block)


def _size(rows: Sequence[SqlRow]) -> int:
    """Return the length of all texts and bytes in rows."""
    return sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))


def put_few(session: Session, one: Statement, rows: Sequence[SqlRow]) -> None:
    """Put rows of a statement that puts one: by a single statement where they are few."""
    if session.dialect.is_remote or not 1 < len(rows) <= _FIRST:
        session.execute_many(one, list(rows))
    else:
        session.execute_many(_of_rows(one, len(rows)), [tuple(chain.from_iterable(rows))])


@cache
def _of_rows(one: Statement, many: int) -> Statement:
    head, marks, tail = _VALUES.split(one.text)
    return Statement(head + ", ".join([marks] * many) + tail)


def add_counts(session: Session, group_id: int, changes: Mapping[tuple[str, int], int]) -> None:
    """Add differences to a group's counts, by kind of tally and term."""
    changed = [(group_id, *key, change) for key, change in sorted(changes.items()) if change]
    if changed:
        put_few(session, ADD, changed)
