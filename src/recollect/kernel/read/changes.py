"""The change log of a group, read forward: what each transaction did, element by element."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import orjson

from recollect.errors import INVALID_ARGUMENT, STORE_CORRUPT, RecollectError
from recollect.kernel.read.moment import identities, public_ids
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Parameters, Session, SqlRow, SqlValue
from recollect.kernel.store.statements.log import (
    AFTER,
    BY_NUMBER,
    FIRST_OF_TRANSACTION,
    OF_TRANSACTIONS,
)
from recollect.kernel.store.terms import Terms
from recollect.model import (
    LINK_BIT,
    LIVING,
    ElementKind,
    Instant,
    LoggedChange,
    LoggedTransaction,
    Operation,
    Transaction,
)


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


DEFAULT_LIMIT = 100
"""Transactions read when no limit is given."""


def changes_after(
    session: Session, group: Group, terms: Terms, since: int, limit: int, most: int | None = None
) -> tuple[LoggedTransaction, ...]:
    """Return the transactions after number `since`, oldest first, at most `limit`.

    With `most` only so many changes of each are there. Cost: four statements (with `most` one more
    for each transaction), and every change that is returned. INVALID_ARGUMENT for anything but
    whole numbers from 0.
    """
    if not (_is_count(since) and _is_count(limit) and (most is None or _is_count(most))):
        raise RecollectError(
            INVALID_ARGUMENT,
            "since, limit or most is not a whole number from 0",
            hint="pass the number of the last transaction you have seen, or 0",
        )
    log = transactions_after(session, group, since, limit)
    if not log:
        return ()
    rows = _rows(session, group, log, most)
    elements = dict.fromkeys(whole(element) for _, element, _ in rows)
    names = public_ids(session, group, elements)
    what = identities(session, group, terms, elements)
    by_transaction: defaultdict[int, list[LoggedChange]] = defaultdict(list)
    for number, element, operation in rows:
        one = whole(element)
        kind = ElementKind.LINK if one & 1 == LINK_BIT else ElementKind.CONCEPT
        change = LoggedChange(names[one], kind, _operation(operation), what.get(one))
        by_transaction[whole(number)].append(change)
    return tuple(LoggedTransaction(one, tuple(by_transaction[one.number])) for one in log)


def _rows(
    session: Session, group: Group, log: Sequence[Transaction], most: int | None
) -> list[SqlRow]:
    """Return the changes of transactions, all or the first of each."""
    if most is None:
        span = {"group": group.group_id, "first": log[0].number, "last": log[-1].number}
        return list(session.rows(OF_TRANSACTIONS, span))
    return [
        row
        for one in log
        for row in session.rows(
            FIRST_OF_TRANSACTION, {"group": group.group_id, "number": one.number, "most": most}
        )
    ]


def _operation(cell: SqlValue) -> Operation:
    try:
        return Operation(text(cell))
    except ValueError as error:
        raise RecollectError(
            STORE_CORRUPT,
            "the log holds an operation that is not known",
            hint="run recollect doctor",
        ) from error


def _is_count(number: object) -> bool:
    return type(number) is int and 0 <= number < LIVING  # whatever the caller's types say
