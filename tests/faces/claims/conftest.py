"""Stores as their callers have them: one suite for each kind, beside a decoy group.

The rule: what holds for one store holds for all of them; a new kind is one more parameter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.faces.operations.remote import ADMIN, Server
from tests.serving import Stage, stage

import recollect
from recollect.client import RemoteKnowledgeStore
from recollect.faces.claims import (
    Claim,
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    Scope,
    SQLiteKnowledgeStore,
    from_file,
)
from recollect.faces.operations import Operations

__all__ = ["stage"]

ResultT = TypeVar("ResultT")
Wait = Callable[[Coroutine[Any, Any, ResultT]], ResultT]

DECOY = "decoy"


def claim(text: str = "payments uses sagas", **fields: Any) -> Claim:
    """A claim with a piece of evidence."""
    return Claim(**{"text": text, "evidence": [from_file("src/saga.py")], **fields})


@pytest.fixture
def wait() -> Iterator[Wait]:
    """Run a coroutine to its end, all of a test in one loop."""
    with asyncio.Runner() as runner:
        yield lambda coroutine: runner.run(coroutine, context=copy_context())


class Remote(RemoteKnowledgeStore):
    """A store on a server, beside the memory that the server serves."""

    def __init__(self, server: Server, url: str) -> None:
        super().__init__(url, ADMIN, group="default")
        self.nexus = recollect.open(":memory:")
        server.serve(self.nexus, Operations(self.nexus))

    def close(self) -> None:
        super().close()
        self.nexus.close()


@pytest.fixture(scope="session")
def server() -> Server:
    """The server that all tests share, each with a memory of its own."""
    return Server()


@pytest.fixture(params=["memory", "sqlite", "remote"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, wait: Wait
) -> Iterator[NexusKnowledgeStore | Remote]:
    """An empty store; another group of the same memory holds the same ids and words."""
    made: MemoryKnowledgeStore | SQLiteKnowledgeStore | Remote
    match request.param:
        case "memory":
            made = MemoryKnowledgeStore()
        case "sqlite":
            made = SQLiteKnowledgeStore(tmp_path / "knowledge.db")
        case _:
            server: Server = request.getfixturevalue("server")
            stage: Stage = request.getfixturevalue("stage")
            stage.app = server.app
            made = Remote(server, stage.url)
    with made:
        decoy = NexusKnowledgeStore(made.nexus.group(DECOY))
        for number in range(3):
            wait(
                decoy.write_claim(
                    claim(
                        f"payments uses sagas and decoys {number}",
                        id=f"c{number}",
                        scope_type="repo",
                        scope_id="r",
                        tags=["saga"],
                    )
                )
            )
        wait(decoy.transition("c0", "verified"))
        yield made


REPO = Scope("repo", "r")
