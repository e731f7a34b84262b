"""How much attention a claim deserves. Specification 002, claim severity derivation."""

from __future__ import annotations

from recollect.faces.claims.model import Claim


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
