"""Who acts, and in which session, run and show: said around a call of a store.

The rule: the protocol's methods have no arguments for it, so it goes beside them, in the context
of the task. A store that does not ask loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from recollect.faces.claims.validation import LONGEST_NAME, optional_text, refused
from recollect.faces.claims.words import ACTOR_TYPES, known_word
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, and where."""

    actor_type: str = "system"
    actor_id: str | None = None
    session_id: str | None = None
    branch_id: str | None = None
    run_id: str | None = None
    show_id: str | None = None

    def __post_init__(self) -> None:
        known_word(self.actor_type, ACTOR_TYPES, "actor_type")
        optional_text(self.actor_id, "actor_id", LONGEST_NAME)
        for name in ("session_id", "branch_id", "run_id", "show_id"):
            optional_text(getattr(self, name), name)

    @property
    def name(self) -> str:
        """What the log of the memory shows as the actor."""
        return self.actor_id or self.actor_type


NOBODY: Final = Actor()
"""The actor if none was named."""


def agent_or_actor(actor: object) -> Actor:
    """Return who acts: an agent by its id, an actor as it is, an agent where none was given."""
    match actor:
        case None:
            return Actor("agent")
        case str():
            return Actor("agent", actor)
        case Actor():
            return actor
    raise refused(f"actor is of type {type(actor).__name__}, not an Actor", 'pass actor="..."')


def optional_actor(actor: object) -> Actor | None:
    """Return the actor, or None if none was given."""
    return None if actor is None else agent_or_actor(actor)


_acting: ContextVar[Actor | None] = ContextVar("recollect_acting", default=None)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Let the calls of stores inside be those of an actor.

    >>> with acting(Actor("user", "ann")):
    ...     acting_now().name
    'ann'
    """
    token = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(token)


def acting_now() -> Actor:
    """Return the actor: the system, if none was named."""
    return _acting.get() or NOBODY
