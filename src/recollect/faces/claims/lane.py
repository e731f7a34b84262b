"""One thread for all that a store writes.

The rule: writes wait for each other anyway, so they all wait for one thread, in the order in which
they came, and the other threads are free for reads. Resources that the thread used for one write
are at hand for the next.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Lane:
    """Runs calls one after another, while the event loop goes on.

    >>> lane = Lane()
    >>> asyncio.run(lane.run(max, 1, 2))
    2
    >>> lane.close()
    """

    def __init__(self) -> None:
        self._begin()

    async def run(self, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what a call returns, in the context of the task; raise what it raises.

        If the task is cancelled, its call is not made, unless it has begun.
        """
        if self._process != os.getpid():
            self._begin()  # a forked process has no threads of its parent
        work = partial(copy_context().run, call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """End the thread after the calls that wait; a later call begins another."""
        thread, is_own = self._thread, self._process == os.getpid()
        self._begin()
        if is_own:
            thread.shutdown()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._thread = ThreadPoolExecutor(1, "recollect-claims")  # begun by the first call
