"""What logs and metrics learn about every operation. Specification 004, section 14."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.faces.operations.outputs import Status


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
