"""Whether the log of a group has gone on: one look for all who wait for that.

The rule: who waits joins the look that comes next, so a process asks the store as often for one
listener as for a thousand, and not at all where nobody listens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from recollect.kernel import Nexus

PAUSE_SECONDS: Final = 0.2  # between two looks

Numbers = Mapping[str, int]
"""The last transaction of each group that somebody listens to."""


class Run(Protocol):
    """What runs work of the memory in a thread of its own."""

    def __call__(self, work: Callable[[], Numbers], /) -> Awaitable[Numbers]:
        """Return what the work returns."""


class Looks:
    """The looks of one process; used from its event loop alone."""

    def __init__(self, run: Run, ending: asyncio.Event) -> None:
        self._run = run
        self._ending = ending
        self._wanted: set[str] = set()
        self._next: asyncio.Task[Numbers] | None = None

    async def next(self, nexus: Nexus) -> Numbers:
        """Return what the next look finds of the group, and of those that others wait for.

        It begins after a pause, or when the server ends. Errors are those of a read.
        """
        self._wanted.add(nexus.group_name)
        if self._next is None:
            self._next = asyncio.create_task(self._looked(nexus))
        return await asyncio.shield(self._next)

    async def _looked(self, nexus: Nexus) -> Numbers:
        try:
            async with asyncio.timeout(PAUSE_SECONDS):
                await self._ending.wait()
        except TimeoutError:
            pass
        wanted, self._wanted, self._next = self._wanted, set(), None
        return await self._run(lambda: nexus.elements.last_transactions(wanted))
