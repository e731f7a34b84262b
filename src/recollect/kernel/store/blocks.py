"""Blocks of calls, and which calls belong to them.

The rule: a block is of the task that opened it, and of the tasks which that one begins inside.
Another task of the same thread, which an event loop runs while the block waits, is outside it.
What a block reads is one state, so nothing is written in one that only reads, and what is asked
again is answered from memory until the block writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Final, Protocol

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.store.port import Sql, SqlRow, SqlValue, Store
from recollect.kernel.store.statement import Statement
from recollect.node import dataclass


@dataclass(eq=False, slots=True)
class _Block:
    store: Store
    only_reads: bool
    is_open: bool = True


_MOST_ANSWERS: Final = 64

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


class BlockSession(Protocol):
    """A session as its answers see it."""

    @property
    def depth(self) -> int:
        """How many blocks of this thread are open on it."""

    def rows(self, sql: Sql, parameters: Mapping[str, SqlValue]) -> Sequence[SqlRow]:
        """Run one statement and return all its rows."""


class BlockAnswers:
    """What the block of a session was answered in the state that it sees; a few at most."""

    def __init__(self) -> None:
        self._rows: dict[tuple[object, ...], Sequence[SqlRow]] = {}

    def of(
        self, session: BlockSession, sql: Statement, parameters: Mapping[str, SqlValue]
    ) -> Sequence[SqlRow]:
        """Return the rows of a statement, asked again only outside of blocks."""
        if not session.depth:
            return session.rows(sql, parameters)
        key = sql, *parameters.values()
        found = self._rows.get(key)
        if found is None:
            if len(self._rows) >= _MOST_ANSWERS:
                self._rows.clear()
            found = self._rows[key] = session.rows(sql, parameters)
        return found

    def forget(self) -> None:
        """Ask anew: the state is another one."""
        self._rows.clear()


class Parted(Protocol):
    """A transaction as its parts see it."""

    @property
    def parts(self) -> int:
        """How many parts are open."""

    def begin_part(self) -> int:
        """Begin a part, and return how many are open with it."""

    def commit(self) -> None:
        """End the innermost part."""

    def roll_back(self) -> None:
        """Undo the innermost part."""


@contextmanager
def part(session: Parted, is_dry_run: bool) -> Iterator[None]:
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
