"""What threads share: a lock that is parted at a fork, and what is kept under it.

The rule: a cache keeps the values that were asked for last, and forgets the others.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

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


KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Cache(Shared, Generic[KeyT, ValueT]):
    """At most `size` values by key, the oldest forgotten first; safe to share between threads.

    A hit is one look-up in a dict: what is asked for often is soon kept again.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        super().__init__()
        self._values: OrderedDict[KeyT, ValueT] = OrderedDict()

    def find(self, key: KeyT) -> ValueT | None:
        """Return the value of a key, if it is there."""
        return self._values.get(key)

    def keep(self, key: KeyT, value: ValueT) -> None:
        """Hold a value, and forget the oldest beyond the size."""
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._size:
                self._values.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._values.clear()

    def get(self, key: KeyT, make: Callable[[], ValueT]) -> ValueT:
        """Return the value of a key, made when it is not there."""
        value = self.find(key)
        if value is None:
            value = make()
            self.keep(key, value)
        return value
