"""One claim as a page shows it, and as one line. Specification 002, claim rendering.

The rule: what a claim is called, how grave that is, and what came after it are told of one moment.
A line says the status first, then what one would ask about that status.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from typing_extensions import TypedDict

from recollect.faces.claims.evidence import strongest
from recollect.faces.claims.model import Claim, ClaimEvent
from recollect.faces.claims.reading import claim_concept, claim_events
from recollect.faces.claims.records import SUPERSEDED_BY
from recollect.faces.claims.validation import DISPUTED, SUPERSEDED, USER_KINDS, VERIFIED
from recollect.kernel import Nexus
from recollect.model import AsOf

_SEPARATOR = " · "


def claim_line(
    claim: Claim, events: Sequence[ClaimEvent] = (), superseded_by: str | None = None
) -> str:
    """Return a claim's standing as one line; its `events` tell who verified or disputed it.

    >>> from recollect.faces.claims.evidence import from_tool_result
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
