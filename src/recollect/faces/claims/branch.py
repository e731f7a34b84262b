"""Branches and sessions that learn: the store is configured once, and every branch has it.

The rule: a Learner does the work on the store; a branch only holds the context. Specification 002,
Branch integration.
"""

from __future__ import annotations

from uuid import uuid4

from recollect.faces.claims.audit_log import DataLogger
from recollect.faces.claims.learning import BranchContext, Learner
from recollect.faces.claims.model import Scope, optional_scope
from recollect.faces.claims.protocol import KnowledgeStore, NullKnowledgeStore
from recollect.faces.claims.validation import Actor, agent_or_actor, optional_actor, optional_text


class Branch(Learner):
    """One line of an agent's work: it learns, recalls, verifies and disputes.

    A branch without a store keeps nothing and finds nothing. `actor` is who acts: an agent's id, or
    an `Actor` of another type; `run` and `show` are what it takes part in. With a project it
    recalls only claims of that project, whatever their scope; with a scope only claims about that
    scope, unless it is told to widen.
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
        whole = None if project is None else Scope("project", project)
        self.scope = optional_scope(scope) or whole
        self.logger = DataLogger() if logger is None else logger
        # A store may count as false, for example one with a length that is empty.
        self._knowledge_store: KnowledgeStore = (
            NullKnowledgeStore() if knowledge_store is None else knowledge_store
        )
        given = agent_or_actor(actor)
        self._actor = Actor(
            given.actor_type,
            given.actor_id,
            session_id or given.session_id,
            self.id,
            run or given.run_id,
            show or given.show_id,
        )

    def _context(self) -> BranchContext:
        return BranchContext(
            self._knowledge_store, self.logger, self._actor, self.project, self.scope
        )


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
        self.project = optional_text(project, "project")
        self.scope = optional_scope(scope)
        self.actor = optional_actor(actor)
        self.run = optional_text(run, "run_id")
        self.show = optional_text(show, "show_id")
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
        """Return a new branch with the session's settings, except those given here."""
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
