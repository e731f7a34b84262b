"""What threads and tasks share: caches, parted at a fork, blocks of calls, and what they asked.

The rules: a cache keeps the values that were asked for last, and forgets the others. A block is of
the task that opened it, and of the tasks which that one begins inside. Another task of the same
thread, which an event loop runs while the block waits, is outside it. What a block reads is one
state, so nothing is written in one that only reads.

Python's cycle collector is shared too. It pauses during a large write, or while a group is read for
its first question, whose many values form no cycles. Release the values before it runs again;
otherwise it looks through all of them once more. Measured: a third of the time of a batch of 20,000
links, half of parsing a large capsule, a quarter of reading a million links.
"""

from __future__ import annotations

import gc
import os
import threading
import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Final, Generic, TypeVar

from recollect.errors import refused
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.port import Parameters, Session, Sql, SqlRow, Store
from recollect.kernel.store.statement import MOST_FEW, Statement, of_rows
from recollect.node import dataclass

_MOST_ANSWERS: Final = 64  # that are kept of what a block asked once
_LARGE: Final = 1_000  # characters of a text, changes of a batch, or contents
_pausing: list[int] = []  # the thread that pauses the collector, at most one
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
    if _pausing and threading.get_ident() not in _pausing:  # who paused it is not there
        _pausing.clear()
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_part_all)


@contextmanager
def uncollected(size: int) -> Iterator[None]:
    """Pause the collector while `size` values are made; for a few it is not worth it."""
    if size < _LARGE or not gc.isenabled():
        yield
        return
    _pausing.append(threading.get_ident())
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        _pausing.clear()


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
        if (value := self.find(key)) is None:
            value = make()
            self.keep(key, value)
        return value


@dataclass(eq=False, slots=True)
class _Block:
    store: Store
    only_reads: bool
    is_open: bool = True


_BLOCKS: Final[ContextVar[tuple[_Block, ...]]] = ContextVar("recollect_blocks", default=())


@contextmanager
def opened(
    store: Store, block: AbstractContextManager[object], *, only_reads: bool = False
) -> Iterator[None]:
    """Open a block of a store for the task that is running."""
    mark = _Block(store, only_reads)
    _BLOCKS.set((*_BLOCKS.get(), mark))
    try:
        with block, store.kept():
            yield
    finally:
        mark.is_open = False  # also to tasks that were begun inside, and still run
        _BLOCKS.set(tuple(one for one in _BLOCKS.get() if one.is_open))


def refuse_write(store: Store) -> None:
    """Refuse a write inside a block that only reads with INVALID_ARGUMENT."""
    blocks = _BLOCKS.get()
    if not blocks or not store.is_inside():
        return
    if any(one.is_open and one.only_reads and one.store is store for one in blocks):
        raise refused(
            "nothing is written inside a snapshot", "write after the block of nexus.snapshot()"
        )


@contextmanager
def part(session: Session, is_dry_run: bool) -> Iterator[None]:
    """Open a part of a transaction, undone on any exception and after a dry run."""
    depth = session.begin_part()
    try:
        yield
        if session.parts == depth and not is_dry_run:
            session.commit()
    finally:
        if session.parts == depth:
            session.roll_back()


def has_open(store: Store) -> bool:
    """Whether the task that is running has a block of the store open, in whatever thread."""
    return any(one.is_open and one.store is store for one in _BLOCKS.get())


class AsksOnce(ABC):
    """A session that keeps what its block asked once, until the state is another one."""

    depth: int  # blocks of this thread that are open on it

    def __init__(self) -> None:
        self._asked: dict[tuple[Statement | SqlValue, ...], Sequence[SqlRow]] = {}

    @abstractmethod
    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[SqlRow]:
        """Run one statement and return all its rows."""

    def once(self, sql: Statement, parameters: Mapping[str, SqlValue]) -> Sequence[SqlRow]:
        """Return what `rows` does, asked once in each state that a block sees."""
        if not self.depth:
            return self.rows(sql, parameters)
        key = sql, *parameters.values()
        if (found := self._asked.get(key)) is None:
            if len(self._asked) >= _MOST_ANSWERS:
                self._asked.clear()
            found = self._asked[key] = self.rows(sql, parameters)
        return found

    @abstractmethod
    def execute_many(self, sql: Sql, parameters: Iterable[Parameters]) -> None:
        """Run one statement once for each set of parameters."""

    def put_few(self, one: Statement, rows: Sequence[SqlRow]) -> None:
        """Put rows by a statement that puts one, or by a single one where they are few."""
        if 1 < len(rows) <= MOST_FEW:
            one, rows = of_rows(one, len(rows)), [tuple(chain.from_iterable(rows))]
        self.execute_many(one, rows)

    def ask_anew(self) -> None:
        """Forget what was asked once: the state is another one."""
        self._asked.clear()
