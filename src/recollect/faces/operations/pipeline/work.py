"""The steps of the pipeline, and how an item goes from one to the next.

The rule: a step is executed under a lease, and its effect and the item's new state are one
transaction, so that every state is durable before the next step begins. A step that fails is
tried again three times, later each time; then the item is parked, and nothing of it was written.
Specification 004, sections 5 and 11.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Final, cast

from recollect.errors import INTERNAL_ERROR, VERSION_CONFLICT, RecollectError
from recollect.faces.operations import limits
from recollect.faces.operations.context import Policy
from recollect.faces.operations.outputs import State
from recollect.faces.operations.pipeline.clock import Clock, system_clock
from recollect.faces.operations.pipeline.embedding import VectorsInAdvance
from recollect.faces.operations.pipeline.extraction import checked_extraction
from recollect.faces.operations.pipeline.known import GroupKnowledge
from recollect.faces.operations.pipeline.ports import (
    Embedding,
    Episode,
    Extracted,
    Extractor,
    Refused,
    Rejected,
    Usage,
)
from recollect.faces.operations.pipeline.progress import Progress, moved
from recollect.faces.operations.pipeline.transition import Transition, Watcher, unwatched
from recollect.faces.operations.pipeline.upsert import write_extraction
from recollect.faces.operations.records import episode as shown_episode
from recollect.faces.operations.records import is_episode
from recollect.kernel import Nexus
from recollect.model import BEGINNING, FOREVER, Instant, WorkItem

_MOST_RETRY_SECONDS: Final = 3_600.0
_MILLISECONDS: Final = 1_000

_REACHED: Final[Mapping[str, State]] = {
    "accepted": "accepted",
    "extract_failed": "accepted",
    "extracted": "extracted",
    "embed_failed": "extracted",
    "embedded": "embedded",
    "upsert_failed": "embedded",
    "upserted": "upserted",
}
"""How far an item is that is in a state from which something is to be done."""

_STORE = "STORE_"  # the codes of what is wrong with the store begin so


def _always() -> bool:
    return True


class Work:
    """Executes steps, in this thread, one item at a time.

    `owner` names the holder of the leases. A thread that works at the same time as another
    needs a work of its own, which `named` gives.
    """

    def __init__(
        self,
        extractor: Extractor,
        *,
        embedding: Embedding | None = None,
        policy: Policy | None = None,
        clock: Clock = system_clock,
        lease_seconds: float = 30.0,
        watcher: Watcher = unwatched,
        owner: str | None = None,
    ) -> None:
        self.extractor = extractor
        self.owner = owner or str(uuid.uuid4())
        self.lease_seconds = lease_seconds
        self._embedding = embedding or VectorsInAdvance()
        self._policy = policy or Policy()
        self._clock = clock
        self._watcher = watcher
        self._round: list[str] = []  # groups whose turn is still to come

    def named(self, owner: str) -> Work:
        """Return the same work under another owner."""
        return Work(
            self.extractor,
            embedding=self._embedding,
            policy=self._policy,
            clock=self._clock,
            lease_seconds=self.lease_seconds,
            watcher=self._watcher,
            owner=owner,
        )

    def run_once(self, nexus: Nexus, may_go_on: Callable[[], bool] = _always) -> bool:
        """Work on the next due item of any group until it rests; whether there was one.

        Groups take turns. `may_go_on` is asked between steps: an item that is left there is
        taken up where it stands.
        """
        is_new_round = False
        while self._round or not is_new_round:
            if not self._round:
                self._round, is_new_round = nexus.queue.due_groups(self._clock()), True
                continue
            group = nexus.group(self._round.pop(0))
            item = group.queue.claim(self.owner, self._clock(), self.lease_end())
            if item is not None:
                self._work_on(group, item, may_go_on)
                return True
        return False

    def drain(self, nexus: Nexus) -> int:
        """Work until nothing is due now, and return how many items were worked on."""
        count = 0
        while self.run_once(nexus):
            count += 1
        return count

    def lease_end(self) -> Instant:
        """Return when a lease that begins or is renewed now runs out."""
        return Instant(self._clock() + int(self.lease_seconds * _MILLISECONDS))

    def _work_on(self, nexus: Nexus, item: WorkItem, may_go_on: Callable[[], bool]) -> None:
        try:
            while item.due_at <= self._clock():
                if not may_go_on():
                    nexus.queue.give_back(self.owner, item.item)
                    return
                item = self._step(nexus, item)
        except RecollectError as error:
            if error.code is not VERSION_CONFLICT:
                raise  # the lease runs out, and the item is taken up again

    def _step(self, nexus: Nexus, item: WorkItem) -> WorkItem:
        """Execute the step an item is at, and return the item as it then is, durably."""
        started, progress = time.perf_counter(), Progress.of(item)
        match _REACHED.get(item.state):
            case "accepted":
                settled = self._extract(nexus, item, progress)
            case "extracted":
                settled = self._embed(nexus, item, progress)
            case "embedded":
                settled = self._upsert(nexus, item, progress)
            case "upserted":
                settled = self._settle(nexus, moved(item, "completed", progress, FOREVER))
            case _:
                raise RecollectError(INTERNAL_ERROR, f'nothing is to be done in "{item.state}"')
        self._watch(nexus, settled, time.perf_counter() - started)
        return settled

    def _extract(self, nexus: Nexus, item: WorkItem, progress: Progress) -> WorkItem:
        found = self._asked(nexus, _episode(nexus, item), progress.rejected)
        usage = progress.usage.plus(found.usage)
        match found:
            case Extracted(extraction=extraction):
                known = Progress(extraction=extraction, usage=usage)
                return self._settle(nexus, moved(item, "extracted", known, BEGINNING))
            case Refused(reason=reason, answer=answer, retry_seconds=seconds):
                rejected = Rejected(reason, answer) if answer else progress.rejected
                failed = Progress(rejected=rejected, usage=usage, error=reason)
                return self._failed(nexus, item, "extract_failed", failed, seconds)

    def _asked(
        self, nexus: Nexus, episode: Episode, rejected: Rejected | None
    ) -> Extracted | Refused:
        """Return what the extractor found, checked whole, or that it failed, however it did."""
        usage = Usage()
        try:
            found = self.extractor.extract(episode, GroupKnowledge(nexus), rejected)
            if isinstance(found, Refused):
                return found
            usage = found.usage
            return Extracted(checked_extraction(found.extraction), usage)
        except Exception as error:  # noqa: BLE001 - anybody's code: it fails, the thread lives on
            return Refused(_reason(error), usage=usage)

    def _embed(self, nexus: Nexus, item: WorkItem, progress: Progress) -> WorkItem:
        try:
            if progress.extraction is not None and self._embedding.is_needed(nexus):
                self._embedding.prepare(nexus, progress.extraction)
        except Exception as error:  # noqa: BLE001 - anybody's code, as above
            failed = progress.failing(_reason(error))
            return self._failed(nexus, item, "embed_failed", failed)
        return self._settle(nexus, moved(item, "embedded", progress.failing(None), BEGINNING))

    def _upsert(self, nexus: Nexus, item: WorkItem, progress: Progress) -> WorkItem:
        episode = _episode(nexus, item)
        try:
            with nexus.transaction():
                if progress.extraction is not None:
                    write_extraction(nexus, self._policy, episode, progress.extraction)
                done = Progress(usage=progress.usage)
                return self._settle(nexus, moved(item, "upserted", done, BEGINNING))
        except Exception as error:  # an embedder may be asked here too, and is anybody's code
            if isinstance(error, RecollectError) and error.code is VERSION_CONFLICT:
                raise
            failed = progress.failing(_reason(error))
        return self._failed(nexus, item, "upsert_failed", failed)

    def _failed(
        self, nexus: Nexus, item: WorkItem, state: State, progress: Progress, seconds: float = 0.0
    ) -> WorkItem:
        """Let an item wait for its next attempt, or park it after the last."""
        attempts = item.attempts + 1
        if attempts > limits.RETRIES:
            return self._settle(nexus, moved(item, "parked", progress, FOREVER, attempts))
        wait = max(limits.BACKOFF_SECONDS[attempts - 1], min(seconds, _MOST_RETRY_SECONDS))
        due_at = Instant(self._clock() + int(wait * _MILLISECONDS))
        return self._settle(nexus, moved(item, state, progress, due_at, attempts))

    def _settle(self, nexus: Nexus, item: WorkItem) -> WorkItem:
        nexus.queue.settle(self.owner, item, self._clock(), self.lease_end())
        return item

    def _watch(self, nexus: Nexus, item: WorkItem, seconds: float) -> None:
        self._watcher(
            Transition(
                group=nexus.group_name,
                episode_uuid=item.item,
                state=cast(State, item.state),
                attempts=item.attempts,
                error=Progress.of(item).error,
                seconds=seconds,
            )
        )


def _episode(nexus: Nexus, item: WorkItem) -> Episode:
    """Return the episode of an item; KIP_3005 when it is deleted."""
    dated = nexus.look_up([item.item]).get(item.item)
    if dated is None or not is_episode(dated.element):
        raise RecollectError(VERSION_CONFLICT, f'the episode "{item.item}" is deleted')
    said = shown_episode(nexus.group_name, dated)
    return Episode(
        uuid=said["uuid"],
        source=said["source"],
        body=said["body"],
        reference_time=said["reference_time"],
        name=said["name"],
        source_description=said["source_description"],
    )


def _reason(error: Exception) -> str:
    """Return why a step failed; what is wrong with the store is no fault of the item."""
    if not isinstance(error, RecollectError):
        return f"{type(error).__name__}: {error}"
    if error.code.code.startswith(_STORE):
        raise error
    return f"{error.message}; {error.hint}" if error.hint else error.message
