"""The pipeline as the operations see it: what is accepted, how far it is, what was given up.

The rule: an episode, its place in the queue and its receipt are there together or not at all. What
the first call under an idempotency key was answered, later ones are answered too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from recollect.faces.operations import limits
from recollect.faces.operations.context import Progressed
from recollect.faces.operations.episodes import EpisodeDraft, keep_episodes
from recollect.faces.operations.naming import receipt_uuid
from recollect.faces.operations.outputs import Answered, Item, State
from recollect.faces.operations.pipeline.ports import Clock, system_clock
from recollect.faces.operations.pipeline.progress import Progress, moved, shown
from recollect.kernel import Nexus
from recollect.model import BEGINNING, Instant, Value, WorkItem


class KeptReplays:
    """Keeps answers in the memory itself, in the transaction of the call; implements `Replays`."""

    def __init__(self, clock: Clock = system_clock) -> None:
        self._clock = clock

    def once(
        self, nexus: Nexus, operation: str, key: str, payload: bytes, run: Callable[[], Answered]
    ) -> Answered:
        """Run and remember, or return what the first call with the same payload was answered.

        A call that fails is not remembered, nor one that erases. CONFLICT for another payload
        under the same key.
        """
        with nexus.transaction():
            now = self._clock()
            kept = nexus.answers.find(operation, key, payload, now)
            if kept is not None:
                return cast(Answered, tuple(cast("list[Value]", kept.answer)))
            before = nexus.answers.standing()
            status, output = run()
            answer: Value = [status, cast("dict[str, Value]", dict(output))]
            until = Instant(now + limits.KEY_SECONDS * 1_000)
            nexus.answers.keep(operation, key, payload, answer, now=now, until=until, after=before)
        return status, output


ACCEPTED: State = "accepted"
PARKED: State = "parked"


class Pipeline:
    """Takes episodes into the durable queue of a memory; implements `Ingestion`.

    Whoever works on them may be in another thread or another process. `wake` is called whenever
    something to do has been committed, also where the call is a part of a larger transaction.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def accept(
        self,
        nexus: Nexus,
        episodes: Sequence[EpisodeDraft],
        *,
        request_id: str,
        actor: str | None = None,
    ) -> str:
        """Keep the episodes and queue those that are not queued; return the id of a receipt."""
        with nexus.transaction():
            uuids = keep_episodes(nexus, episodes, request_id, actor)
            receipt = receipt_uuid(nexus.group_name, *uuids)
            nexus.queue.put(uuids, ACCEPTED, receipt, then=self._wake)
        return receipt

    def receipt(self, nexus: Nexus, receipt_id: str) -> Progressed | None:
        """Return where the items of a receipt stand; None where all are deleted."""
        items = nexus.queue.receipt(receipt_id)
        return Progressed(tuple(shown(one) for one in items)) if items else None

    def parked(self, nexus: Nexus) -> Sequence[Item]:
        """Return the parked items of the group, in the order they were accepted."""
        return [shown(one) for one in nexus.queue.in_state(PARKED)]

    def retry(self, nexus: Nexus, episode_uuids: Sequence[str] | None) -> int:
        """Let parked items be tried again from the step that failed; return how many."""
        with nexus.transaction():
            parked = nexus.queue.in_state(PARKED)
            wanted = None if episode_uuids is None else set(episode_uuids)
            again = [_again(one) for one in parked if wanted is None or one.item in wanted]
            nexus.queue.again(again, then=self._wake)
        return len(again)


def _again(item: WorkItem) -> WorkItem:
    kept = Progress.of(item)
    progress = Progress(extraction=kept.extraction, rejected=kept.rejected, usage=kept.usage)
    state: State = ACCEPTED if kept.extraction is None else "extracted"
    return moved(item, state, progress, BEGINNING)
