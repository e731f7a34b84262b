"""Transactions of a group as the log tells them: number, instant, actor, request."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.protocol import Parameters, Session, SqlRow
from recollect.kernel.store.statements.log import AFTER, BY_NUMBER
from recollect.model import Instant, Transaction


def transactions(session: Session, group: Group, numbers: Iterable[int]) -> dict[int, Transaction]:
    """Return transactions by number; one that the log does not hold is left out."""
    parameters: Parameters = {
        "group": group.group_id,
        "numbers": orjson.dumps(list(numbers)).decode(),
    }
    found = map(_transaction, session.rows(BY_NUMBER, parameters))
    return {one.number: one for one in found}


def transactions_after(session: Session, group: Group, since: int, limit: int) -> list[Transaction]:
    """Return the transactions after a number, in order, at most `limit`."""
    parameters = {"group": group.group_id, "since": since, "limit": limit}
    return [_transaction(row) for row in session.rows(AFTER, parameters)]


def _transaction(row: SqlRow) -> Transaction:
    number, at, actor, request = row
    return Transaction(
        whole(number),
        Instant(whole(at)),
        None if actor is None else text(actor),
        None if request is None else text(request),
    )
