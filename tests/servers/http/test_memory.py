"""The memory over HTTP, and through both clients: the same values as in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.faces.memory.journey import MARIA

from recollect import Memory, RecollectError, client


@pytest.fixture
def there(http, stage) -> Iterator[client.Memory]:
    del http  # the server is up
    with client.Memory(stage.url) as memory:
        yield memory


def test_an_answer_is_the_value_of_this_process(there, nexus) -> None:
    told = there.remember(facts=MARIA)
    here = Memory(nexus)
    assert there.list(about="Maria") == here.list(about="Maria")
    assert there.why(told.facts[0].id) == here.why(told.facts[0].id)
    assert there.recall("tea?").memories == here.recall("tea?").memories


def test_what_is_told_says_by_which_request(there, http) -> None:
    answer = http.post(
        "/v1/memory/remember", json={"facts": MARIA[:1]}, headers={"x-request-id": "by-hand-1"}
    )
    (fact,) = answer.json()["output"]["facts"]
    assert [one.request_id for one in there.why(fact["id"]).history] == ["by-hand-1"]


def test_an_error_is_raised_as_it_would_be_here(there) -> None:
    with pytest.raises(RecollectError) as caught:
        there.remember("a claim")
    assert caught.value.message == "a claim has no evidence: only that it was refused is kept"


def test_a_client_can_be_awaited(there, stage) -> None:
    del there  # the server is up

    async def tell() -> int:
        async with client.AsyncMemory(stage.url) as memory:
            await memory.remember(facts=MARIA)
            return len((await memory.list("fact")).memories)

    assert asyncio.run(tell()) == 3
