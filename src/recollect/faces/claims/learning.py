"""What every branch does with knowledge, in any framework: four methods on a store.

The rule: a branch works on any store of exactly the five methods, and calls them with their
specified arguments only; who acts goes beside them. Anything more that a store offers is used if it
is there. Specification 002, Branch integration.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from inspect import iscoroutinefunction
from typing import Any, Final, Protocol, TypedDict, Unpack, cast, runtime_checkable

from recollect.faces.claims.audit_log import Event, LogSink, emit, log_entry, warn
from recollect.faces.claims.model import (
    ACTIVE,
    DISPUTED,
    SUPERSEDED,
    VERIFIED,
    Actor,
    Claim,
    EvidenceRef,
    Scope,
    acting,
    acting_now,
    checked_limit,
    given_evidence,
    optional_actor,
    optional_scope,
    optional_text,
    project_of,
)
from recollect.faces.claims.protocol import KnowledgeStore, NullKnowledgeStore, RankedStore
from recollect.node import dataclass

_WIDER: Final = 4  # times as many are asked for where others are left out afterwards
_WIDEST: Final = 10_000  # claims asked for at most, unless the limit is near it


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


class Superseding(Getting, Protocol):
    """A store that logs supersessions itself."""

    logger: LogSink | None


@dataclass(frozen=True, slots=True)
class Work:
    """A project, a scope, who acts, and the run and the show it takes part in.

    INVALID_ARGUMENT for what cannot be one of them.
    """

    project: str | None = None
    scope: Scope | None = None
    actor: Actor | None = None
    run: str | None = None
    show: str | None = None

    def __post_init__(self) -> None:
        optional_text(self.project, "project")
        optional_scope(self.scope)
        optional_actor(self.actor)
        optional_text(self.run, "run_id")
        optional_text(self.show, "show_id")

    @classmethod
    def given(cls, **said: Unpack[WorkArguments]) -> Work:
        """Return what the arguments of a branch say; an actor that is a text is an agent's id."""
        actor = optional_actor(said.pop("actor", None))
        return cls(**cast("dict[str, Any]", said), actor=actor)

    def filled_from(self, other: Work) -> Work:
        """Return this, with what it does not say taken from another.

        >>> Work("payments").filled_from(Work("search", run="r1"))
        Work(project='payments', scope=None, actor=None, run='r1', show=None)
        """
        return Work(
            self.project or other.project,
            self.scope or other.scope,
            self.actor or other.actor,
            self.run or other.run,
            self.show or other.show,
        )

    def arguments(self) -> WorkArguments:
        """Return the same as arguments by name."""
        return WorkArguments(
            project=self.project, scope=self.scope, actor=self.actor, run=self.run, show=self.show
        )

    def about(self) -> Scope | None:
        """Return what claims are about: the scope, else the project."""
        if self.scope is None and self.project is not None:
            return Scope("project", self.project)
        return self.scope

    def acting_in(self, session_id: str | None, branch_id: str) -> Actor:
        """Return who acts in a branch of a session: an agent, where nobody is named."""
        actor = self.actor or Actor("agent")
        return Actor(
            actor.actor_type,
            actor.actor_id,
            session_id or actor.session_id,
            branch_id,
            self.run or actor.run_id,
            self.show or actor.show_id,
        )


class WorkArguments(TypedDict, total=False):
    """The same as arguments by name; an agent may be named by its id alone."""

    project: str | None
    scope: Scope | None
    actor: Actor | str | None
    run: str | None
    show: str | None


@dataclass(frozen=True, slots=True)
class BranchContext:
    """Where a branch is at work: its store and log, who acts, and what it works on."""

    store: KnowledgeStore
    logger: LogSink
    actor: Actor
    project: str | None = None
    scope: Scope | None = None

    @property
    def is_of_whole_project(self) -> bool:
        """Whether it is about its project as a whole, and so about all scopes in it."""
        return self.project is not None and self.scope == Scope("project", self.project)


class Learner(ABC):
    """Learns, recalls, verifies and disputes; a branch adds where it is at work."""

    @abstractmethod
    def _context(self) -> BranchContext:
        """Return where this branch is at work now."""

    @property
    def keeps_nothing(self) -> bool:
        """Whether there is no store, so that nothing is learnt or recalled."""
        return isinstance(self._context().store, NullKnowledgeStore)

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
        at = self._context()
        about = optional_scope(scope) or at.scope
        try:
            learned = Claim(
                text=claim,
                evidence=evidence,
                claim_status=status,
                confidence=confidence,
                project=at.project,
                scope_type=None if about is None else about.scope_type,
                scope_id=None if about is None else about.scope_id,
                session_id=at.actor.session_id,
                branch_id=at.actor.branch_id,
                actor_type=at.actor.actor_type,
                actor_id=at.actor.actor_id,
                created_at=time.time(),
                domain=domain,
                tags=tags or [],
            )
        except ValueError:
            await _record_rejection(at, claim)
            raise
        _log(at, "knowledge.learn", learned.id, status, learned.evidence, learned)
        with acting(at.actor):
            return await at.store.write_claim(learned)

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
        project is found, and of its scope or of `scope`; `widen` looks everywhere.
        """
        checked_limit(limit)
        at = self._context()
        status = list(ACTIVE) if status is None else status
        project = None if widen else at.project
        about = optional_scope(scope) or (None if widen or at.is_of_whole_project else at.scope)
        with acting(at.actor):
            if project is None:
                return await at.store.query(question, scope=about, status=status, limit=limit)
            if isinstance(at.store, RankedStore):
                found = await at.store.recall_scored(
                    question, scope=about, status=status, project=project, limit=limit
                )
                return [claim for claim, _ in found]
            return await _of_project(at.store, project, question, about, status, limit)

    async def verify(self, claim_id: str, evidence: list[EvidenceRef] | None = None) -> None:
        """Upgrade a claim to verified status."""
        at = self._context()
        given = given_evidence(evidence)
        await _log_transition(at, "knowledge.verify", claim_id, VERIFIED, given)
        with acting(at.actor):
            await at.store.transition(claim_id, VERIFIED, evidence=given or None)

    async def dispute(
        self, claim_id: str, reason: str, evidence: list[EvidenceRef] | None = None
    ) -> None:
        """Mark a claim as disputed with reason."""
        at = self._context()
        given = given_evidence(evidence)
        await _log_transition(at, "knowledge.dispute", claim_id, DISPUTED, given)
        with acting(at.actor):
            await at.store.transition(claim_id, DISPUTED, evidence=given or None, reason=reason)


async def _of_project(
    store: KnowledgeStore,
    project: str,
    question: str,
    about: Scope | None,
    status: list[str],
    limit: int,
) -> list[Claim]:
    """Return the claims of a project from a store that cannot tell projects apart."""
    most = _WIDER * limit
    while True:
        found = await store.query(question, scope=about, status=status, limit=most)
        ours = [claim for claim in found if project_of(claim) == project]
        if len(ours) >= limit or len(found) < most or most >= _WIDEST:
            return ours[:limit]
        most = min(_WIDER * most, _WIDEST)


async def log_supersession(store: Superseding, old_id: str) -> None:
    """Log with the store, if it has a logger, that a claim is to be superseded."""
    if store.logger is None:
        return
    old = await store.get(old_id)
    entry = log_entry("knowledge.supersede", old_id, SUPERSEDED, (), old, acting_now())
    emit(store.logger, entry)


async def _log_transition(
    at: BranchContext, event: Event, claim_id: str, status: str, evidence: Sequence[EvidenceRef]
) -> None:
    claim = None
    # A store that is a dict has a `get` too, of another kind.
    if isinstance(at.store, Getting) and iscoroutinefunction(at.store.get):
        try:
            claim = await at.store.get(claim_id)
        except Exception as error:  # noqa: BLE001 - the store is foreign; the transition tells
            warn(at.logger, f"the scope of {claim_id} is not known: {error!r}")
    _log(at, event, claim_id, status, evidence, claim)


def _log(
    at: BranchContext,
    event: Event,
    claim_id: str,
    status: str,
    evidence: Sequence[EvidenceRef],
    claim: Claim | None,
) -> None:
    if not isinstance(at.store, NullKnowledgeStore):
        emit(at.logger, log_entry(event, claim_id, status, evidence, claim, at.actor))


async def _record_rejection(at: BranchContext, text: str) -> None:
    """Let a store that can remember that a claim was refused; a failure is a warning."""
    if not (isinstance(at.store, Rejecting) and iscoroutinefunction(at.store.record_rejection)):
        return
    try:
        with acting(at.actor):
            await at.store.record_rejection(text)
    except Exception as error:  # noqa: BLE001 - the store is foreign; the caller is told why not
        warn(at.logger, f"the refused claim was not recorded: {error!r}")
