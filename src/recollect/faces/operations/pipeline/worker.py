"""Threads that work on the queue of a memory until they are stopped, and keep their leases.

The rule: a thread survives whatever is temporary: while the store is busy or away it waits. A lease
is short and is renewed by a thread of the process that holds it, so that a step may take any time,
and what a killed process held is soon taken up by another.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from recollect.errors import STORE_CLOSED, RecollectError
from recollect.faces.operations.pipeline.work import Work
from recollect.kernel import Nexus

_RENEWALS = 3  # of a lease while it runs


@contextmanager
def kept_leases(nexus: Nexus, works: Sequence[Work]) -> Iterator[None]:
    """Let the leases of works in this process run on meanwhile."""
    ended = threading.Event()
    thread = threading.Thread(
        target=keep_leases, args=(nexus, works, ended), name="recollect-leases", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def keep_leases(nexus: Nexus, works: Sequence[Work], ended: threading.Event) -> None:
    """Renew the leases of works, in this thread, until the end; a busy store is asked again."""
    pause = min(work.lease_seconds for work in works) / _RENEWALS
    while not ended.wait(pause):
        try:
            for work in works:
                if (group := work.group) is not None:
                    nexus.group(group).queue.renew(work.owner, work.lease_end())
        except RecollectError as error:
            if error.code is STORE_CLOSED:
                return
            if error.code.retry != "same_request":
                raise


_CLOSING_SECONDS = 10.0  # for the steps that run when the memory is closed


class Worker:
    """Works on every group of a store, several at once, each in its order.

    Any number of workers, in any number of processes, may share a store. `poll_seconds` is how
    long it takes to see what another process accepted; `wake` makes it look at once.
    """

    def __init__(
        self, nexus: Nexus, work: Work, *, threads: int = 2, poll_seconds: float = 0.5
    ) -> None:
        self._nexus = nexus
        self._poll_seconds = poll_seconds
        self._stopping = threading.Event()
        self._woken = threading.Condition()
        self._wakes = 0
        self._work, self._count = work, threads
        self._starting = threading.Lock()
        self._threads: list[threading.Thread] = []

    def start(self) -> Worker:
        """Start the threads; starting twice is the same as once, and after `stop` it is nothing.

        They end when the memory is closed.
        """
        with self._starting:
            is_started = any(one.is_alive() for one in self._threads)  # none is in a forked child
            if not is_started and not self._stopping.is_set():
                process = uuid.uuid4()
                works = [self._work.named(f"{process}-{at}") for at in range(self._count)]
                leases = partial(keep_leases, self._nexus, works, self._stopping)
                self._threads = [
                    _thread(leases),
                    *(_thread(partial(self._run, work)) for work in works),
                ]
                for thread in self._threads:
                    thread.start()
                self._nexus.queue.before_close(self._close)
        return self

    def wake(self) -> None:
        """Look at the queue at once."""
        with self._woken:
            self._wakes += 1
            self._woken.notify_all()

    def stop(self, seconds: float | None = None) -> bool:
        """Let the steps that are running end, and return whether they did within `seconds`.

        What is not done stays in the queue. Stopping twice is the same as once.
        """
        self._stopping.set()
        self.wake()
        deadline = None if seconds is None else time.monotonic() + seconds
        others = [one for one in self._threads if one is not threading.current_thread()]
        for thread in others:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in others)

    @property
    def is_running(self) -> bool:
        """Whether every thread works."""
        return bool(self._threads) and all(thread.is_alive() for thread in self._threads)

    def __enter__(self) -> Worker:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _close(self) -> None:
        """End before the memory does; who closes it inside a block of its own is not waited for."""
        self.stop(0.0 if self._nexus.is_in_block else _CLOSING_SECONDS)

    def _run(self, work: Work) -> None:
        while not self._stopping.is_set():
            seen = self._wakes
            try:
                is_busy = work.run_once(self._nexus, self._may_go_on) > 0
            except RecollectError as error:
                if error.code is STORE_CLOSED:
                    return
                if error.code.retry != "same_request":
                    raise
                is_busy = False
            if not is_busy:
                self._wait(seen)

    def _wait(self, seen: int) -> None:
        with self._woken:
            self._woken.wait_for(lambda: self._wakes != seen, self._poll_seconds)

    def _may_go_on(self) -> bool:
        return not self._stopping.is_set()


def _thread(target: Callable[[], None]) -> threading.Thread:
    return threading.Thread(target=target, name="recollect-worker", daemon=True)
