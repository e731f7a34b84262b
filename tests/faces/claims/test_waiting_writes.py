"""Writes that wait for their turn are of what was given when they were called."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from tests.faces.claims.conftest import Wait, claim

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.claims import Branch, Claim, NexusKnowledgeStore, from_file, from_url
from recollect.kernel import Nexus

Store = NexusKnowledgeStore


@contextmanager
def occupied(nexus: Nexus) -> Iterator[None]:
    """Let another thread hold the memory, so that what is called meanwhile waits."""
    has_begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with nexus.transaction():
            has_begun.set()
            may_end.wait(10)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        has_begun.wait(10)
        try:
            yield
        finally:
            may_end.set()
        holding.result()


async def changed_while_it_waits(
    nexus: Nexus, call: Coroutine[Any, Any, object], change: Callable[[], None]
) -> object:
    """What a call returns, where `change` happens between the call and its turn."""
    with occupied(nexus):
        task = asyncio.create_task(call)
        await asyncio.sleep(0)  # the task goes on to its first wait
        change()
    return await task


def test_a_claim_that_changes_while_it_waits_is_kept_as_it_was_given(
    store: Store, wait: Wait[Any]
) -> None:
    given = claim("first", id="a", evidence=[from_file("a")], tags=["saga"])

    def change() -> None:
        given.text, given.id = "second", "b"
        given.evidence.clear()
        given.tags.append("late")

    assert wait(changed_while_it_waits(store.nexus, store.write_claim(given), change)) == "a"
    (kept,) = wait(store.list())
    assert (kept.id, kept.text, kept.evidence, kept.tags) == (
        "a",
        "first",
        [from_file("a")],
        ["saga"],
    )


def test_a_list_of_claims_that_changes_while_it_waits_is_kept_as_it_was_given(
    store: Store, wait: Wait[Any]
) -> None:
    given = [claim(id="a"), claim(id="b")]
    assert wait(changed_while_it_waits(store.nexus, store.write_claims(given), given.clear)) == [
        "a",
        "b",
    ]


def test_evidence_that_changes_while_a_transition_waits_is_kept_as_it_was_given(
    store: Store, wait: Wait[Any]
) -> None:
    wait(store.write_claim(claim(id="a")))
    given = [from_url("https://x.org")]
    wait(
        changed_while_it_waits(
            store.nexus, store.transition("a", "verified", evidence=given), given.clear
        )
    )
    assert wait(store.history("a"))[-1].evidence == [from_url("https://x.org")]


def test_what_a_branch_logs_of_a_dispute_is_what_the_store_keeps(
    store: Store, wait: Wait[Any]
) -> None:
    wait(store.write_claim(claim(id="a")))
    branch, given = Branch(knowledge_store=store), [from_url("https://x.org")]
    wait(changed_while_it_waits(store.nexus, branch.dispute("a", "no", given), given.clear))
    (entry,) = branch.logger.entries
    assert entry["evidence_count"] == len(wait(store.history("a"))[-1].evidence) == 1


def test_what_is_given_stays_as_it_is(store: Store, wait: Wait[Any]) -> None:
    given = claim(id="a")
    given.id = "cafe\u0301"
    assert wait(store.write_claim(given)) == "caf\u00e9"
    assert given.id == "cafe\u0301"


def test_a_claim_that_cannot_be_kept_is_refused_before_it_waits(
    store: Store, wait: Wait[Any]
) -> None:
    given: Claim = claim(id="a")
    given.confidence = 2.0

    async def refused() -> None:
        with occupied(store.nexus), pytest.raises(RecollectError) as caught:
            await store.write_claim(given)
        assert caught.value.code is INVALID_ARGUMENT

    wait(refused())
