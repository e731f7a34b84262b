"""The log of what was done with knowledge: one entry of twelve keys for each action.

The rule: an entry that cannot be written never stops the action; it becomes a warning.
Specification 002, audit trail integration.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal, Protocol, TypedDict

from recollect.faces.claims.model import Actor, Claim, EvidenceRef

_LOG: Final = logging.getLogger("recollect.claims")

Event = Literal["knowledge.learn", "knowledge.verify", "knowledge.dispute", "knowledge.supersede"]


class LogEntry(TypedDict):
    """What was done with a claim, on how much evidence, and by whom."""

    event: Event
    claim_id: str
    claim_status: str
    evidence_count: int
    evidence_kinds: list[str]
    scope_type: str | None
    scope_id: str | None
    actor_type: str
    actor_id: str | None
    branch_id: str
    session_id: str | None
    timestamp: float


class LogSink(Protocol):
    """What takes entries."""

    @property
    def warnings(self) -> list[str]:
        """What could not be logged, and why."""

    def log(self, entry: LogEntry) -> None:
        """Take one entry."""


class DataLogger:
    """Keeps entries in `entries`, hands each to a sink, and tells in `warnings` what failed.

    >>> logger = DataLogger(sink=lambda entry: print(entry["event"]))
    >>> logger.log(log_entry("knowledge.verify", "c", "verified", (), None, Actor("user", "ann")))
    knowledge.verify
    >>> [entry["actor_id"] for entry in logger.entries]
    ['ann']
    """

    def __init__(self, sink: Callable[[LogEntry], object] | None = None) -> None:
        self.entries: list[LogEntry] = []
        self.warnings: list[str] = []
        self._sink = sink

    def log(self, entry: LogEntry) -> None:
        """Keep an entry, and hand it on."""
        self.entries.append(entry)
        if self._sink is not None:
            self._sink(entry)


def log_entry(
    event: Event,
    claim_id: str,
    status: str,
    evidence: Sequence[EvidenceRef],
    claim: Claim | None,
    actor: Actor,
) -> LogEntry:
    """Return the entry of an action, with the evidence that was given for the action.

    `claim` gives the scope, if it is known.
    """
    return LogEntry(
        event=event,
        claim_id=claim_id,
        claim_status=status,
        evidence_count=len(evidence),
        evidence_kinds=[one.kind for one in evidence],
        scope_type=None if claim is None else claim.scope_type,
        scope_id=None if claim is None else claim.scope_id,
        actor_type=actor.actor_type,
        actor_id=actor.actor_id,
        branch_id=actor.branch_id or "",
        session_id=actor.session_id,
        timestamp=time.time(),
    )


def emit(sink: LogSink, entry: LogEntry) -> None:
    """Log an entry; what a sink raises becomes a warning."""
    try:
        sink.log(entry)
    except Exception as error:  # noqa: BLE001 - the sink is foreign, and never stops a write
        warn(sink, f"{entry['event']} of {entry['claim_id']} was not logged: {error!r}")


def warn(sink: LogSink, message: str) -> None:
    """Report a failure in the `warnings` of a sink, or in Python's log if it has none."""
    try:
        sink.warnings.append(message)
    except Exception:  # noqa: BLE001 - the sink is foreign, and never stops a write
        _LOG.warning(message)
