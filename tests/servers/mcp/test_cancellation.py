"""A client that no longer waits: its reads are let go, and the server goes on."""

from __future__ import annotations

import anyio
import pytest
from tests.servers.mcp.test_tools import fill

SLOW = (
    'FIND(COUNT(?a)) WHERE { ?a {type: "Drug"} ?b {type: "Drug"} ?c {type: "Drug"} '
    "FILTER(?a.name == ?b.attributes.note && ?b.name == ?c.attributes.note) }"
)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_read_that_is_cancelled_is_let_go_and_others_are_answered(talk, path, mode):
    fill(path, 300, "x")
    ended: list[object] = []

    async def script(agent):
        async def ask() -> None:
            ended.append(await agent.ask("execute_kip_readonly", command=SLOW))

        await agent.call("recall", question="drug", limit=1)  # the first one loads what it needs
        async with anyio.create_task_group() as asked:
            for _ in range(2):
                asked.start_soon(ask)
            # Calls are taken up in order: when this one is answered, those are under way.
            assert (await agent.call("recall", question="drug", limit=1))["memories"]
            asked.cancel_scope.cancel()
        assert ended == []
        assert (await agent.call("recall", question="drug", limit=1))["memories"]

    talk(script, mode=mode)
