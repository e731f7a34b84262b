"""Connections over a fork: nobody is inside the engine, and the child keeps none of them.

The rule: the engine keeps its locks on a file in a table of the process. A forked child has the
table but not the locks, so what it opens beside an inherited connection is locked against nobody,
and the parent takes away the log that the child is writing. A thread inside the engine leaves its
mutexes locked in the child. Hence a fork waits until other threads have left the engine and ended
their writes, lets none in meanwhile, and the child closes what it inherits before it opens
anything. Where that cannot be, as a thread stays for too long, the child is barred.

Nothing here holds a lock: a child would inherit it, and a signal's handler may fork as well. What
is shared are sets and lists, each of whose steps is whole.

A connection keeps the file itself, whatever its name leads to later. Who writes to one that was
deleted, moved or replaced writes where nobody will look, so nothing is written there.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import Final

import apsw

from recollect.errors import STORE_CLOSED, STORE_UNAVAILABLE

Identity = tuple[int, int]
"""The device and the number of a file, whatever names it has."""

LOG: Final = "-wal"
"""How the name of the log ends, which stands beside a file."""


def identity(path: str | Path) -> Identity | None:
    """Return which file stands at a path, or None. Cost: a microsecond."""
    try:
        entry = os.stat(path)
    except OSError:
        return None
    return entry.st_dev, entry.st_ino


def beside(path: Path, suffix: str) -> Path:
    """Return the file that the engine keeps beside another one."""
    return path.with_name(path.name + suffix)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; zero where there is none, or none any more."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


class FilePlace:
    """Where a file is that was opened, and which one it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = str(path)
        self._file: Identity | None = None

    def settle(self) -> None:
        """Note which file stands here, unless it is known."""
        if self._file is None:
            self._file = identity(self._text)

    def refuse_gone(self) -> None:
        """Raise STORE_UNAVAILABLE when another file stands here now, or none."""
        if self._file is not None and identity(self._text) != self._file:
            raise STORE_UNAVAILABLE.error(
                f"{self.path.name} was deleted, moved or replaced while it was open",
                "put it back, or close the memory and open it again",
            )


_WAIT_SECONDS = 5.0  # for other threads, before a process forks all the same
_PAUSE_SECONDS = 0.001  # between looks at whether there is still something to wait for

_CLOSED = apsw.Connection(":memory:")
_CLOSED.close()


class Held:
    """A connection of this process, which is used inside a `with` and nowhere else.

    STORE_UNAVAILABLE in a child that is barred; STORE_CLOSED in a block that a child inherits.
    """

    def __init__(self, make: Callable[[], apsw.Connection], *, is_file: bool) -> None:
        """`make` opens the connection; that it is closed is the caller's care."""
        FORKS.refuse_barred()
        self.connection = _CLOSED
        self.inside = 0  # the thread that is
        self._is_file = is_file
        self.file: Identity | None = None  # what it is open on, if that has an entry in a folder
        self.is_left = False  # a child has inherited it, and may not use it
        FORKS.held.add(self)
        try:
            with self:
                self.connection = make()  # which leaves none open when it fails
                if is_file:
                    self.file = identity(self.connection.filename)
        except BaseException:
            FORKS.held.discard(self)
            raise

    def __enter__(self) -> apsw.Connection:
        # First inside, then a look whether somebody forks, who looks the other way round.
        self.inside = get_ident()
        if FORKS.forking:
            FORKS.let_by(self)
        if self.is_left:
            self.inside = 0
            raise STORE_CLOSED.error(
                "the process was forked inside this block, which belongs to its parent",
                "begin the block anew",
            )
        return self.connection

    def __exit__(self, *_: object) -> None:
        self.inside = 0

    def begin_write(self) -> None:
        """Note that this thread is amid a write, which no child could undo."""
        with self:
            if self._is_file:
                FORKS.writers[self] = self.inside

    def end_write(self) -> None:
        """Note that the write is over."""
        FORKS.writers.pop(self, None)

    def close(self) -> None:
        """Close the connection; one that a child has inherited is closed already."""
        if self.is_left:
            return
        try:
            with self as connection:
                connection.close(True)
        finally:
            FORKS.held.discard(self)

    def drop(self) -> None:
        """Close what nobody uses any more, now or after the fork that is going on: never wait."""
        FORKS.dropped.add(self)
        FORKS.close_dropped()

    def leave(self) -> bool:
        """Close in a child what is on a file, without touching that; False where it cannot be."""
        if self._is_file:
            try:
                self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                self.connection.close(True)
            except apsw.ConnectionClosedError:
                pass
            except apsw.Error:
                return False
            self.is_left = True
        return True

    def abandon(self) -> None:
        """Never use it again, and let nothing close it: that would undo what the parent writes."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.connection))
        self.connection = _CLOSED
        self.is_left = True


class Forks:
    """All that this process has in the engine, and who is forking it."""

    def __init__(self) -> None:
        self.generation = 0
        """How many forks lead from the process that imported this to the one it runs in."""
        self.held: set[Held] = set()
        self.dropped: set[Held] = set()
        self.writers: dict[Held, int] = {}  # threads amid a write, by what they write to a file
        self.forking: dict[int, float] = {}  # threads, and until when others are kept out
        self._is_barred = False
        self._masks: dict[int, set[int]] = {}  # signals that were blocked, by the thread that forks

    def refuse_barred(self) -> None:
        """Raise STORE_UNAVAILABLE in a child that could not close what it inherited."""
        if self._is_barred:
            raise STORE_UNAVAILABLE.error(
                "the process was forked inside a write, or while another thread was at work in a "
                "memory; it cannot use any",
                "fork where nobody writes, or reads for long; or begin the process with spawn",
            )

    def has_open(self, path: Path) -> bool:
        """Whether this process has a file open in the engine.

        Such a file is not to be opened by hand: with the first `close()` of whatever descriptor
        of it the system ends all locks of the process on it, the engine's too.
        """
        file = identity(path)
        return file is not None and any(one.file == file for one in self.held.copy())

    def let_by(self, held: Held) -> None:
        """Keep a thread out while another one forks, unless that is to wait for its write.

        Only so long: the one that forks may wait for what this thread has locked.
        """
        me = held.inside
        while self.forking and not (me in self.forking or me in self.writers.values()):
            for thread, until in tuple(self.forking.items()):
                if time.monotonic() > until:  # or a signal's handler has broken its fork off
                    self.forking.pop(thread, None)
            held.inside = 0
            time.sleep(_PAUSE_SECONDS)
            held.inside = me

    def rest(self) -> None:
        """Wait, before a fork, until no other thread is inside the engine or amid a write.

        From then on to its end no signal breaks in, in the parent or in the child.
        """
        me, now = get_ident(), time.monotonic()
        self.forking[me] = now + 2 * _WAIT_SECONDS
        while self._busy() and time.monotonic() < now + _WAIT_SECONDS:
            time.sleep(_PAUSE_SECONDS)
        # Noted before it is changed: the change may raise what a signal's handler does.
        self._masks[me] = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

    def resume(self) -> None:
        """Let the threads of the parent go on."""
        self.forking.pop(get_ident(), None)
        self.close_dropped()
        self._unmask()

    def part(self) -> None:
        """Close what the child has inherited, or bar it."""
        me, inherited = get_ident(), self.held.copy()
        is_torn = bool(self.writers) or any(one.inside not in (0, me) for one in inherited)
        self._is_barred = True
        self.generation += 1
        self.held.clear()
        self.dropped.clear()
        self.writers.clear()
        self.forking.clear()
        if is_torn or not all(one.leave() for one in inherited):
            for one in inherited:
                one.abandon()
        else:
            self._is_barred = False
        self.held.update(one for one in inherited if not one.is_left)
        self._unmask()

    def _unmask(self) -> None:
        mask = self._masks.pop(get_ident(), None)
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def close_dropped(self) -> None:
        """Close what was dropped, unless a fork is going on."""
        while self.dropped and not self.forking:
            try:
                one = self.dropped.pop()
            except KeyError:  # another thread was quicker
                return
            one.inside = get_ident()
            if self.forking:
                self.dropped.add(one)
                one.inside = 0
                continue
            try:
                one.connection.close(True)
            finally:
                self.held.discard(one)
                one.inside = 0

    def _busy(self) -> set[int]:
        """Return the threads that are to be waited for; those that fork wait themselves."""
        inside = {one.inside for one in self.held.copy()}
        return (inside | {*self.writers.values()}) - {0, *self.forking}


FORKS = Forks()
"""Those of this process."""


@contextmanager
def held(make: Callable[[], apsw.Connection]) -> Iterator[apsw.Connection]:
    """Use a connection to a file for one piece of work, which no child could undo."""
    visit = Held(make, is_file=True)
    visit.begin_write()
    try:
        with visit as connection:
            yield connection
    finally:
        visit.end_write()
        visit.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=FORKS.rest, after_in_parent=FORKS.resume, after_in_child=FORKS.part)
