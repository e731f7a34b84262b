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

from recollect.faces.claims import (
    Claim,
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    Scope,
    SQLiteKnowledgeStore,
    from_file,
)

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


@pytest.fixture(params=["memory", "sqlite"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, wait: Wait
) -> Iterator[NexusKnowledgeStore]:
    """An empty store; another group of the same memory holds the same ids and words."""
    made = (
        MemoryKnowledgeStore()
        if request.param == "memory"
        else SQLiteKnowledgeStore(tmp_path / "knowledge.db")
    )
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
