"""A blank question is about the newest claims, then as now."""

from __future__ import annotations

import pytest
from tests.faces.claims.conftest import Wait, claim

from recollect.faces.claims import Claim, NexusKnowledgeStore
from recollect.model import AsOf

Store = NexusKnowledgeStore


def ids(claims: list[Claim]) -> list[str]:
    return [one.id for one in claims]


@pytest.mark.parametrize("question", ["", "  \n"])
def test_a_blank_question_returns_the_newest(store: Store, wait: Wait, question: str) -> None:
    for name, created_at in (("second", 102.0), ("third", 101.0), ("first", 103.0)):
        wait(store.write_claim(claim(id=name, created_at=created_at)))
    assert ids(wait(store.query(question, limit=2))) == ["first", "second"]


def test_a_blank_question_is_about_what_was_newest_then(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="before", created_at=101.0)))
    then = AsOf(transaction=store.nexus.stats().transactions)
    wait(store.write_claim(claim(id="after", created_at=102.0)))
    assert ids(wait(store.query("", limit=1))) == ["after"]
    ((held, score),) = wait(store.recall_scored("", limit=1, as_of=then))
    assert (held.id, score) == ("before", 0.0)


def test_a_blank_question_has_the_last_written_of_one_instant_then_as_now(
    store: Store, wait: Wait
) -> None:
    for names, created_at in (("ca", 101.0), ("db", 101.0), ("e", 99.0)):
        wait(store.write_claims([claim(id=name, created_at=created_at) for name in names]))
    then = AsOf(transaction=store.nexus.stats().transactions)
    for limit in (1, 2, 5, 10):
        found = wait(store.recall_scored("", limit=limit, as_of=then))
        newest = ["b", "d", "a", "c", "e"][:limit]
        assert ids([one for one, _ in found]) == newest
        assert ids(wait(store.query("", limit=limit))) == newest
        assert ids(wait(store.list(limit=limit))) == newest
