"""The claim that the description of the server shows: that of the specification's own example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CLAIM: Final[Mapping[str, object]] = {
    "id": "5f0c7f2a",
    "text": "payments-service uses the saga pattern, not 2PC",
    "evidence": [{"kind": "file", "path": "src/payments/saga.py", "repo": "acme/payments"}],
    "claim_status": "observed",
    "confidence": 0.9,
    "scope_type": "repo",
    "scope_id": "github.com/acme/payments",
    "tags": ["architecture"],
}
