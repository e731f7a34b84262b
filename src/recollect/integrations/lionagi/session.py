"""lionagi's Session whose branches share a knowledge store.

The rule: a branch is given what it lacks where lionagi takes branches in, `include_branches`, so
that no way into a session goes past it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

import lionagi
from lionagi.protocols.action.tool import Tool
from lionagi.protocols.messages import RoledMessage, SenderRecipient, System
from lionagi.protocols.types import Pile
from pydantic import Field, JsonValue, PrivateAttr

from recollect.faces.claims import Actor, KnowledgeStore, NullKnowledgeStore, Scope
from recollect.integrations.lionagi.branch import Branch
from recollect.integrations.lionagi.work import Work


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
        kwargs.setdefault("work", Work.given(project, scope, actor, run, show))
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
