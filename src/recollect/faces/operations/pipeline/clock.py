"""The clock of the pipeline: when an item is due, how long a lease runs, what a key outlives."""

from __future__ import annotations

import time
from collections.abc import Callable

from recollect.model import Instant

Clock = Callable[[], Instant]


def system_clock() -> Instant:
    """Return the time of the machine, in milliseconds."""
    return Instant(time.time_ns() // 1_000_000)
