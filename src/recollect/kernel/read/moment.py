"""The point in both times that a read speaks of: an AsOf made into guards and parameters."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.sql.clock import Clock
from recollect.kernel.store.group import Group
from recollect.kernel.store.protocol import Session, SqlValue
from recollect.model import LIVING, AsOf, Instant

_AT_NUMBER = "SELECT t.number, t.last_id FROM tx AS t WHERE t.group_id = ? AND t.number = ?"
_AT_INSTANT = (
    "SELECT t.number, t.last_id FROM tx AS t WHERE t.group_id = ? AND t.at <= ?"
    " ORDER BY t.at DESC LIMIT 1"
)
_LATEST = "SELECT g.number FROM grp AS g WHERE g.group_id = ?"


@dataclass(frozen=True, slots=True)
class Moment:
    """A clock and its parameters."""

    clock: Clock
    parameters: dict[str, SqlValue]
    valid: Instant | None = None
    known: int | None = None  # a transaction's number


NOW = Moment(Clock(), {})


def resolve_moment(session: Session, group: Group, as_of: AsOf | None) -> Moment:
    """Return the moment of an AsOf; before the first transaction nothing was known."""
    if as_of is None or as_of == AsOf():
        return NOW
    for at in (as_of.valid, as_of.known):
        if at is None:
            continue
        if type(at) is not int:  # whatever the caller's types say
            raise RecollectError(
                INVALID_ARGUMENT,
                f"a point in time of AsOf is a {type(at).__name__}, not a whole number",
                hint="pass milliseconds since 1970-01-01T00:00:00Z",
            )
        if not -LIVING < at < LIVING:
            raise RecollectError(
                INVALID_ARGUMENT,
                f"the instant {at} is outside the range of the clock",
                hint="pass milliseconds since 1970-01-01T00:00:00Z",
            )
    parameters: dict[str, SqlValue] = {}
    number: int | None = None
    if as_of.valid is not None:
        parameters["valid"] = as_of.valid
    if as_of.known is not None:
        number, last_id = _known(session, group, as_of.known, is_number=as_of.known_is_transaction)
        parameters |= {"known": number, "last_id": last_id}
    return Moment(
        Clock(number is not None, as_of.valid is not None), parameters, as_of.valid, number
    )


def _known(session: Session, group: Group, known: int, *, is_number: bool) -> tuple[int, int]:
    if is_number:
        latest = session.row(_LATEST, (group.group_id,))
        known = min(known, 0 if latest is None else int(str(latest[0])))
    row = session.row(_AT_NUMBER if is_number else _AT_INSTANT, (group.group_id, known))
    return (0, 0) if row is None else (int(str(row[0])), int(str(row[1])))
