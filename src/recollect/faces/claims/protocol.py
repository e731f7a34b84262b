"""What a knowledge store is: five async methods. Specification 002, the Knowledge Protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from recollect.faces.claims.model import Claim, ClaimEvent, EvidenceRef, Scope


@runtime_checkable
class KnowledgeStore(Protocol):
    """Minimal protocol for durable knowledge persistence."""

    async def write_claim(self, claim: Claim) -> str | None:
        """Persist a claim and return its id; None where nothing is kept."""

    async def query(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: list[str] | None = None,
        limit: int = 10,
    ) -> list[Claim]:
        """Return the claims a question is about, best first."""

    async def transition(
        self,
        claim_id: str,
        new_status: str,
        *,
        evidence: list[EvidenceRef] | None = None,
        reason: str | None = None,
    ) -> None:
        """Move a claim through its lifecycle."""

    async def supersede(self, old_id: str, new_id: str) -> None:
        """Mark the old claim superseded by the new one."""

    async def history(self, claim_id: str) -> list[ClaimEvent]:
        """Return what happened to a claim, oldest first."""


class RankedStore(ABC):
    """A store that writes many claims at once and scores what it recalls.

    The protocol itself has only the calls for one claim and for claims without scores.
    """

    @abstractmethod
    async def write_claims(self, claims: Sequence[Claim]) -> list[str]:
        """Persist many claims in one transaction, all or none; return their ids."""

    @abstractmethod
    async def recall_scored(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: Sequence[str] | None = None,
        project: str | None = None,
        limit: int = 10,
    ) -> list[tuple[Claim, float]]:
        """Return the claims a question is about, of a project if asked, with scores in 0..1."""

    async def write_claim(self, claim: Claim) -> str:
        """Persist a claim and return its id; the same again changes nothing.

        CONFLICT when another claim has the id. `supersedes` is kept and transitions nothing.
        """
        (claim_id,) = await self.write_claims([claim])
        return claim_id

    async def query(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: list[str] | None = None,
        limit: int = 10,
    ) -> list[Claim]:
        """Return the claims a question is about, best first, ties by id.

        None filters nothing; a blank question is about the newest, of one instant the last
        written first. Scopes are exact.
        """
        found = await self.recall_scored(question, scope=scope, status=status, limit=limit)
        return [claim for claim, _ in found]


class NullKnowledgeStore:
    """Keeps nothing and finds nothing: what a Branch has until it is given a store."""

    async def write_claim(self, claim: Claim) -> str | None:
        """Keep nothing."""
        del claim
        return None

    async def query(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: list[str] | None = None,
        limit: int = 10,
    ) -> list[Claim]:
        """Find nothing."""
        del question, scope, status, limit
        return []

    async def transition(
        self,
        claim_id: str,
        new_status: str,
        *,
        evidence: list[EvidenceRef] | None = None,
        reason: str | None = None,
    ) -> None:
        """Change nothing."""
        del claim_id, new_status, evidence, reason

    async def supersede(self, old_id: str, new_id: str) -> None:
        """Change nothing."""
        del old_id, new_id

    async def history(self, claim_id: str) -> list[ClaimEvent]:
        """Know nothing."""
        del claim_id
        return []
