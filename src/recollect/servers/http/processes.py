"""Several processes that answer at one socket, and the one that watches over them.

The rule: they end together. A process that ends by itself is begun again, unless not all of them
have answered yet or too many have ended; the one that watches answers nothing and has no memory
open.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import allow_connection_pickling, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from recollect.errors import CODES, UNAVAILABLE, RecollectError
from recollect.node import dataclass
from recollect.servers.http.logs import log_event
from recollect.servers.service import ended_by_signals

Begun = Callable[[], None]
"""Is called once, when requests are answered."""

Work = Callable[[socket.socket, Begun], None]
"""Answers at a socket until SIGTERM; it is sent to a new process, and so is all it holds."""

_MOST_ENDS = 5
_TURN_SECONDS = 0.0002
_WITHIN_SECONDS = 60.0

_HEARD_SECONDS = 0.2  # until a signal to all is heard here, after a process has ended by it
_STOPS: tuple[signal.Signals, ...] = tuple(
    getattr(signal, one) for one in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, one)
)
_KEYS = {signal.SIGINT}

_SPAWN = get_context("spawn")  # neither threads nor a database come through a fork
allow_connection_pickling()


@dataclass(slots=True)
class _Running:
    process: SpawnProcess
    line: Connection  # it says here that it answers; where either side is gone, the other ends
    answers: bool = False


class Processes:
    """A number of processes; `ended` is called for each that ends by itself."""

    def __init__(
        self,
        work: Work,
        listener: socket.socket,
        count: int,
        *,
        end_seconds: float,
        ended: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._work = work
        self._listener = listener
        self._count = count
        self._end_seconds = end_seconds
        self._ended = ended
        self._running: list[_Running] = []
        self._ends: deque[float] = deque(maxlen=_MOST_ENDS)
        self._all_answered = False

    def run(self, begun: Begun) -> None:
        """Answer until SIGTERM or Ctrl-C; only from the main thread.

        `begun` is called when all of them answer. UNAVAILABLE, or the error of the process, where
        one ends before that, and UNAVAILABLE where five end within a minute: all of them have
        ended then.
        """
        with _signals() as stopped:
            try:
                for _ in range(self._count):
                    self._begin()
                self._watch(stopped, begun)
            finally:
                self._end()

    def _begin(self) -> None:
        line, far = _SPAWN.Pipe()
        process = _SPAWN.Process(
            target=_work, args=(self._work, self._listener, far, self._end_seconds)
        )
        # Ctrl-C goes to all processes of a terminal; a new one is told by the line until it hears.
        signal.pthread_sigmask(signal.SIG_BLOCK, _KEYS)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _KEYS)
        far.close()
        self._running.append(_Running(process, line))

    def _watch(self, stopped: Connection, begun: Begun) -> None:
        while not stopped.poll():
            said = wait([stopped, *(one.line for one in self._running)])
            for one in [one for one in self._running if one.line in said]:
                self._hear(one, stopped)
            answering = sum(one.answers for one in self._running)
            if not self._all_answered and answering == self._count:
                self._all_answered = True
                begun()

    def _hear(self, one: _Running, stopped: Connection) -> None:
        try:
            failed: tuple[str, str, str] | None = one.line.recv()
        except (EOFError, OSError):
            self._replace(one, stopped)
            return
        if failed is not None:
            code, message, hint = failed
            raise RecollectError(CODES[code], message, hint=hint)
        one.answers = True
        log_event("process_started", process=one.process.pid)

    def _replace(self, one: _Running, stopped: Connection) -> None:
        """Begin another process for one that has ended, unless all are to end."""
        self._running.remove(one)
        process, exit_code = _closed(one, self._end_seconds)
        self._ended(process)
        log_event("process_ended", process=process, exit_code=exit_code)
        was_told = exit_code is not None and -exit_code in _STOPS
        if stopped.poll(_HEARD_SECONDS if was_told else 0.0):
            return
        if not self._all_answered:
            raise UNAVAILABLE.error(
                f"a process of the server ended with {exit_code} before it answered",
                "read on standard error what it said last",
            )
        now = time.monotonic()
        self._ends.append(now)
        if len(self._ends) == _MOST_ENDS and now - self._ends[0] < _WITHIN_SECONDS:
            raise UNAVAILABLE.error(
                f"{_MOST_ENDS} processes of the server ended within {_WITHIN_SECONDS:g} seconds, "
                f"the last with {exit_code}",
                "read in the log what they did last",
            )
        self._begin()

    def _end(self) -> None:
        """Let all of them end, and end those that take too long."""
        self._listener.close()
        for one in self._running:
            one.line.close()
        deadline = time.monotonic() + self._end_seconds
        for one in self._running:
            _closed(one, deadline - time.monotonic())


def _closed(one: _Running, seconds: float) -> tuple[int, int | None]:
    """Return the id and the exit code of a process that has ended, or is killed after a while."""
    one.line.close()
    one.process.join(max(seconds, 0.0))
    if one.process.is_alive():
        one.process.kill()
        one.process.join()
    process, exit_code = one.process.pid, one.process.exitcode
    assert process is not None
    one.process.close()
    return process, exit_code


@contextmanager
def _signals() -> Iterator[Connection]:
    """Yield what is at its end as soon as SIGTERM or Ctrl-C comes, or the terminal is closed."""
    stopped, stop = _SPAWN.Pipe(duplex=False)
    names = [one for one in _STOPS if signal.getsignal(one) is not signal.SIG_IGN]
    try:
        with ended_by_signals(names, stop.close):
            yield stopped
    finally:
        stop.close()
        stopped.close()


class Turns(socket.socket):
    """A socket of several processes: who has taken a connection lets others take the next.

    Else the first that is awake takes all that come together, and keeps them.
    """

    _not_before = 0.0

    def accept(self) -> tuple[socket.socket, object]:
        """Return the next connection; BlockingIOError if another process is to take it."""
        now = time.monotonic()
        if now < self._not_before:
            raise BlockingIOError
        accepted = super().accept()
        self._not_before = now + _TURN_SECONDS
        return accepted


def _work(work: Work, listener: socket.socket, line: Connection, end_seconds: float) -> None:
    """Do the work in a new process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _KEYS)
    threading.Thread(target=_end_with, args=(line, end_seconds), daemon=True).start()
    turns = Turns(listener.family, listener.type, listener.proto, listener.detach())
    try:
        work(turns, lambda: line.send(None))
    except RecollectError as error:
        line.send((error.code.code, error.message, error.hint))
        sys.exit(1)


def _end_with(line: Connection, end_seconds: float) -> None:
    """End when the watching process says so or is gone: in order, and after a while at once."""
    with suppress(EOFError, OSError):
        line.recv()
    signal.raise_signal(signal.SIGTERM)
    time.sleep(end_seconds)
    os._exit(1)
