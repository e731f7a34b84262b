"""The point in both times that a read speaks of: an AsOf made into guards and parameters."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.errors import INVALID_ARGUMENT, Notice, RecollectError, ask_at
from recollect.kernel.sql.clock import Clock
from recollect.kernel.store.group import Group, last_transaction
from recollect.kernel.store.port import Session, SqlValue
from recollect.kernel.store.statements.elements import AT_INSTANT, AT_NUMBER
from recollect.model import LIVING, AsOf, Instant, instant_text
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """A clock and its parameters."""

    clock: Clock
    parameters: dict[str, SqlValue]
    valid: Instant | None = None
    known: int | None = None  # a transaction's number
    notices: tuple[Notice, ...] = ()


NOW = Moment(Clock(), {})


def resolve_moment(session: Session, group: Group, as_of: AsOf | None) -> Moment:
    """Return the moment of an AsOf; before the first transaction nothing was known."""
    if as_of is None or as_of == AsOf():
        return NOW
    check_as_of(as_of)
    parameters: dict[str, SqlValue] = {}
    number: int | None = None
    if as_of.valid is not None:
        parameters["valid"] = as_of.valid
    if as_of.known is not None or as_of.transaction is not None:
        number, last_id = _known(session, group, as_of)
        parameters |= {"known": number, "last_id": last_id}
    clock = Clock(number is not None, as_of.valid is not None)
    notices = () if number is None else tuple(_notices(session, group, as_of, number))
    return Moment(clock, parameters, as_of.valid, number, notices)


def check_as_of(as_of: AsOf) -> None:
    """Raise INVALID_ARGUMENT for what is no AsOf, whatever the caller's types say."""
    if not isinstance(as_of, AsOf):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"as_of is of type {type(as_of).__name__}, not an AsOf",
            hint="pass AsOf(known=...) or AsOf(valid=...)",
        )
    for at in (as_of.valid, as_of.known):
        if at is None:
            continue
        if type(at) is not int:
            raise RecollectError(
                INVALID_ARGUMENT,
                f"a point in time of AsOf is of type {type(at).__name__}, not a whole number",
                hint="pass milliseconds since 1970-01-01T00:00:00Z",
            )
        if not -LIVING < at < LIVING:
            raise RecollectError(
                INVALID_ARGUMENT,
                f"the instant {at} is outside the range of the clock",
                hint="pass milliseconds since 1970-01-01T00:00:00Z",
            )
    if as_of.transaction is None:
        return
    if type(as_of.transaction) is not int or not 0 <= as_of.transaction < LIVING:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"transaction of AsOf is {as_of.transaction!r}, not the number of one",
            hint="pass a whole number from 0",
        )
    if as_of.known is not None:
        raise RecollectError(
            INVALID_ARGUMENT,
            "AsOf has both known and transaction, which ask the same clock",
            hint="pass one of them",
        )


def _notices(session: Session, group: Group, as_of: AsOf, number: int) -> Iterator[Notice]:
    """Yield warnings about what was asked: no transaction yet, or its number as an instant."""
    asked = as_of.known or 0
    if as_of.transaction is not None and as_of.transaction > number:
        message = (
            f"transaction {as_of.transaction} does not exist yet;"
            f" the answer is as of {number}, the latest"
        )
        yield Notice("future_transaction", message, hint=ask_at(number))
    elif number == 0 < asked <= last_transaction(session, group.group_id):
        message = f"nothing was known at {instant_text(Instant(asked))}"
        hint = f"use AsOf(transaction={asked}) for transaction {asked}"
        yield Notice("transaction_as_instant", message, hint=hint)


def _known(session: Session, group: Group, as_of: AsOf) -> tuple[int, int]:
    if as_of.transaction is None:
        row = session.row(AT_INSTANT, {"group": group.group_id, "at": as_of.known})
    else:
        number = min(as_of.transaction, last_transaction(session, group.group_id))
        row = session.row(AT_NUMBER, {"group": group.group_id, "number": number})
    return (0, 0) if row is None else (int(str(row[0])), int(str(row[1])))
