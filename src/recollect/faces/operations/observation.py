"""What logs and metrics learn about every operation and every step of the pipeline.

Specification 004, section 14.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.faces.operations.outputs import State, Status
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Observation:
    """One operation that has ended."""

    operation: str
    request_id: str
    groups: tuple[str, ...]
    status: Status
    error_code: str | None
    seconds: float
    accepted: int = 0  # episodes and messages taken in
    cause: str | None = None  # the code of the underlying error, if it is a different one
    embedding_failures: int = 0  # searches and writes that went on without vectors


@dataclass(slots=True)
class Tally:
    """What is counted while one operation runs."""

    embedding_failures: int = 0


Observer = Callable[[Observation], None]


def unobserved(observation: Observation) -> None:
    """Do nothing."""
    del observation


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
