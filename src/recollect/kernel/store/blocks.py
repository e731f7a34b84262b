"""Blocks of calls, and which calls belong to them.

The rule: a block is of the task that opened it, and of the tasks which that one begins inside.
Another task of the same thread, which an event loop runs while the block waits, is outside it.
What a block reads is one state, so nothing is written in one that only reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Final

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.store.port import Session, Store
from recollect.node import dataclass


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
        raise RecollectError(
            INVALID_ARGUMENT,
            "nothing is written inside a snapshot",
            hint="write after the block of nexus.snapshot()",
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
