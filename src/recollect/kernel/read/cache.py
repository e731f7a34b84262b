"""A small cache that forgets what was used longest ago."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Cache(Generic[KeyT, ValueT]):
    """At most `size` values by key; safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[KeyT, ValueT] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: KeyT) -> ValueT | None:
        """Return the value of a key, if it is there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def keep(self, key: KeyT, value: ValueT) -> None:
        """Hold a value, and forget the one that was used longest ago beyond the size."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._size:
                self._values.popitem(last=False)

    def get(self, key: KeyT, make: Callable[[], ValueT]) -> ValueT:
        """Return the value of a key, made when it is not there."""
        value = self.find(key)
        if value is None:
            value = make()
            self.keep(key, value)
        return value
