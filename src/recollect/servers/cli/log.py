"""The log and the history of a memory as JSON, and what to call what they speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import assert_never

from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.model import (
    Attributes,
    Content,
    Instant,
    Key,
    Life,
    LoggedTransaction,
    Transaction,
    Triple,
    Version,
)
from recollect.servers.cli.naming import LOOK_UPS
from recollect.servers.cli.response import Names

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def life_json(life: Life) -> dict[str, object]:
    """Return a life as JSON."""
    versions = [_version_json(one) for one in life.versions]
    return {"id": life.id, **what_json(life.what), "versions": versions}


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
            return {
                "subject": what.subject,
                "predicate": what.predicate,
                "object": what.object,
            }
        case _:
            assert_never(what)


def instant_text(at: Instant) -> str:
    """Return an instant as ISO 8601 text in UTC; beyond the calendar, as milliseconds.

    >>> instant_text(Instant(0)), instant_text(Instant(2**60))
    ('1970-01-01T00:00:00.000Z', '1152921504606846976 ms')
    """
    try:
        moment = _EPOCH + timedelta(milliseconds=at)
    except OverflowError:
        return f"{at} ms"
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ends_named(nexus: Nexus, named: Iterable[Key | Triple | None]) -> Names:
    """Return names for the concepts that links end in, living or closed."""
    triples = [one for one in named if isinstance(one, Triple)]
    ends = dict.fromkeys(end for one in triples for end in (one.subject, one.object))
    names: dict[str, str] = {}
    for end in list(ends)[:LOOK_UPS]:
        try:
            what = nexus.history(end)[-1].what
        except RecollectError:  # purged since
            continue
        if isinstance(what, Key):
            names[end] = f'{what.type} "{what.name}"'
    return names


def fact_clock(content: Content) -> Attributes:
    """Return the bounds of a content's fact clock that are set."""
    bounds = {"valid_at": content.valid_at, "invalid_at": content.invalid_at}
    return {name: instant_text(at) for name, at in bounds.items() if at is not None}


def _version_json(version: Version) -> dict[str, object]:
    return {
        "version": version.number,
        "operation": version.operation.value,
        "since": transaction_json(version.since),
        "until": None if version.until is None else transaction_json(version.until),
        "before": None if version.before is None else _content_json(version.before),
        "after": None if version.after is None else _content_json(version.after),
    }


def _content_json(content: Content) -> Mapping[str, object]:
    clock = fact_clock(content)
    return {
        "attributes": content.attributes,
        "metadata": content.metadata,
        "valid_at": clock.get("valid_at"),
        "invalid_at": clock.get("invalid_at"),
    }
