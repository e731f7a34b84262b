"""Branches and sessions that learn: the store is configured once, and every branch has it.

The rule: a Learner does the work on the store; a branch only holds the context. Specification 002,
Branch integration.
"""

from __future__ import annotations

from typing import Unpack
from uuid import uuid4

from recollect.faces.claims.audit_log import DataLogger
from recollect.faces.claims.learning import BranchContext, Learner, Work, WorkArguments
from recollect.faces.claims.protocol import KnowledgeStore, NullKnowledgeStore


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
        logger: DataLogger | None = None,
        **work: Unpack[WorkArguments],
    ) -> None:
        self.id = str(uuid4())
        self.system = system
        self.logger = DataLogger() if logger is None else logger
        # A store may count as false, for example one with a length that is empty.
        self._knowledge_store: KnowledgeStore = (
            NullKnowledgeStore() if knowledge_store is None else knowledge_store
        )
        given = Work.given(**work)
        self.project, self.scope = given.project, given.about()
        self._actor = given.acting_in(session_id, self.id)

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
        logger: DataLogger | None = None,
        **work: Unpack[WorkArguments],
    ) -> None:
        self.id = str(uuid4())
        self.work = Work.given(**work)
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
        logger: DataLogger | None = None,
        **work: Unpack[WorkArguments],
    ) -> Branch:
        """Return a new branch with the session's settings, except those given here."""
        branch = Branch(
            system,
            knowledge_store=(self._knowledge_store if knowledge_store is None else knowledge_store),
            session_id=self.id,
            logger=self.logger if logger is None else logger,
            **Work.given(**work).filled_from(self.work).arguments(),
        )
        self.branches.append(branch)
        return branch
