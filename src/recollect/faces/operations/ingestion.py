"""Where episodes go once they are accepted: the seam between the operations and the pipeline.

The rule: what was accepted is durable before the caller hears of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.faces.operations.episodes import EpisodeDraft
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


class Replays(Protocol):
    """Remembers the answers that were given under idempotency keys, by group and operation."""

    def once(
        self, nexus: Nexus, operation: str, key: str, payload: bytes, run: Callable[[], Answered]
    ) -> Answered:
        """Run and remember, or return what the first call with the same payload was answered.

        `payload` is a hash of the input. CONFLICT for another payload under the same key.
        """
