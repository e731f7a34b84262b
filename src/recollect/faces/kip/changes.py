"""The change log as JSON: what each transaction did, and the number to go on after.

Its one rule: a page names where the next one begins, so who keeps that number misses nothing.
"""

from __future__ import annotations

from typing import assert_never

from recollect import model
from recollect.errors import RecollectError
from recollect.faces.kip.execute import require_nexus
from recollect.faces.kip.response import Response, failure
from recollect.kernel import Nexus
from recollect.model import Instant, Key, LoggedTransaction, Transaction, Triple

DEFAULT_LIMIT = 100
"""So many transactions a page holds, if not told otherwise."""


def read_changes(nexus: Nexus, since: int = 0, limit: int = DEFAULT_LIMIT) -> Response:
    """Return `{"result": {"transactions", "next"}}`: those after number `since`, oldest first.

    `next` is the `since` of the page after; it stays where nothing has happened. INVALID_ARGUMENT
    for anything but a whole number from 0.
    """
    try:
        require_nexus(nexus)
        log = nexus.changes(since, limit)
    except RecollectError as error:
        return failure(error)
    last = log[-1].transaction.number if log else since
    return {"result": {"transactions": [logged_json(one) for one in log], "next": last}}


def logged_json(logged: LoggedTransaction) -> dict[str, object]:
    """Return a transaction of the log as JSON."""
    changes = [
        {
            "id": one.id,
            "kind": one.kind.value,
            "operation": one.operation.value,
            **what_json(one.what),
        }
        for one in logged.changes
    ]
    return {**transaction_json(logged.transaction), "changes": changes}


def transaction_json(transaction: Transaction) -> dict[str, object]:
    """Return a transaction as JSON."""
    return {
        "transaction": transaction.number,
        "at": instant_text(transaction.at),
        "actor": transaction.actor,
        "request_id": transaction.request_id,
    }


def what_json(what: Key | Triple | None) -> dict[str, object]:
    """Return what names an element: type and name, or a triple; nothing of what was purged."""
    match what:
        case None:
            return {}
        case Key():
            return {"type": what.type, "name": what.name}
        case Triple():
            return {"subject": what.subject, "predicate": what.predicate, "object": what.object}
        case _:
            assert_never(what)


def instant_text(at: Instant) -> str:
    """Return an instant as ISO 8601 text in UTC; beyond the calendar, as milliseconds.

    >>> instant_text(Instant(0)), instant_text(Instant(2**60))
    ('1970-01-01T00:00:00.000Z', '1152921504606846976 ms')
    """
    try:
        return model.instant_text(at)
    except OverflowError:
        return f"{at} ms"
