"""Branches and sessions that learn: the store is configured once, and every branch has it.

The rule: a branch works on any store of exactly the five methods, and calls them with their
specified arguments only; who acts goes beside them. What a store can do more is used where it is
there. Specification 002, Branch integration.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable
from uuid import uuid4

from recollect.errors import RecollectError
from recollect.faces.claims.acting import Actor, acting
from recollect.faces.claims.audit_log import DataLogger, Event, emit, log_entry
from recollect.faces.claims.model import Claim, EvidenceRef, Scope, given_evidence
from recollect.faces.claims.protocol import KnowledgeStore, NullKnowledgeStore
from recollect.faces.claims.validation import checked_limit, optional_text
from recollect.faces.claims.words import ACTIVE, DISPUTED, VERIFIED

_WIDER: Final = 4  # times as many are asked for where others are left out afterwards


@runtime_checkable
class Recalling(Protocol):
    """A store that recalls with scores, of one project if asked."""

    async def recall_scored(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: Sequence[str] | None = None,
        project: str | None = None,
        limit: int = 10,
    ) -> list[tuple[Claim, float]]:
        """Return claims with their scores."""


@runtime_checkable
class Getting(Protocol):
    """A store that has claims by id."""

    async def get(self, claim_id: str) -> Claim | None:
        """Return a claim."""


@runtime_checkable
class Rejecting(Protocol):
    """A store that remembers what it did not take."""

    async def record_rejection(self, text: str) -> str:
        """Record a claim without evidence."""


class Branch:
    """One line of an agent's work: it learns, recalls, verifies and disputes.

    A branch without a store keeps nothing and finds nothing. `actor` is who acts: an agent's id,
    or an `Actor` of another type; `run` and `show` are what it takes part in. With a project, or
    a scope, it recalls what is of that alone, unless it is told to widen.
    """

    def __init__(
        self,
        system: str | None = None,
        *,
        knowledge_store: KnowledgeStore | None = None,
        session_id: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        actor: Actor | str | None = None,
        run: str | None = None,
        show: str | None = None,
        logger: DataLogger | None = None,
    ) -> None:
        self.id = str(uuid4())
        self.system = system
        self.project = optional_text(project, "project")
        self.scope = scope or (None if project is None else Scope("project", project))
        self.logger = DataLogger() if logger is None else logger
        # A store may count as false, for example one with a length that is empty.
        self._knowledge_store: KnowledgeStore = (
            NullKnowledgeStore() if knowledge_store is None else knowledge_store
        )
        self._session_id = session_id
        given = Actor("agent", actor) if isinstance(actor, str) else actor or Actor("agent")
        self._actor = Actor(
            given.actor_type,
            given.actor_id,
            session_id,
            self.id,
            run or given.run_id,
            show or given.show_id,
        )

    async def learn(
        self,
        claim: str,
        evidence: list[EvidenceRef],
        *,
        status: str = "observed",
        confidence: float = 1.0,
        domain: str | None = None,
        tags: list[str] | None = None,
        scope: Scope | None = None,
    ) -> str | None:
        """Record a learned fact with evidence and return its id; None where nothing is kept.

        ValueError without evidence. `scope` is the branch's own when not given.
        """
        about = scope or self.scope
        try:
            learned = Claim(
                text=claim,
                evidence=evidence,
                claim_status=status,
                confidence=confidence,
                project=self.project,
                scope_type=None if about is None else about.scope_type,
                scope_id=None if about is None else about.scope_id,
                session_id=self._session_id,
                branch_id=self.id,
                actor_type=self._actor.actor_type,
                actor_id=self._actor.actor_id,
                created_at=time.time(),
                domain=domain,
                tags=tags or [],
            )
        except ValueError:
            await self._record_rejection(claim)
            raise
        self._log("knowledge.learn", learned.id, status, learned.evidence, learned)
        with acting(self._actor):
            return await self._knowledge_store.write_claim(learned)

    async def recall(
        self,
        question: str,
        *,
        limit: int = 5,
        status: list[str] | None = None,
        scope: Scope | None = None,
        widen: bool = False,
    ) -> list[Claim]:
        """Return the claims a question is about: observed, inferred and verified ones.

        Pass status=["disputed"] to include contested knowledge. Only what is of the branch's
        scope and project is found, or of `scope`; `widen` looks everywhere.
        """
        checked_limit(limit)
        status = list(ACTIVE) if status is None else status
        about = scope or (None if widen else self.scope)
        project = None if widen else self.project
        store = self._knowledge_store
        with acting(self._actor):
            if project is None or about == Scope("project", project):
                return await store.query(question, scope=about, status=status, limit=limit)
            if isinstance(store, Recalling):
                found = await store.recall_scored(
                    question, scope=about, status=status, project=project, limit=limit
                )
                return [claim for claim, _ in found]
            claims = await store.query(question, scope=about, status=status, limit=_WIDER * limit)
        return [claim for claim in claims if claim.project == project][:limit]

    async def verify(self, claim_id: str, evidence: list[EvidenceRef] | None = None) -> None:
        """Upgrade a claim to verified status."""
        given = given_evidence(evidence)
        await self._log_transition("knowledge.verify", claim_id, VERIFIED, given)
        with acting(self._actor):
            await self._knowledge_store.transition(claim_id, VERIFIED, evidence=evidence)

    async def dispute(
        self, claim_id: str, reason: str, evidence: list[EvidenceRef] | None = None
    ) -> None:
        """Mark a claim as disputed with reason."""
        given = given_evidence(evidence)
        await self._log_transition("knowledge.dispute", claim_id, DISPUTED, given)
        with acting(self._actor):
            await self._knowledge_store.transition(
                claim_id, DISPUTED, evidence=evidence, reason=reason
            )

    async def _log_transition(
        self, event: Event, claim_id: str, status: str, evidence: Sequence[EvidenceRef]
    ) -> None:
        store = self._knowledge_store
        claim = None
        if isinstance(store, Getting):
            try:
                claim = await store.get(claim_id)
            except RecollectError as error:  # the transition itself tells the caller
                self.logger.warnings.append(f"the scope of {claim_id} is not known: {error}")
        self._log(event, claim_id, status, evidence, claim)

    def _log(
        self,
        event: Event,
        claim_id: str,
        status: str,
        evidence: Sequence[EvidenceRef],
        claim: Claim | None,
    ) -> None:
        if not isinstance(self._knowledge_store, NullKnowledgeStore):
            emit(self.logger, log_entry(event, claim_id, status, evidence, claim, self._actor))

    async def _record_rejection(self, text: str) -> None:
        """Let a store that can remember that a claim was refused; a failure is a warning."""
        store = self._knowledge_store
        if not isinstance(store, Rejecting):
            return
        try:
            with acting(self._actor):
                await store.record_rejection(text)
        except RecollectError as error:
            self.logger.warnings.append(f"the refused claim was not recorded: {error}")


class Session:
    """Branches that share a knowledge store, a project and a log."""

    def __init__(
        self,
        *,
        knowledge_store: KnowledgeStore | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        actor: Actor | str | None = None,
        run: str | None = None,
        show: str | None = None,
        logger: DataLogger | None = None,
    ) -> None:
        self.id = str(uuid4())
        self.project = project
        self.scope = scope
        self.actor = actor
        self.run = run
        self.show = show
        self.logger = logger
        self.branches: list[Branch] = []
        self._knowledge_store: KnowledgeStore = (
            NullKnowledgeStore() if knowledge_store is None else knowledge_store
        )

    def new_branch(
        self,
        system: str | None = None,
        *,
        knowledge_store: KnowledgeStore | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        actor: Actor | str | None = None,
        run: str | None = None,
        show: str | None = None,
        logger: DataLogger | None = None,
    ) -> Branch:
        """Return a new branch with what the session has, but for what is given here."""
        branch = Branch(
            system,
            knowledge_store=(self._knowledge_store if knowledge_store is None else knowledge_store),
            session_id=self.id,
            project=self.project if project is None else project,
            scope=self.scope if scope is None else scope,
            actor=self.actor if actor is None else actor,
            run=self.run if run is None else run,
            show=self.show if show is None else show,
            logger=self.logger if logger is None else logger,
        )
        self.branches.append(branch)
        return branch
