"""What a process does when it is told to end, instead of ending at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def told_to_end(names: Iterable[signal.Signals], then: Callable[[], object]) -> Iterator[None]:
    """Call `then` for each of the signals that comes meanwhile; only from the main thread."""
    before = [(one, signal.signal(one, lambda *_: then())) for one in names]
    try:
        yield
    finally:
        for one, handler in before:
            signal.signal(one, handler)
