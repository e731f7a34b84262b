"""Knowledge stores on a memory: in this process, or in a file.

The rule: all of them are one implementation over a Nexus. The memory is synchronous, so each call
runs in a thread while the event loop goes on: reads in any thread; writes, which wait for each
other anyway, in a single one, in the order in which they came and with what the last one used at
hand. The actor is passed along. A call inside a block of the memory, a transaction or a snapshot,
runs at once in the thread of the block, because it belongs to it. Claims to be written are checked
and copied when they are given, so later changes to them do not matter.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from os import PathLike
from pathlib import Path
from typing import ParamSpec, Self, TypeVar, Unpack

from recollect.closing import Closing
from recollect.errors import STORE_UNAVAILABLE
from recollect.faces.claims.attention import AttentionItem, AttentionQueue
from recollect.faces.claims.audit_log import LogSink
from recollect.faces.claims.checking import Checker, EvidenceReport
from recollect.faces.claims.feed import FeedEvent, events_after
from recollect.faces.claims.learning import log_supersession
from recollect.faces.claims.model import (
    Claim,
    ClaimEvent,
    EvidenceRef,
    Scope,
    acting_now,
    checked_claims,
    given_evidence,
)
from recollect.faces.claims.protocol import RankedStore
from recollect.faces.claims.records import (
    SUPERSEDED_BY,
    FilterArguments,
    Filters,
    claim_concept,
    claim_events,
    counted,
    listed,
    no_claim,
    one_claim,
    recalled,
)
from recollect.faces.claims.writing import Writer
from recollect.faces.kinds import open_memory
from recollect.kernel import Nexus, parse_address
from recollect.model import AsOf

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


Claims = list[Claim]
Scored = list[tuple[Claim, float]]
Events = list[ClaimEvent]
Evidence = list[EvidenceRef]
Ids = list[str]
Items = list[AttentionItem]
Feed = list[FeedEvent]
Reports = list[EvidenceReport]
"""Lists, since a store has a method of that name."""


class NexusKnowledgeStore(RankedStore):
    """Claims on one group of a memory; beside the protocol's five methods, more ways to read.

    `logger` gets an entry for each supersession, because a Branch has no verb for that.
    """

    def __init__(self, nexus: Nexus, *, logger: LogSink | None = None) -> None:
        self.nexus = nexus
        self.logger = logger
        self._writer = Writer(nexus)
        self._attention = AttentionQueue(nexus)
        self._writes = Lane()

    async def write_claims(self, claims: Sequence[Claim]) -> Ids:
        """Persist many claims in one transaction, all or none; return their ids."""
        return await self._write(self._writer.write, checked_claims(claims), acting_now())

    async def recall_scored(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: Sequence[str] | None = None,
        project: str | None = None,
        limit: int = 10,
        as_of: AsOf | None = None,
    ) -> Scored:
        """Return the claims a question is about, each with its score in 0..1."""
        filters = Filters(scope=scope, status=status, project=project)
        return await self._read(recalled, self.nexus, question, filters, limit, as_of)

    async def transition(
        self,
        claim_id: str,
        new_status: str,
        *,
        evidence: Evidence | None = None,
        reason: str | None = None,
        expected_status: str | None = None,
    ) -> None:
        """Move a claim through its lifecycle.

        NOT_FOUND for an unknown id; CONFLICT for a status that may not follow, and where the
        claim is not in `expected_status`.
        """
        await self._write(
            self._writer.transition,
            claim_id,
            new_status,
            given_evidence(evidence),
            reason,
            acting_now(),
            expected_status,
        )

    async def supersede(
        self, old_id: str, new_id: str, *, expected_status: str | None = None
    ) -> None:
        """Mark the old claim superseded by the new one, whose `supersedes` names it."""
        await log_supersession(self, old_id)
        await self._write(self._writer.supersede, old_id, new_id, acting_now(), expected_status)

    async def history(self, claim_id: str) -> Events:
        """Return what happened to a claim, oldest first; NOT_FOUND for an unknown id."""
        told = await self._read(claim_events, self.nexus, claim_id)
        return [one.event for one in told]

    async def get(self, claim_id: str) -> Claim | None:
        """Return a claim by id, if there is one."""
        return await self._read(one_claim, self.nexus, claim_id)

    async def list(
        self, *, limit: int = 50, after: str | None = None, **which: Unpack[FilterArguments]
    ) -> Claims:
        """Return claims, the newest first; `after` is the id of the last one of the page before.

        `show` keeps claims written during a show, `agent` those scoped to an agent, `artifact`
        those that cite one.
        """
        return await self._read(listed, self.nexus, Filters(**which), limit, after)

    async def count(self, **which: Unpack[FilterArguments]) -> int:
        """Return how many claims `list` has."""
        return await self._read(counted, self.nexus, Filters(**which))

    async def superseded_by(self, claim_id: str) -> str | None:
        """Return the id of the claim that took a claim's place, if one did."""
        concept = await self._read(claim_concept, self.nexus, claim_id)
        if concept is None:
            raise no_claim(claim_id)
        follower = concept.attributes.get(SUPERSEDED_BY)
        return follower if isinstance(follower, str) else None

    async def attention(self, *, aside: bool = False) -> Items:
        """Return what asks for attention, warnings first; with `aside` what was put aside too."""
        return await self._read(self._attention.items, aside=aside)

    async def dismiss(self, fingerprint: str) -> None:
        """Put an item of attention aside until its status or reason changes."""
        await self._write(self._attention.dismiss, fingerprint, acting_now())

    async def snooze(self, fingerprint: str, until: float | str) -> None:
        """Put an item of attention aside until a time after now, in seconds since 1970."""
        await self._write(self._attention.snooze, fingerprint, until, acting_now())

    async def record_rejection(self, text: str) -> str:
        """Record that a claim was refused for want of evidence; return its fingerprint."""
        return await self._write(self._attention.reject, text, acting_now())

    async def events(self, after: str = "0.0", limit: int = 100) -> Feed:
        """Return what happened to all claims after an event's id, oldest first."""
        return await self._read(events_after, self.nexus, after, limit)

    async def check(self, claim_id: str, checker: Checker | None = None) -> Reports:
        """Compare a claim's evidence with what it refers to; NOT_FOUND for an unknown id."""
        claim = await self.get(claim_id)
        if claim is None:
            raise no_claim(claim_id)
        return await self._read((checker or Checker()).check, self.nexus, claim)

    async def _read(self, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what a call returns that only reads."""
        if self.nexus.is_in_block:
            return call(*args, **kwargs)
        return await asyncio.to_thread(call, *args, **kwargs)

    async def _write(self, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what a call returns that writes."""
        if self.nexus.is_in_block:
            return call(*args, **kwargs)
        return await self._writes.run(call, *args, **kwargs)


class _OwnStore(NexusKnowledgeStore, Closing):
    """A store that opens a memory of its own, and closes it."""

    def close(self) -> None:
        """Close the memory; closing twice is the same as once. Writes that wait are refused."""
        self.nexus.close()
        self._writes.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)


class MemoryKnowledgeStore(_OwnStore):
    """Claims in this process, gone with it: for tests and short scripts."""

    def __init__(self, *, logger: LogSink | None = None) -> None:
        super().__init__(open_memory(":memory:"), logger=logger)


class SQLiteKnowledgeStore(_OwnStore):
    """Claims in a file, kept for other sessions; a missing file and its folders are made."""

    def __init__(
        self, path: str | PathLike[str], group: str = "default", *, logger: LogSink | None = None
    ) -> None:
        """Open the file; `~` is the user's home. STORE_UNAVAILABLE where none can be made."""
        named = parse_address(path).path
        place = ":memory:" if named is None else _with_folders(named)
        super().__init__(open_memory(place, group=group), logger=logger)


def _with_folders(path: Path) -> Path:
    """Return a path with `~` expanded, after making its folders."""
    try:
        file = path.expanduser()
        file.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise STORE_UNAVAILABLE.error(
            f"the folder of {path} cannot be made: {error}", "name a place where files may be made"
        ) from error
    return file
