"""What a branch or a session is there for.

The rule: it is kept in snapshots, so it holds plain values only; a store is not among them.
"""

from __future__ import annotations

from recollect.faces.claims import Actor, Scope
from recollect.faces.claims.model import optional_scope
from recollect.faces.claims.validation import optional_actor, optional_text
from recollect.node import dataclass


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
    def given(
        cls,
        project: str | None,
        scope: Scope | None,
        actor: Actor | str | None,
        run: str | None,
        show: str | None,
    ) -> Work:
        """Return what the arguments of a branch say; an actor that is a text is an agent's id."""
        return cls(project, scope, optional_actor(actor), run, show)

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
