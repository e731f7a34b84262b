"""Long work, told while it goes on by the page that waits for it.

The rule: a page is sent as it is made, and its template asks for the steps before the outcome; so
it needs no script, no second request and no memory of the server. Who leaves ends nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final

from recollect.errors import RecollectError
from recollect.model import Diagnosis, Instant, Progress
from recollect.node import dataclass

_PAUSE_SECONDS: Final = 0.1  # between two steps of one name that are told


@dataclass(slots=True)
class LastWord:
    """What the doctor said last, as long as this server runs."""

    diagnosis: Diagnosis | None = None
    at: Instant | None = None


class Working:
    """Work in a thread of its own."""

    def __init__(self, work: Callable[[Progress], Mapping[str, object]]) -> None:
        self._told: SimpleQueue[tuple[str, int, int] | None] = SimpleQueue()
        self._last = ("", 0.0)
        threads = ThreadPoolExecutor(1)
        self._done = threads.submit(work, self._tell)
        self._done.add_done_callback(lambda _: self._told.put(None))
        threads.shutdown(wait=False)

    def steps(self) -> Iterator[tuple[str, int, int]]:
        """Yield each step as it is told, with how much of it is done, and of how much."""
        while (step := self._told.get()) is not None:
            yield step

    def outcome(self) -> Mapping[str, object]:
        """Return what the page shows in the end: what came of it, or the error that ended it."""
        try:
            return self._done.result()
        except RecollectError as error:
            return {"error": error}

    def _tell(self, step: str, done: int, total: int) -> None:
        name, at = self._last
        now = time.monotonic()
        if step != name or done == total or now - at >= _PAUSE_SECONDS:
            self._last = (step, now)
            self._told.put((step, done, total))
