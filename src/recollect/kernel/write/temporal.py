"""The fact clock: when what an element says is true, read from its metadata.

`valid_from` and `valid_until` set it (KIP 1.0-draft3, appendix 1). A reduced form means the
start of its period, a text without a zone is UTC.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from recollect.errors import INVALID_ARGUMENT, Notice, RecollectError
from recollect.model import BEGINNING, FOREVER, Attributes, Instant

VALID_FROM = "valid_from"
VALID_UNTIL = "valid_until"

NOW = "now"
"""The word for the present in what is asked; what is kept never says it."""

_DAY = 86_400_000
INSTANTS = range(-62_135_596_800_000, 253_402_300_800_000)
"""The milliseconds of the years 1 to 9999."""

BOUNDS = range(INSTANTS.start - _DAY, INSTANTS.stop + _DAY)
"""Where a fact time may lie, which a zone moves by less than a day."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_ORDINAL = re.compile(r"(\d{4})-?(\d{3})")


_NEVER_TRUE = Notice(
    "fact_time_empty",
    f"{VALID_FROM} is not before {VALID_UNTIL}, so it is never true",
    hint=f"write {VALID_FROM} before {VALID_UNTIL}",
)


class FactTime(NamedTuple):
    """The fact time of a content, and what could not be read of it."""

    valid_at: Instant
    invalid_at: Instant
    notices: tuple[Notice, ...] = ()


def parse_instant(text: str) -> Instant | None:
    """Return the start of the period an ISO 8601 text names, or None when it is not one.

    An instant that in UTC is outside the years 1 to 9999 counts as none, because no text could
    express it.

    >>> parse_instant("1970") == parse_instant("1970-01-01T01:00:00+01:00") == 0
    True
    >>> parse_instant("next week") is None
    True
    """
    try:
        moment = _moment(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return Instant((moment - _EPOCH) // _MILLISECOND)


def asked_instant(text: str) -> Instant | None:
    """Return the instant that somebody asks for: `parse_instant`, and `now`; None for neither.

    What is kept is read by `parse_instant`: it would not mean the same later.
    """
    words = text.strip()
    return Instant(time.time_ns() // 1_000_000) if words == NOW else parse_instant(words)


def instant(text: object) -> Instant:
    """Return the instant of a text: an ISO 8601 date or time, its beginning, or `now`.

    Without a zone it is in UTC. INVALID_ARGUMENT for other texts.

    >>> instant("1970") == instant("1970-01-01") == instant("1970-01-01T01:00+01:00") == 0
    True
    """
    found = asked_instant(text) if isinstance(text, str) else None
    if found is None:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{text!r:.60} is not an ISO 8601 date or time",
            hint='write it like "2024-01-31", "2024-01", "2024-01-31T09:30:00Z" or "now"',
        )
    return found


def moves_clock(metadata: Attributes) -> bool:
    """Whether `metadata` says since when or until when it is true."""
    return VALID_FROM in metadata or VALID_UNTIL in metadata


def advance_clock(valid_at: Instant, invalid_at: Instant, metadata: Attributes) -> FactTime:
    """Return the clock after `metadata` was set: only the bounds it holds are moved.

    `null` takes a bound away. Text that is not ISO 8601 gives a notice and moves nothing.
    """
    if not moves_clock(metadata):
        return FactTime(valid_at, invalid_at)
    start, end = valid_at, invalid_at
    notices: list[Notice] = []
    for key in (VALID_FROM, VALID_UNTIL):
        if key not in metadata:
            continue
        value = metadata[key]
        instant = parse_instant(value) if isinstance(value, str) else None
        if value is not None and instant is None:
            notices.append(_unreadable(key))
        elif key == VALID_FROM:
            start = BEGINNING if instant is None else instant
        else:
            end = FOREVER if instant is None else instant
    if start >= end:
        notices.append(_NEVER_TRUE)
    return FactTime(start, end, tuple(notices))


def _moment(text: str) -> datetime:
    if not text.isascii():
        raise ValueError(text)
    if found := _YEAR_OR_MONTH.fullmatch(text):
        return datetime(int(found[1]), int(found[2] or 1), 1, tzinfo=UTC)
    if found := _ORDINAL.fullmatch(text):
        day = date(int(found[1]), 1, 1) + timedelta(days=int(found[2]) - 1)
        if day.year != int(found[1]):
            raise ValueError(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    return datetime.fromisoformat(text)


def _unreadable(key: str) -> Notice:
    return Notice(
        "fact_time_not_read",
        f"{key} is not an ISO 8601 time in the years 1 to 9999; it is stored but sets no fact time",
        hint=f'write {key}: "2024-05-21" or "2024-05-21T10:00:00Z"',
    )
