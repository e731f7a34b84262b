"""Transactions of a group as the log tells them: number, instant, actor, request."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.protocol import Parameters, Session, SqlRow
from recollect.model import Instant, Transaction

_BY_NUMBER = """
SELECT t.number, t.at, t.actor, t.request FROM json_each(:numbers) AS w CROSS JOIN tx AS t
WHERE t.group_id = :group AND t.number = w.value
"""
_AFTER = """
SELECT t.number, t.at, t.actor, t.request FROM tx AS t
WHERE t.group_id = :group AND t.number > :since ORDER BY t.number LIMIT :limit
"""


def transactions(session: Session, group: Group, numbers: Iterable[int]) -> dict[int, Transaction]:
    """Return transactions by number; one that the log does not hold is left out."""
    parameters: Parameters = {
        "group": group.group_id,
        "numbers": orjson.dumps(list(numbers)).decode(),
    }
    found = map(_transaction, session.rows(_BY_NUMBER, parameters))
    return {one.number: one for one in found}


def transactions_after(session: Session, group: Group, since: int, limit: int) -> list[Transaction]:
    """Return the transactions after a number, in order, at most `limit`."""
    parameters = {"group": group.group_id, "since": since, "limit": limit}
    return [_transaction(row) for row in session.rows(_AFTER, parameters)]


def _transaction(row: SqlRow) -> Transaction:
    number, at, actor, request = row
    return Transaction(
        whole(number),
        Instant(whole(at)),
        None if actor is None else text(actor),
        None if request is None else text(request),
    )
