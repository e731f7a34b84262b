"""Statements that travel to the server together, and answers that come back together.

The rule: one message goes there, however many statements are in it, and each text is prepared on a
connection when it goes there first. The driver's cursors and its pipeline do so too, but send each
statement as soon as they have it, and take three times the work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from psycopg import Connection, OperationalError, abc
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult

from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.port import SqlRow

Query = tuple[str, Sequence[SqlValue]]
"""A text in the server's form, and its values."""

_Prepared = tuple[str, tuple[int, ...]]
"""A text, and the types of its values: the server prepares it for these."""


class ServerAnswer(NamedTuple):
    """What a statement answered: rows, how many it changed where it gives none, and what it was."""

    rows: list[SqlRow]
    changed: int
    done: bytes | None


class ServerConnection(Connection[SqlRow]):
    """A connection, the names of the statements that are prepared on it, and whether it is set."""

    def __init__(self, pgconn: PGconn) -> None:
        super().__init__(pgconn)
        self.names: dict[_Prepared, bytes] = {}
        self.is_settled = False  # the settings of a transaction hold for all of them


def sent(connection: ServerConnection, queries: Sequence[Query]) -> list[ServerAnswer]:
    """Run statements in one round trip, and return what each of them answered.

    A fault is that of the first statement that has one, or of the way to the server; what is no
    value of the server is found before anything is sent.
    """
    pgconn, values = connection.pgconn, Transformer(connection)
    messages = [_dumped(values, *query) for query in queries]
    coming: dict[_Prepared, bytes] = {}
    order: list[_Prepared | None] = []  # what each answer is about: a text prepared, or one run
    try:
        pgconn.enter_pipeline_mode()
        for text, types, formats, given in messages:
            if connection.prepare_threshold is None:
                pgconn.send_query_params(text.encode(), given, types, formats)
            else:
                key = text, types
                name = connection.names.get(key) or coming.get(key)
                if name is None:
                    coming[key] = name = _name(key)
                    pgconn.send_prepare(name, text.encode(), types)
                    order.append(key)
                pgconn.send_query_prepared(name, given, formats)
            order.append(None)
        pgconn.pipeline_sync()
        results = connection.wait(_results(pgconn, len(order) + 1))
        pgconn.exit_pipeline_mode()
    except BaseException:
        connection.close()  # where it stands in its message nobody knows
        raise
    answers: list[ServerAnswer] = []
    for prepared, result in zip(order, results[:-1], strict=True):
        if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
            raise error_from_result(result)
        if prepared is None:
            answers.append(_answer(values, result))
        else:
            connection.names[prepared] = coming[prepared]
    return answers


def _name(key: _Prepared) -> bytes:
    """Return a name that no other text has: a pool between may mix up who has prepared it."""
    return hashlib.blake2b(repr(key).encode(), digest_size=16).hexdigest().encode()


def _dumped(
    values: abc.Transformer, text: str, given: Sequence[SqlValue]
) -> tuple[str, tuple[int, ...], Any, Any]:
    """Return a text with the types, formats and bytes of its values."""
    if not given:
        return text, (), (), ()
    dumped = values.dump_sequence(given, [PyFormat.AUTO] * len(given))
    return text, values.types or (), values.formats, dumped


def _results(pgconn: PGconn, many: int) -> abc.PQGen[list[PGresult]]:
    """Send what waits, and return so many results, the last of which is the end of the message."""
    yield from send(pgconn)
    results: list[PGresult] = []
    while len(results) < many:
        found = yield from fetch_many(pgconn)
        if not found:
            raise OperationalError("the connection ends before its answers do")
        results += found
    return results


def _answer(values: abc.Transformer, result: PGresult) -> ServerAnswer:
    if result.status == ExecStatus.COMMAND_OK:
        return ServerAnswer([], result.command_tuples or 0, result.command_status)
    values.set_pgresult(result)
    return ServerAnswer(values.load_rows(0, result.ntuples, tuple), 0, result.command_status)
