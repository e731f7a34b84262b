"""lionagi's Branch with the fifth manager of specification 002, and a Session that shares a store.

The rule: lionagi's classes are subclassed, never changed, and ours take over where every way leads
past: plain branches are built in `clone` alone, and a session takes branches in by
`include_branches`, where each is given what it lacks. What is learned is kept, and what a branch or
a session is there for is kept in snapshots; a store is not among it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

import lionagi
from lionagi.protocols.action.tool import Tool
from lionagi.protocols.generic import DataLogger
from lionagi.protocols.messages import RoledMessage, SenderRecipient, System
from lionagi.protocols.types import ID, Pile
from lionagi.service.imodel import iModel
from pydantic import Field, JsonValue, PrivateAttr

from recollect.faces.claims import Actor, KnowledgeStore, NullKnowledgeStore, Scope
from recollect.faces.claims.audit_log import LogEntry
from recollect.faces.claims.learning import BranchContext, Learner, Work
from recollect.integrations.lionagi.providers import Providers


class BranchLog:
    """Logs what is done with knowledge to a branch's DataLogger; `warnings` tells what failed."""

    def __init__(self, log: DataLogger) -> None:
        self.warnings: list[str] = []
        self._log = log

    def log(self, entry: LogEntry) -> None:
        """Log an entry beside the branch's calls of models and tools."""
        self._log.log(dict(entry))


class Branch(Learner, lionagi.Branch):
    """A branch of lionagi that learns, recalls, verifies and disputes.

    It takes lionagi's arguments beside its own, which are those of
    `recollect.faces.claims.Branch`. What it is not given it has from the first session that
    takes it in; without a store it keeps nothing. Clones, and so splits and the branches of
    flows, have what it has, its knowledge providers among it.
    """

    work: Work = Field(default_factory=Work)
    opted_out: bool = False  # given a store that keeps nothing; in snapshots, which have no store
    _own_store: KnowledgeStore | None = PrivateAttr(default=None)
    _knowledge_log: BranchLog | None = PrivateAttr(default=None)

    def __init__(
        self,
        *,
        knowledge_store: KnowledgeStore | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        actor: Actor | str | None = None,
        run: str | None = None,
        show: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - lionagi's own
    ) -> None:
        work = Work.given(project=project, scope=scope, actor=actor, run=run, show=show)
        kwargs.setdefault("work", work)
        super().__init__(**kwargs)
        self._own_store = NullKnowledgeStore() if self.opted_out else None
        if knowledge_store is not None:
            self._keep_in(knowledge_store)

    @property
    def _knowledge_store(self) -> KnowledgeStore:
        return NullKnowledgeStore() if self._own_store is None else self._own_store

    @property
    def logger(self) -> BranchLog:
        """Where what is done with knowledge is logged; its `warnings` tell what could not be."""
        if self._knowledge_log is None:
            assert self._log_manager is not None
            self._knowledge_log = BranchLog(self._log_manager)
        return self._knowledge_log

    @property
    def providers(self) -> Providers:
        """What is told to the model before each turn; knowledge without any download."""
        if not isinstance(self._context_providers, Providers):
            self._context_providers = Providers()
        return self._context_providers

    def take_from(self, knowledge_store: KnowledgeStore | None, work: Work) -> None:
        """Take a store and work from a session, where this branch was given none."""
        if self._own_store is None:
            self._own_store = knowledge_store
        self.work = self.work.filled_from(work)

    def clone(self, sender: ID.Ref = None) -> Self:
        """Return a copy that knows what this branch knows."""
        plain = super().clone(sender)
        system = plain.system
        author = None if system is None else system.sender
        clone = type(self)(
            id=plain.id,
            created_at=plain.created_at,
            user=plain.user,
            name=plain.name,
            system=system,
            messages=[one for one in plain.messages if one is not system],
            tools=list(plain.tools.values()),
            chat_model=plain.chat_model,
            parse_model=plain.parse_model,
            work=self.work,
            opted_out=self.opted_out,
        )
        clone._own_store = self._own_store  # which may be the session's, and chosen by nobody here
        if system is not None:
            system.sender = author  # a new branch takes its system message for its own
        clone.metadata = plain.metadata  # last: a view in it would follow each message above
        for provider in self.providers.knowledge:
            clone.providers.register(provider)
        return clone

    @classmethod
    def from_dict(
        cls,
        data: dict[str, Any],
        *,
        chat_model: iModel | None = None,
        parse_model: iModel | None = None,
        knowledge_store: KnowledgeStore | None = None,
    ) -> Self:
        """Rebuild a branch from `to_dict`; a store is in no snapshot and is given again.

        One that opted out has none again, but for the one that is given here.
        """
        branch = super().from_dict(data, chat_model=chat_model, parse_model=parse_model)
        assert isinstance(branch, cls)
        if knowledge_store is not None:
            branch._keep_in(knowledge_store)
        if branch.msgs.system is None:  # it is among the messages, and providers ask for it
            systems = (one for one in branch.messages if isinstance(one, System))
            branch.msgs.system = next(systems, None)
        return branch

    def _keep_in(self, knowledge_store: KnowledgeStore) -> None:
        self._own_store = knowledge_store
        self.opted_out = isinstance(knowledge_store, NullKnowledgeStore)

    def _context(self) -> BranchContext:
        session = self._owning_session_id
        actor = self.work.acting_in(None if session is None else str(session), str(self.id))
        return BranchContext(
            self._knowledge_store, self.logger, actor, self.work.project, self.work.about()
        )


class Session(lionagi.Session):
    """A session of lionagi that gives its branches a knowledge store, a project and an actor.

    It takes lionagi's arguments beside its own, which are those of
    `recollect.faces.claims.Session`.
    """

    work: Work = Field(default_factory=Work)
    _own_store: KnowledgeStore | None = PrivateAttr(default=None)

    def __init__(
        self,
        *,
        knowledge_store: KnowledgeStore | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        actor: Actor | str | None = None,
        run: str | None = None,
        show: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - lionagi's own
    ) -> None:
        work = Work.given(project=project, scope=scope, actor=actor, run=run, show=show)
        kwargs.setdefault("work", work)
        if kwargs.get("default_branch") is None:
            kwargs["default_branch"] = Branch()
        super().__init__(**kwargs)  # which takes branches in, before there is a store
        self._keep_in(knowledge_store)

    @property
    def _knowledge_store(self) -> KnowledgeStore:
        return NullKnowledgeStore() if self._own_store is None else self._own_store

    def include_branches(self, branches: lionagi.Branch | Iterable[lionagi.Branch]) -> None:
        """Take branches in; one that was not given a store has the session's."""
        taken = [branches] if isinstance(branches, lionagi.Branch) else list(branches)
        super().include_branches(taken)
        self._give(taken)

    def new_branch(
        self,
        system: System | JsonValue = None,
        system_sender: SenderRecipient | None = None,
        system_datetime: bool | str | None = None,
        user: SenderRecipient | None = None,
        name: str | None = None,
        messages: Pile[RoledMessage] | None = None,
        tools: Tool | Callable[..., Any] | list[Any] | None = None,
        as_default_branch: bool = False,
        *,
        knowledge_store: KnowledgeStore | None = None,
        **kwargs: Any,  # noqa: ANN401 - lionagi's own
    ) -> Branch:
        """Return a new branch with what the session has, but for what is given here."""
        branch = Branch(
            system=system,
            system_sender=system_sender,
            system_datetime=system_datetime,
            user=user,
            name=name,
            messages=messages,
            tools=tools,
            knowledge_store=knowledge_store,
            **kwargs,
        )
        self.include_branches(branch)
        if as_default_branch:
            self.default_branch = branch
        return branch

    @classmethod
    def from_dict(
        cls, data: dict[str, Any], *, knowledge_store: KnowledgeStore | None = None
    ) -> Self:
        """Rebuild a session from `to_dict`; a store is in no snapshot and is given again."""
        session = super().from_dict(data)
        assert isinstance(session, cls)
        session._keep_in(knowledge_store)
        return session

    def _keep_in(self, knowledge_store: KnowledgeStore | None) -> None:
        self._own_store = knowledge_store
        self._give(self.branches)

    def _give(self, branches: Iterable[lionagi.Branch]) -> None:
        for branch in branches:
            if isinstance(branch, Branch):
                branch.take_from(self._own_store, self.work)
