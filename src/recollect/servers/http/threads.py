"""The threads that the memory is worked on in, beside the one that speaks HTTP.

The rule: they are as many as were allowed. Who waits for one holds the bytes of a body and no more:
a body is read where it is worked on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ResultT = TypeVar("ResultT")


class Threads:
    """Runs what blocks; used from one event loop."""

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="recollect-http")

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Return what the work returns, when its turn has come."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Wait for what is running, and take nothing more."""
        self._pool.shutdown(wait=True)
