"""Evidence compared in the stores that are here, and what is found."""

from __future__ import annotations

import hashlib

import pytest
from tests.faces.claims.conftest import Wait, claim

from recollect.faces.claims import Checker, EvidenceRef, NexusKnowledgeStore

Store = NexusKnowledgeStore
HERE = pytest.mark.parametrize("store", ["memory", "sqlite"], indirect=True)
TEXT = b"def compensate(): ...\n"
HASH = hashlib.sha256(TEXT).hexdigest()


def outcomes(store: Store, wait: Wait, checker: Checker, *evidence: EvidenceRef) -> list[str]:
    """Return what is found of each piece of evidence of a claim, which changes nothing."""
    wait(store.write_claim(claim(id="c", evidence=[*evidence])))
    before = store.nexus.stats().transactions
    reports = wait(store.check("c", checker))
    assert [one.evidence for one in reports] == [*evidence]
    assert all(one.message for one in reports)
    assert store.nexus.stats().transactions == before
    return [one.outcome for one in reports]
