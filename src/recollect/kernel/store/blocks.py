"""Blocks of calls, and which calls belong to them.

The rule: a block is of the task that opened it, and of the tasks which that one begins inside.
Another task of the same thread, which an event loop runs while the block waits, is outside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from recollect.kernel.store.sqlite import SqliteStore


@dataclass(eq=False, slots=True)
class _Block:
    store: SqliteStore
    is_open: bool = True


_BLOCKS: Final[ContextVar[tuple[_Block, ...]]] = ContextVar("recollect_blocks", default=())


@contextmanager
def opened(store: SqliteStore, block: AbstractContextManager[object]) -> Iterator[None]:
    """Open a block of a store for the task that is running."""
    mark = _Block(store)
    _BLOCKS.set((*_BLOCKS.get(), mark))
    try:
        with block, store.kept():
            yield
    finally:
        mark.is_open = False  # also to tasks that were begun inside, and still run
        _BLOCKS.set(tuple(one for one in _BLOCKS.get() if one.is_open))


def has_open(store: SqliteStore) -> bool:
    """Whether the task that is running has a block of the store open, in whatever thread."""
    return any(one.is_open and one.store is store for one in _BLOCKS.get())
