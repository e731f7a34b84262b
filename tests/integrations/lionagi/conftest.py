"""Sessions of the installed lionagi: no model is asked, no network is used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextvars import copy_context
from typing import Any

import lionagi
import pytest
from lionagi.testing import scripted_imodel

from recollect.faces.claims import MemoryKnowledgeStore
from recollect.integrations.lionagi import Branch, Session

Wait = Callable[[Coroutine[Any, Any, Any]], Any]


def scripted(turns: int = 3) -> Any:
    """A model that answers "done" a number of times."""
    return scripted_imodel([{"type": "text", "content": "done"}] * turns)


def asked(branch: lionagi.Branch) -> str:
    """What the model was sent with the last call."""
    (*_, last) = branch.chat_model.endpoint.calls
    return "\n".join(message["content"] for message in last.payload["messages"])


@pytest.fixture
def wait() -> Iterator[Wait]:
    """Run a coroutine to its end, all of a test in one loop."""
    with asyncio.Runner() as runner:
        yield lambda coroutine: runner.run(coroutine, context=copy_context())


@pytest.fixture
def store() -> Iterator[MemoryKnowledgeStore]:
    with MemoryKnowledgeStore() as opened:
        yield opened


@pytest.fixture
def opened() -> Iterator[Callable[..., Session]]:
    """Make sessions; their logs are emptied at the end, since lionagi saves what is left."""
    sessions: list[Session] = []

    def make(**arguments: Any) -> Session:
        sessions.append(Session(**arguments))
        return sessions[-1]

    yield make
    for session in sessions:
        for branch in session.branches:
            branch.logs.clear()


@pytest.fixture
def session(opened: Callable[..., Session], store: MemoryKnowledgeStore) -> Session:
    """A session with a store, a project and an actor."""
    return opened(knowledge_store=store, project="payments", actor="reviewer", run="run-1")


@pytest.fixture
def branch(session: Session) -> Branch:
    """A branch of it, with a system message and a model that answers."""
    return session.new_branch(system="You review.", chat_model=scripted())
