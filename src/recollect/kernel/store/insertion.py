"""Rows put into a table: one by one, or by one statement where other threads are at work.

The rule: each statement hands over Python's turn, and a busy thread may keep it for five
milliseconds. Alone, rows are put quickest one by one, since a statement of many keeps a journal
of its own. Beside a busy thread each of them waits for that thread, a thousand for seconds; a
statement of a thousand waits once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import orjson

from recollect.kernel.store.port import Session, SqlRow

_FIRST = 16
"""Rows that are put one by one in any case; the time they take decides about the others."""

_AT_ONCE = 1_000
"""Rows of one statement."""

_MOST_BYTES = 2**20
"""Texts and bytes of one statement: with more, the engine takes longer than any turn."""

_SLOW = 0.0002
"""Seconds a row, beyond which another thread has had the turn, or the texts are long."""


class Insertion:
    """How rows come into `target`: a table, with the names of its columns unless all have a value.

    `values` is how many there are in a row; the one at `blob` is bytes, the others are what JSON
    knows.

    >>> Insertion("tag (id, salt)", 2, blob=1).many
    'INSERT INTO tag (id, salt) SELECT value ->> 0, unhex(value ->> 1) FROM jsonb_each(?)'
    """

    def __init__(self, target: str, values: int, blob: int | None = None) -> None:
        parts = [f"value ->> {at}" for at in range(values)]
        if blob is not None:
            parts[blob] = f"unhex({parts[blob]})"
        self.one = f"INSERT INTO {target} VALUES ({', '.join('?' * values)})"  # noqa: S608
        self.many = f"INSERT INTO {target} SELECT {', '.join(parts)} FROM jsonb_each(?)"  # noqa: S608

    def run(self, session: Session, rows: Sequence[SqlRow], slow: float = _SLOW) -> None:
        """Put rows in their order; beyond `slow` seconds a row, the others by the thousand."""
        began = time.perf_counter()
        session.execute_many(self.one, rows[:_FIRST])
        is_slow = time.perf_counter() - began > slow * _FIRST
        for start in range(_FIRST, len(rows), _AT_ONCE):
            block = rows[start : start + _AT_ONCE]
            if is_slow and _size(block) <= _MOST_BYTES:
                document = orjson.dumps(block, default=bytes.hex).decode()
                session.execute_many(self.many, [(document,)])
            else:
                session.execute_many(self.one, block)


def _size(rows: Sequence[SqlRow]) -> int:
    """Return the length of all texts and bytes in rows."""
    return sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))
