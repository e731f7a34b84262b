"""What logs and metrics learn about every step of the pipeline: section 14."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.faces.operations.outputs import State


@dataclass(frozen=True, slots=True)
class Transition:
    """An item that is in a new state, durably."""

    group: str
    episode_uuid: str
    state: State
    failed: State | None  # the failure substate of the step, also of the last before parking
    attempts: int
    error: str | None
    seconds: float  # that the step took, an equal share of those who took it together


Watcher = Callable[[Transition], None]


def unwatched(transition: Transition) -> None:
    """Do nothing."""
    del transition
