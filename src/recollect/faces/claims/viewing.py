"""One claim as a page shows it. Specification 002, claim rendering.

The rule: what a claim is called, how grave that is, and what came after it are told of one moment.
"""

from __future__ import annotations

from typing_extensions import TypedDict

from recollect.faces.claims.model import Claim
from recollect.faces.claims.past import claim_events
from recollect.faces.claims.reading import claim_concept
from recollect.faces.claims.records import SUPERSEDED_BY
from recollect.faces.claims.rendering import claim_line
from recollect.kernel import Nexus
from recollect.model import AsOf


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
