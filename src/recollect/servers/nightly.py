"""A memory that is examined by itself once a day, beside the worker.

The rule: what is found is told and never mended: whether to mend is for somebody who has a backup.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, time as TimeOfDay, timedelta

from recollect.errors import STORE_CLOSED, RecollectError
from recollect.kernel import Nexus
from recollect.node import dataclass, field

_PAUSE_SECONDS = 30.0  # between looks at the clock, which somebody may set


@dataclass(frozen=True, slots=True)
class Examined:
    """What an examination found: how many findings of each check, or why it was not made."""

    findings: Mapping[str, int] = field(default_factory=dict)
    error_code: str | None = None
    seconds: float = 0.0


Tell = Callable[[Examined], None]


def utc_now() -> datetime:
    """Return the time of the machine's clock in UTC."""
    return datetime.now(UTC)


def always(day: str) -> bool:
    """Say that an examination is to be made, of whatever day."""
    del day
    return True


def next_at(at: TimeOfDay, now: datetime) -> datetime:
    """Return when it is next that time of day, in UTC, after now.

    >>> next_at(TimeOfDay(3), datetime(2026, 1, 31, 3, 0, tzinfo=UTC)).isoformat()
    '2026-02-01T03:00:00+00:00'
    """
    today = datetime.combine(now.date(), at, UTC)
    return today if today > now else today + timedelta(days=1)


def examine(nexus: Nexus) -> Examined:
    """Let the doctor look at the whole store, and mend nothing. Cost: that of `Nexus.doctor`."""
    started = time.perf_counter()
    try:
        found = Counter(one.check for one in nexus.doctor().findings)
        return Examined(dict(found), seconds=time.perf_counter() - started)
    except RecollectError as error:
        return Examined({}, error.code.code, time.perf_counter() - started)


@contextmanager
def examined_nightly(
    nexus: Nexus,
    at: TimeOfDay | None,
    tell: Tell,
    *,
    is_ours: Callable[[str], bool] = always,
    clock: Callable[[], datetime] = utc_now,
    pause_seconds: float = _PAUSE_SECONDS,
) -> Iterator[None]:
    """Examine a memory every day at a time, in UTC, and tell of it; None: not at all.

    `is_ours` is asked with the day, where several processes might do it. One that runs at the end
    is not waited for: it keeps nothing.
    """
    if at is None:
        yield
        return
    ended = threading.Event()

    def run() -> None:
        due = next_at(at, clock())
        while not ended.wait(pause_seconds):
            if clock() < due:
                continue
            day, due = due.date().isoformat(), next_at(at, clock())
            if not is_ours(day):
                continue
            examined = examine(nexus)
            if examined.error_code == STORE_CLOSED.code:
                return
            tell(examined)

    threading.Thread(target=run, name="recollect-nightly", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
