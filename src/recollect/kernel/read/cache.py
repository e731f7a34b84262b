"""A small cache of what is costly to make."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from recollect.kernel.store.sharing import Shared

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
