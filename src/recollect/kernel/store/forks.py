"""Connections at rest while a process forks, and none that its child inherits.

The rule: the engine keeps its locks on a file in a table of the process. A forked child has the
table but not the locks, so what it opens beside an inherited connection is locked against nobody,
and the parent takes away the log that the child is writing. Hence no thread is inside the engine
while its process forks, and the child closes what it inherits before it opens anything.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from recollect.errors import STORE_UNAVAILABLE, RecollectError

_WAIT_SECONDS = 5.0  # for the blocks of other threads; then the process forks all the same


class Occupant(Protocol):
    """What the engine holds for one thread at a time, which keeps the lock while it is inside."""

    lock: threading.RLock

    def leave(self) -> bool:
        """Close it in a child without a trace; False where its file is being written."""

    def abandon(self) -> None:
        """Use it no more in a child, and never close it: that would undo what the parent writes."""


class Forks:
    """All that this process has in the engine."""

    def __init__(self) -> None:
        self._occupants: weakref.WeakSet[Occupant] = weakref.WeakSet()
        self._is_barred = False
        self._begin()

    def enter(self, occupant: Occupant) -> None:
        """Count in what is open, or about to be: the caller is inside the engine.

        STORE_UNAVAILABLE in a child whose parent was inside the engine when it forked.
        """
        if self._is_barred:
            raise RecollectError(
                STORE_UNAVAILABLE,
                "the process was forked while its parent was using a memory",
                hint="fork outside of reads and writes, or begin the process with spawn",
            )
        with self._entering:
            self._occupants.add(occupant)

    @contextmanager
    def visit(self) -> Iterator[None]:
        """Use the engine for a moment, without a session."""
        visitor = _Visitor()
        with visitor.lock:
            self.enter(visitor)
            yield

    def rest(self) -> None:
        """Wait until no other thread is inside the engine, and let none in until `resume`."""
        self._forking.acquire()
        self._held.callback(self._forking.release)
        deadline = time.monotonic() + _WAIT_SECONDS
        resting: set[Occupant] = set()
        while True:
            self._entering.acquire()
            awake = set(self._occupants) - resting
            if not awake:
                self._held.callback(self._entering.release)
                return
            self._entering.release()
            for one in awake:
                if not one.lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                    return
                self._held.callback(one.lock.release)
                resting.add(one)

    def resume(self) -> None:
        """Let the threads of the parent go on."""
        self._held.pop_all().close()

    def part(self) -> None:
        """Close what the child has inherited; bar it from the engine where that cannot be."""
        inherited = set(self._occupants)
        self._begin()
        # A thread that was inside is none of the child's, and will never give its lock back.
        are_resting = all(one.lock.acquire(blocking=False) for one in inherited)
        if are_resting and all(one.leave() for one in inherited):
            for one in inherited:
                one.lock = threading.RLock()  # this thread has kept it; another may drop the rest
            self._occupants.clear()
            return
        self._is_barred = True
        for one in inherited:
            one.abandon()

    def _begin(self) -> None:
        self._forking = threading.Lock()
        self._entering = threading.Lock()
        self._held = ExitStack()


class _Visitor:
    """A thread inside the engine with a connection that only it knows."""

    def __init__(self) -> None:
        self.lock = threading.RLock()

    def leave(self) -> bool:
        """Return False: nobody can close it."""
        return False

    def abandon(self) -> None:
        """Leave it with its thread, which is none of the child's."""


FORKS = Forks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=FORKS.rest, after_in_parent=FORKS.resume, after_in_child=FORKS.part)
