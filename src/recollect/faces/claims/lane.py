"""One thread for all that a store writes.

The rule: writes wait for each other anyway, so they wait for one thread, in the order they came,
and those who read have the others to themselves. What a thread used for the last write, the next
one finds at hand.
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

    >>> asyncio.run(Lane().run(max, 1, 2))
    2
    """

    def __init__(self) -> None:
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0

    async def run(self, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what a call returns, in the context of the task; raise what it raises."""
        work = partial(copy_context().run, call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._thread(), work)

    def _thread(self) -> ThreadPoolExecutor:
        """Return the thread; a forked process has none of its parent's and begins its own."""
        if self._executor is None or self._process != os.getpid():
            self._executor = ThreadPoolExecutor(1, "recollect-claims")
            self._process = os.getpid()
        return self._executor
