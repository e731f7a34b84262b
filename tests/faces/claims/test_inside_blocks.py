"""Calls of a store inside a block of its memory, by the thread that the block is of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faces.claims.conftest import DECOY, Wait, claim

import recollect
from recollect.errors import RecollectError
from recollect.faces.claims import Claim, NexusKnowledgeStore
from recollect.kernel import Nexus


@pytest.fixture(params=["memory", "file"])
def nexus(request: pytest.FixtureRequest, tmp_path: Path, wait: Wait[Any]) -> Iterator[Nexus]:
    """A memory of one claim; another group has the same."""
    place = ":memory:" if request.param == "memory" else str(tmp_path / "memory.db")
    with recollect.open(place, busy_seconds=0.5) as nexus:
        for one in (nexus, nexus.group(DECOY)):
            wait(NexusKnowledgeStore(one).write_claim(claim(id="a")))
        yield nexus


@pytest.fixture
def store(nexus: Nexus) -> NexusKnowledgeStore:
    return NexusKnowledgeStore(nexus)


def ids(claims: list[Claim]) -> list[str]:
    return [one.id for one in claims]


def test_calls_inside_a_transaction_are_parts_of_it(
    nexus: Nexus, store: NexusKnowledgeStore, wait: Wait[Any]
) -> None:
    with nexus.transaction():
        wait(store.write_claim(claim(id="b")))
        wait(store.transition("a", "verified"))
        assert ids(wait(store.list(status=["verified"]))) == ["a"]
        assert wait(store.count()) == 2
        assert [one.event for one in wait(store.history("a"))] == ["created", "verified"]
    assert ids(wait(store.query("sagas"))) == ["a", "b"]


def test_a_transaction_that_fails_undoes_the_calls_inside(
    nexus: Nexus, store: NexusKnowledgeStore, wait: Wait[Any]
) -> None:
    with pytest.raises(KeyboardInterrupt), nexus.transaction():
        wait(store.write_claim(claim(id="b")))
        raise KeyboardInterrupt
    assert ids(wait(store.list())) == ["a"]


def test_calls_inside_a_snapshot_read_its_state(
    nexus: Nexus, store: NexusKnowledgeStore, wait: Wait[Any]
) -> None:
    with nexus.snapshot():
        assert wait(store.count()) == 1
        with pytest.raises(RecollectError, match="nothing is written inside a snapshot"):
            wait(store.write_claim(claim(id="b")))
        assert wait(store.count()) == 1
        assert wait(store.attention()) == []
    wait(store.write_claim(claim(id="b")))
    assert wait(store.count()) == 2


def test_calls_of_other_tasks_are_no_parts_of_a_block(
    nexus: Nexus, store: NexusKnowledgeStore
) -> None:
    async def fails(inside: asyncio.Event, asked: asyncio.Event) -> None:
        with nexus.transaction():
            await asyncio.gather(
                store.write_claim(claim(id="b")), store.transition("a", "verified")
            )
            inside.set()
            await asked.wait()
            raise KeyError("the block fails")

    async def writes(inside: asyncio.Event, asked: asyncio.Event) -> str:
        await inside.wait()
        writing = asyncio.create_task(store.write_claim(claim(id="c")))
        await asyncio.sleep(0)
        asked.set()
        return await writing

    async def both() -> list[object]:
        events = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(fails(*events), writes(*events), return_exceptions=True)

    failed, written = asyncio.run(both())
    assert (type(failed), written) == (KeyError, "c")
    assert sorted(ids(asyncio.run(store.list(status=["observed"])))) == ["a", "c"]


def test_a_write_after_a_snapshot_decides_by_what_is_there_now(
    nexus: Nexus, store: NexusKnowledgeStore, wait: Wait[Any]
) -> None:
    wait(store.write_claim(claim(id="r")))
    with nexus.snapshot():
        wait(store.get("a"))
    wait(store.write_claim(claim(id="q", supersedes="a", created_at=1.0)))
    assert wait(store.write_claim(claim(id="q", supersedes="a", created_at=1.0))) == "q"
    wait(store.supersede("r", "q"))
    with pytest.raises(RecollectError, match="would supersede each other"):
        wait(store.supersede("q", "a"))


@pytest.mark.sqlite_only("tells a file from a memory in this process")
def test_calls_of_other_threads_are_no_parts_of_a_block(
    nexus: Nexus, store: NexusKnowledgeStore
) -> None:
    async def counted() -> object:
        try:
            return await store.count()
        except RecollectError as error:
            return error.code.code

    async def beside() -> object:
        return await asyncio.to_thread(asyncio.run, counted())

    with nexus.transaction():
        asyncio.run(store.write_claim(claim(id="b")))
        assert asyncio.run(beside()) == ("STORE_BUSY" if nexus.path is None else 1)
