"""Which status may follow which. Specification 002, claim lifecycle.

The rule: a step that is not in the table is refused, and the error names those allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.errors import CONFLICT, Hint, ToDo
from recollect.faces.claims.model import (
    DISPUTED,
    HYPOTHESIS,
    INFERRED,
    OBSERVED,
    STATUSES,
    SUPERSEDED,
    VERIFIED,
    known_word,
)

TRANSITIONS: Final[Mapping[str, tuple[str, ...]]] = {
    OBSERVED: (VERIFIED, DISPUTED, SUPERSEDED),
    INFERRED: (VERIFIED, DISPUTED, SUPERSEDED),
    HYPOTHESIS: (OBSERVED, DISPUTED, SUPERSEDED),
    VERIFIED: (DISPUTED, SUPERSEDED),
    DISPUTED: (VERIFIED, SUPERSEDED),
    SUPERSEDED: (),
}
"""The statuses that may follow each."""


def check_transition(claim_id: str, status: str, new_status: str) -> None:
    """Raise CONFLICT for a status that may not follow another."""
    allowed = TRANSITIONS[status]
    if new_status in allowed:
        return
    raise CONFLICT.error(
        f'the claim "{claim_id}" is {status}, which cannot become {new_status}',
        Hint(f"it may become {' or '.join(allowed)}", ToDo.MOVE_CLAIM, *allowed)
        if allowed
        else "write a new claim",
        known=allowed,
        details={"claim_id": claim_id, "claim_status": status, "allowed": list(allowed)},
    )


def check_expected(claim_id: str, status: str, expected: str | None) -> None:
    """Raise CONFLICT for a claim that is not in the status its caller has seen."""
    if expected is None or known_word(expected, STATUSES, "expected_status") == status:
        return
    raise CONFLICT.error(
        f'the claim "{claim_id}" is {status}, not {expected}',
        "read it again, then decide",
        details={"claim_id": claim_id, "claim_status": status, "expected_status": expected},
    )
