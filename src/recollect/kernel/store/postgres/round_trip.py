"""Statements that travel to the server together, and answers that come back together.

The rule: one message goes there, however many statements are in it. The driver's own pipeline sends
each as soon as it has it, which takes longer than most of them do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from psycopg import Connection, Pipeline, RawCursor
from psycopg.abc import PQGen
from psycopg.generators import send

from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.port import SqlRow

Query = tuple[str, Sequence[SqlValue]]
"""A text in the server's form, and its values."""

Found = list[RawCursor[SqlRow]]
"""What statements found, in their order."""


class _Together(Pipeline):
    """A pipeline that is sent at its end, and read after that.

    So what fails before the reading is the way to the server, and what fails first in it is the
    statement at fault. The driver reads on after either, and raises what it meets there.
    """

    def _communicate_gen(self) -> PQGen[None]:
        while self.command_queue:
            self.command_queue.popleft()()
        yield from ()

    def _exit_gen(self) -> PQGen[None]:
        self._enqueue_sync()
        yield from self._communicate_gen()
        yield from send(self.pgconn)
        yield from self._fetch_gen(flush=False)


@contextmanager
def together(connection: Connection[SqlRow]) -> Iterator[None]:
    """Let the statements of a block travel when it ends."""
    connection._pipeline = pipeline = _Together(connection)
    try:
        with pipeline:
            yield
    finally:
        connection._pipeline = None


def sent(connection: Connection[SqlRow], queries: Sequence[Query]) -> Found:
    """Run statements in one round trip, and return what each of them found."""
    cursors = [cast("RawCursor[SqlRow]", connection.cursor()) for _ in queries]
    if len(queries) == 1:
        cursors[0].execute(*queries[0])
        return cursors
    with together(connection):
        for cursor, (text, values) in zip(cursors, queries, strict=True):
            cursor.execute(text, values)
    return cursors
