"""How a connection waits for another process that writes.

The rule: it looks again soon and always as soon. The engine's own waiting looks ever more rarely,
ten times a second at last, and never finds a process at rest that writes without a pause.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

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
