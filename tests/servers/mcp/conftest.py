"""A client of the protocol's own library, and the server as a process that it starts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult
from tests.servers.mcp.ready import ASK

import postgres

PROGRAM = "from recollect.servers.cli import main; main()"
SECONDS = 90


class Agent:
    """One client that is connected."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, /, **given: object) -> dict:
        """The structured answer of a tool, which must not be an error."""
        answer = await self.ask(name, **given)
        assert not answer.is_error, answer.content
        return answer.structured_content

    async def error(self, name: str, /, **given: object) -> dict:
        """The error that a tool answers with."""
        answer = await self.ask(name, **given)
        assert answer.is_error
        return answer.structured_content["error"]

    async def ask(self, name: str, /, **given: object) -> CallToolResult:
        return await self.client.call_tool(name, given)

    async def text(self, name: str, /, **given: object) -> str:
        (content,) = (await self.ask(name, **given)).content
        return content.text

    async def read(self, uri: str) -> dict:
        (contents,) = (await self.client.read_resource(uri)).contents
        return json.loads(contents.text)


Script = Callable[..., Awaitable[None]]
"""What is done with one agent, or with several."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(scope="session")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The place of a process that has loaded the server, and forks one for each that asks."""
    place = str(tmp_path_factory.mktemp("ready") / "place")
    script = Path(__file__).with_name("ready.py")
    with subprocess.Popen([sys.executable, script, place], stdout=subprocess.PIPE) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == b"ready\n"
        yield place
        waiting.kill()


@pytest.fixture
def talk(path: Path, ready: str) -> Callable[..., None]:
    """Run a script with as many agents as asked, each with a server of its own on one file."""

    def run(script: Script, *options: str, agents: int = 1, mode: str = "auto") -> None:
        @asynccontextmanager
        async def agent() -> AsyncIterator[Agent]:
            arguments = [
                "-I",
                "-S",
                "-c",
                ASK,
                ready,
                "mcp",
                "--db",
                postgres.address_of(path),
                *options,
            ]
            server = StdioServerParameters(command=sys.executable, args=arguments)
            async with Client(server, mode=mode) as client:
                yield Agent(client)

        async def several(left: int, connected: list[Agent]) -> None:
            if not left:
                await script(*connected)
                return
            async with agent() as one:
                await several(left - 1, [*connected, one])

        async def within_time() -> None:
            with anyio.fail_after(SECONDS):
                await several(agents, [])

        anyio.run(within_time)

    return run
