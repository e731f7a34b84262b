"""When a text has had its seconds.

A deadline is asked between two pieces of work, none of which takes long by itself.
"""

from __future__ import annotations

import time

from recollect.errors import EXECUTION_TIMEOUT, RecollectError


def overdue(seconds: float, hint: str = "name more of the pattern, or use LIMIT") -> RecollectError:
    """Return the error of a text that has had its seconds."""
    return RecollectError(
        EXECUTION_TIMEOUT,
        f"the text takes longer than {seconds:g} seconds",
        hint=hint,
        details={"seconds": seconds},
    )


class Deadline:
    """The seconds of one text, from now on; none where it may take what it needs."""

    __slots__ = ("_begun", "_seconds")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._begun = time.monotonic()

    def spent(self) -> float:
        """Return how many seconds have gone so far."""
        return time.monotonic() - self._begun

    def check(self) -> None:
        """Raise KIP_4001 where the seconds are over."""
        if self._seconds is not None and self.spent() > self._seconds:
            raise overdue(self._seconds, "send the text in parts")
