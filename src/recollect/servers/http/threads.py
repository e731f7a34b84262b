"""The threads that the memory is worked on in, beside the one that speaks HTTP.

The rule: they are as many as were allowed, and so are those who wait for one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from recollect.errors import UNAVAILABLE, RecollectError

ResultT = TypeVar("ResultT")


class Threads:
    """Runs what blocks; used from one event loop."""

    def __init__(self, count: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="recollect-http")
        self._most = count + waiting
        self._taken = 0

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Return what the work returns; UNAVAILABLE where too many wait already."""
        if self._taken >= self._most:
            raise RecollectError(
                UNAVAILABLE, f"{self._most} requests are waiting already", hint="try again later"
            )
        self._taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._taken -= 1

    def close(self) -> None:
        """Wait for what is running, and take nothing more."""
        self._pool.shutdown(wait=True)
