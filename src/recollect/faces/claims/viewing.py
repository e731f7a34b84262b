"""One claim as a page shows it, and as one line. Specification 002, claim rendering.

The rule: what a claim is called, how grave that is, and what came after it are told of one moment.
A line says the status first, then what one would ask about that status.

The eight ways to name evidence: `from_x` makes an EvidenceRef of the kind `x`.

From the strongest to the weakest: file and artifact, tool result and human assertion, url,
message and user statement, model inference.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from typing_extensions import TypedDict

from recollect.faces.claims.model import (
    DISPUTED,
    SUPERSEDED,
    USER_KINDS,
    VERIFIED,
    Claim,
    ClaimEvent,
    EvidenceRef,
    Kind,
)
from recollect.faces.claims.records import SUPERSEDED_BY, claim_concept, claim_events
from recollect.kernel import Nexus
from recollect.model import AsOf

STRENGTH: Final[dict[Kind, int]] = {
    "file": 0,
    "artifact": 0,
    "tool_result": 1,
    "human_assertion": 1,
    "url": 2,
    "message": 3,
    "user_statement": 3,
    "model_inference": 4,
}
"""The rank of each kind, the strongest lowest."""


def from_message(session_id: str, message_id: str, quote: str | None = None) -> EvidenceRef:
    """Evidence from a chat message. The `quote` becomes EvidenceRef.detail."""
    return EvidenceRef(kind="message", session_id=session_id, message_id=message_id, detail=quote)


def from_tool_result(tool_call_id: str, summary: str | None = None) -> EvidenceRef:
    """Evidence from a tool execution result. The `summary` becomes EvidenceRef.detail."""
    return EvidenceRef(kind="tool_result", tool_call_id=tool_call_id, detail=summary)


def from_user_statement(session_id: str, message_id: str) -> EvidenceRef:
    """Evidence from an explicit user statement."""
    return EvidenceRef(kind="user_statement", session_id=session_id, message_id=message_id)


def from_artifact(artifact_id: str, path: str | None = None) -> EvidenceRef:
    """Evidence from a produced artifact (file, report, output)."""
    return EvidenceRef(kind="artifact", artifact_id=artifact_id, path=path)


def from_file(path: str, repo: str | None = None, commit: str | None = None) -> EvidenceRef:
    """Evidence from a file on disk or in a repo."""
    return EvidenceRef(kind="file", path=path, repo=repo, commit_sha=commit)


def from_url(
    url: str, fetched_at: float | None = None, content_hash: str | None = None
) -> EvidenceRef:
    """Evidence from a web resource."""
    return EvidenceRef(kind="url", url=url, fetched_at=fetched_at, content_hash=content_hash)


def from_model_inference(session_id: str, message_id: str, rationale: str) -> EvidenceRef:
    """Evidence from model reasoning: the weakest kind, so be honest about confidence."""
    return EvidenceRef(
        kind="model_inference", session_id=session_id, message_id=message_id, detail=rationale
    )


def from_human_assertion(
    user_id: str, asserted_at: float, detail: str | None = None
) -> EvidenceRef:
    """Evidence from a human's external assertion, such as "I verified this manually"."""
    return EvidenceRef(kind="human_assertion", id=user_id, fetched_at=asserted_at, detail=detail)


def strongest(evidence: list[EvidenceRef]) -> EvidenceRef | None:
    """Return the strongest reference, the first of equals.

    >>> strongest([from_url("https://example.org"), from_file("a.py")]).kind
    'file'
    """
    return min(evidence, key=lambda one: STRENGTH[one.kind], default=None)


_SEPARATOR = " · "


def claim_line(
    claim: Claim, events: Sequence[ClaimEvent] = (), superseded_by: str | None = None
) -> str:
    """Return a claim's standing as one line; its `events` tell who verified or disputed it.

    >>> from recollect.faces.claims.viewing import from_tool_result
    >>> claim_line(Claim("the build is green", [from_tool_result("t1")], confidence=0.9))
    'observed · confidence 0.9 · from tool_result'
    """
    last = events[-1] if events else None
    parts = [claim.claim_status]
    match claim.claim_status:
        case "disputed":
            if last is not None and last.to_status == DISPUTED:
                # What a claim was written with supports it, whatever its status was then.
                count = len(last.evidence) if last.event == DISPUTED else 0
                parts.append(f"{count} conflicting evidence ref{'' if count == 1 else 's'}")
        case "verified":
            if last is not None and last.to_status == VERIFIED:
                parts += [f"by {who(last)}", _date(last.at)]
        case "superseded":
            if superseded_by is not None:
                parts.append(f"by {superseded_by}")
            elif last is not None and last.to_status == SUPERSEDED:
                parts.append(_date(last.at))
        case _:
            parts.append(f"confidence {claim.confidence:g}")
            best = strongest(claim.evidence)
            if best is not None:
                parts.append(f"from {best.kind}")
    return _SEPARATOR.join(parts)


def who(event: ClaimEvent) -> str:
    """Return whose decision an event was: a user's, where a user acted or gave the evidence."""
    if any(one.kind in USER_KINDS for one in event.evidence):
        return "user"
    return event.actor_type


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


class ClaimView(TypedDict):
    claim: Claim
    line: str
    severity: str
    tone: str
    superseded_by: str | None


def viewed(nexus: Nexus, claim: Claim, as_of: AsOf | None = None) -> ClaimView:
    """Return a claim that was read as of a moment as it is shown. Cost: a read of its history."""
    concept = claim_concept(nexus, claim.id, as_of)
    follower = None if concept is None else concept.attributes.get(SUPERSEDED_BY)
    superseded_by = follower if isinstance(follower, str) else None
    events = [one.event for one in claim_events(nexus, claim.id, as_of)]
    severity, tone = derive_claim_severity(claim)
    line = claim_line(claim, events, superseded_by)
    return ClaimView(
        claim=claim, line=line, severity=severity, tone=tone, superseded_by=superseded_by
    )


def derive_claim_severity(claim: Claim) -> tuple[str, str]:
    """Return (severity, tone) for a knowledge claim."""
    match claim.claim_status:
        case "disputed":
            return ("warning", "warning")
        case "hypothesis" if claim.confidence < 0.5:
            return ("warning", "warning")
        case "observed" | "inferred":
            return ("info", "info")
        case "hypothesis":
            return ("info", "neutral")
        case "verified":
            return ("neutral", "success")
        case _:
            return ("neutral", "neutral")
