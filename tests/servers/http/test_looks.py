"""Listeners share their looks into the store: one look serves all who wait, of all groups."""

from __future__ import annotations

import asyncio

from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.servers.http.guard import Looks, Numbers

WRITE = 'UPSERT { CONCEPT { {type: "Drug", name: $name} } }'


async def found(nexus: Nexus, listeners: list[str]) -> list[Numbers]:
    looks = Looks(asyncio.to_thread, asyncio.Event())
    return await asyncio.gather(*(looks.next(nexus.group(one)) for one in listeners))


def test_all_who_wait_are_told_by_one_look(nexus: Nexus) -> None:
    for group, count in (("a", 1), ("b", 2)):
        for number in range(count):
            nexus.group(group).write(WRITE, {"name": str(number)})
    told = asyncio.run(found(nexus, ["a", "b", "nobody"] * 100))
    assert told[0] == {"a": 1, "b": 2, "nobody": 0}
    assert all(one is told[0] for one in told)  # the same answer: it was asked once


def test_who_comes_while_a_look_is_made_is_told_by_the_next(nexus: Nexus) -> None:
    nexus.write(WRITE, {"name": "first"})

    async def twice() -> tuple[Numbers, Numbers]:
        looks = Looks(asyncio.to_thread, asyncio.Event())
        first = await looks.next(nexus)
        await asyncio.to_thread(nexus.write, WRITE, {"name": "second"})
        return first, await looks.next(nexus)

    assert asyncio.run(twice()) == ({nexus.group_name: 1}, {nexus.group_name: 2})


def test_a_store_that_cannot_be_asked_is_told_to_all_and_asked_again(nexus: Nexus) -> None:
    nexus.close()

    async def told() -> list[object]:
        looks = Looks(asyncio.to_thread, asyncio.Event())
        asked = [[looks.next(nexus) for _ in range(3)] for _ in range(2)]
        return [one for ask in asked for one in await asyncio.gather(*ask, return_exceptions=True)]

    errors = asyncio.run(told())
    assert [one.code.code for one in errors if isinstance(one, RecollectError)] == [
        "STORE_CLOSED"
    ] * 6


def test_a_server_that_ends_waits_for_no_pause(nexus: Nexus) -> None:
    async def at_the_end() -> Numbers:
        ending = asyncio.Event()
        ending.set()
        return await Looks(asyncio.to_thread, ending).next(nexus)

    assert asyncio.run(at_the_end()) == {nexus.group_name: 0}
