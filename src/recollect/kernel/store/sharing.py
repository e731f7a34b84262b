"""What threads share, over a fork: a child has a lock of its own."""

from __future__ import annotations

import os
import threading
import weakref

_SHARED: weakref.WeakSet[Shared] = weakref.WeakSet()


class Shared:
    """What threads share behind a lock."""

    def __init__(self) -> None:
        self.part()
        _SHARED.add(self)

    def part(self) -> None:
        """Have a lock; in a child a new one, for a thread that is not there may have kept it."""
        self._lock = threading.Lock()


def _part_all() -> None:
    for shared in tuple(_SHARED):
        shared.part()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_part_all)
