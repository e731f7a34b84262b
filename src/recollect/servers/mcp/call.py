"""One call of a tool as the work of it sees it: how far it is, and whether anybody still waits.

The rule: the thread that works never waits for the client; it notes how far it is, and whoever
speaks with the client looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event


@dataclass(slots=True)
class Call:
    """A call; shared between the thread that works and the task that speaks."""

    request_id: str
    step: str = ""
    done: int = 0
    total: int = 0
    told: int = 0  # how much of it the client knows
    _cancelled: Event = field(default_factory=Event)
    _before: int = 0  # what the steps that are over counted to

    def progress(self, step: str, done: int, total: int) -> None:
        """Note how far the work is; what is told rises from step to step, as the protocol asks."""
        if step != self.step:
            self._before = self.done
        self.step, self.done = step, self._before + done
        self.total = self._before + total if total else 0

    def cancel(self) -> None:
        """Note that nobody waits for the call any more."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the call any more."""
        return self._cancelled.is_set()
