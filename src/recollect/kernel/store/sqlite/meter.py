"""How much the statements of a block have cost, and how long one waits for another process.

The rule: what is too much is ended. Who waits looks again soon and always as soon: the engine's own
waiting looks ever more rarely, ten times a second at last, and never finds a process at rest that
writes without a pause.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from recollect.errors import RESOURCE_EXHAUSTED, RecollectError
from recollect.kernel.store.faults import overdue
from recollect.kernel.store.port import Budget

STEPS_A_TICK = 10_000
"""How often the engine asks whether it may go on."""


class Meter:
    """Counts what the reads of one block cost together, and ends the one that is too much."""

    def __init__(self) -> None:
        self._budget: Budget | None = None
        self._is_counting = False
        self._steps = 0
        self._seconds = 0.0
        self._since = 0.0  # when the running statement was last looked at
        self._watcher: Callable[[int], None] | None = None
        self._watched = 0  # steps since it began to watch

    def allow(self, budget: Budget | None) -> None:
        """Restart the count; without a budget statements may take what they need."""
        self._budget, self._steps = budget, 0
        self._seconds = 0.0 if budget is None else budget.spent

    def watch(self, watcher: Callable[[int], None] | None) -> None:
        """Tell a watcher how many steps there were since this call; None ends the watching."""
        self._watcher, self._watched = watcher, 0

    def start(self, *, is_read: bool) -> None:
        """Begin a statement; what writes is as large as its input and is not counted."""
        self._is_counting = is_read and self._budget is not None
        if self._is_counting:
            self._since = time.monotonic()

    def tick(self) -> bool:
        """Whether the engine must stop; called by the engine every 10,000 steps."""
        if self._watcher is not None:
            self._watched += STEPS_A_TICK
            self._watcher(self._watched)
        if not self._is_counting or self._budget is None:
            return False
        now = time.monotonic()
        self._steps += STEPS_A_TICK
        self._seconds += now - self._since
        self._since = now
        return self._steps > self._budget.steps or self._seconds > self._budget.seconds

    def exhausted(self) -> RecollectError:
        """Return the error of the statement that was just ended."""
        budget = self._budget or Budget()
        if self._steps > budget.steps:
            return RecollectError(
                RESOURCE_EXHAUSTED,
                f"the text takes more than {budget.steps} steps",
                hint="name more of the pattern, or use LIMIT",
                details={"steps": budget.steps},
            )
        return overdue(budget.seconds)

    def check(self) -> None:
        """Raise KIP_4001 where the seconds are over; for long work between two ticks."""
        if not self._is_counting or self._budget is None:
            return
        if self._seconds + time.monotonic() - self._since > self._budget.seconds:
            raise overdue(self._budget.seconds)


_NAP_SECONDS: Final = 0.001


def patient(seconds: float) -> Callable[[int], bool]:
    """Return the function by which the engine asks whether to go on waiting.

    The engine passes how often it has asked already. The answer comes after a short sleep, and is
    no once `seconds` have passed.

    >>> patient(0)(0), patient(60)(0)
    (False, True)
    """
    end = 0.0

    def goes_on(asked: int) -> bool:
        nonlocal end
        now = time.monotonic()
        if asked == 0:
            end = now + seconds
        if now >= end:
            return False
        time.sleep(_NAP_SECONDS)
        return True

    return goes_on
