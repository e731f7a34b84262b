"""Where episodes go once they are accepted: the seam between the operations and the pipeline.

The rule: what was accepted is durable before the caller hears of it. `EpisodesOnly` keeps the
episodes and learns nothing from them, and says so when asked for a receipt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from recollect.errors import UNAVAILABLE, RecollectError
from recollect.faces.operations.episodes import EpisodeDraft, keep_episodes
from recollect.faces.operations.naming import receipt_uuid
from recollect.faces.operations.outputs import Answered, Item
from recollect.kernel import Nexus


@dataclass(frozen=True, slots=True)
class Progressed:
    """Where the items of one receipt stand, in the order they were given."""

    items: tuple[Item, ...]


class Ingestion(Protocol):
    """Takes episodes in and learns from them; every call is about the one group of `nexus`."""

    def accept(self, nexus: Nexus, episodes: Sequence[EpisodeDraft], *, request_id: str) -> str:
        """Keep the episodes, all or none, to be learnt from; return the id of a receipt.

        CONFLICT for an episode whose uuid has another payload; a replay is taken in once.
        """

    def receipt(self, nexus: Nexus, receipt_id: str) -> Progressed | None:
        """Return where the items of a receipt stand; None for one that was never given."""

    def parked(self, nexus: Nexus) -> Sequence[Item]:
        """Return the parked items of the group, in the order they were accepted."""

    def retry(self, nexus: Nexus, episode_uuids: Sequence[str] | None) -> int:
        """Let parked items be tried again, all or those of some episodes; return how many."""

    def forget_episode(self, nexus: Nexus, episode_uuid: str) -> None:
        """Drop what waits for an episode that is deleted."""

    def forget_group(self, nexus: Nexus) -> None:
        """Drop the queue, the receipts and the keys of a group that is deleted."""


class Replays(Protocol):
    """Remembers the answers that were given under idempotency keys, by group and operation."""

    def once(
        self, nexus: Nexus, operation: str, key: str, payload: bytes, run: Callable[[], Answered]
    ) -> Answered:
        """Run and remember, or return what the first call with the same payload was answered.

        `payload` is a hash of the input. CONFLICT for another payload under the same key.
        """


class EpisodesOnly:
    """An ingestion that keeps episodes and extracts nothing: for a memory without a worker."""

    def accept(self, nexus: Nexus, episodes: Sequence[EpisodeDraft], *, request_id: str) -> str:
        """Keep the episodes."""
        uuids = keep_episodes(nexus, episodes, request_id=request_id)
        return receipt_uuid(nexus.group_name, *uuids)

    def receipt(self, nexus: Nexus, receipt_id: str) -> Progressed | None:
        """Raise UNAVAILABLE: nothing works on the items."""
        del nexus, receipt_id
        _no_pipeline()

    def parked(self, nexus: Nexus) -> Sequence[Item]:
        """Raise UNAVAILABLE: nothing works on the items."""
        del nexus
        _no_pipeline()

    def retry(self, nexus: Nexus, episode_uuids: Sequence[str] | None) -> int:
        """Raise UNAVAILABLE: nothing works on the items."""
        del nexus, episode_uuids
        _no_pipeline()

    def forget_episode(self, nexus: Nexus, episode_uuid: str) -> None:
        """Do nothing: nothing waits."""

    def forget_group(self, nexus: Nexus) -> None:
        """Do nothing: nothing waits."""


def _no_pipeline() -> NoReturn:
    raise RecollectError(
        UNAVAILABLE,
        "this service keeps episodes and learns nothing from them, so no item has a state",
        hint="give the service an ingestion that works on them",
    )
