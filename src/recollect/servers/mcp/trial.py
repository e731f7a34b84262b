"""A server tried as the program of an agent would use it: started, asked, and ended.

The rule: what is tried leaves the memory as it was; a write is tried without being kept.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final, TextIO

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextResourceContents

from recollect.kernel import compared_by
from recollect.node import dataclass
from recollect.servers.mcp.clients import ClientEntry

SECONDS: Final = 20.0
"""How long all steps together may take."""

_HINT: Final = "  hint: "
_QUESTION: Final = "What does this memory hold?"
_PRIMER: Final = "recollect://primer"
_READ: Final = "DESCRIBE PRIMER"
_WRITE: Final = 'UPSERT { CONCEPT @tried { {type: "Trial", name: "of recollect mcp doctor"} } }'
logging.getLogger("mcp").addHandler(logging.NullHandler())  # a step says what failed

_PATHS: Final = ("--db", "--import-from")
_FAILURES: Final = (MCPError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class TrialStep:
    """One step of a trial, and how long it took."""

    name: str
    is_well: bool
    message: str
    milliseconds: int = 0
    hint: str = ""


def tried(
    entry: ClientEntry, missing: str, *, starts_here: bool, seconds: float = SECONDS
) -> list[TrialStep]:
    """Return the steps of a trial, up to the first that fails or is not done after `seconds`.

    `missing` is what to do where the program that is to be started is not there;
    `starts_here` says that the client starts it in the current directory.
    """
    program = entry.command[0]
    found = shutil.which(program, path=entry.environment.get("PATH"))
    if found is None:
        return [TrialStep("command", False, f"there is no program {program}", hint=missing)]
    if not starts_here and (relative := _relative(entry)):
        message = f"{relative} is not a whole path, and it is not known where the client starts"
        return [TrialStep("command", False, message, hint=missing)]
    with TemporaryDirectory() as folder, (Path(folder) / "errors").open("w+") as errors:
        told = anyio.run(_ImportTrial(entry, errors, seconds).run)
    return [TrialStep("command", True, found), *told]


def _relative(entry: ClientEntry) -> str | None:
    """Return a path that means another file wherever the server starts."""
    program, *rest = entry.command
    named = [program] if Path(program).name != program else []
    for option, value in pairwise([*rest, ""]):
        name, is_joined, joined = option.partition("=")
        if name in _PATHS:
            named.append(joined if is_joined else value)
    return next((one for one in named if not Path(one).is_absolute() and ":" not in one), None)


class _ImportTrial:
    """One run of a server, whose standard error goes into a file."""

    def __init__(self, entry: ClientEntry, errors: TextIO, seconds: float) -> None:
        self._entry = entry
        self._errors = errors
        self._seconds = seconds
        self._steps: list[TrialStep] = []
        self._name = "start"  # of the step that is being tried

    async def run(self) -> list[TrialStep]:
        """Start the server and ask it; nothing of it runs afterwards."""
        command, *arguments = self._entry.command
        parameters = StdioServerParameters(
            command=command, args=arguments, env=dict(self._entry.environment)
        )
        transport = stdio_client(parameters, errlog=self._errors)
        start = perf_counter()
        try:
            with anyio.fail_after(self._seconds):
                async with Client(transport) as client:
                    server = client.server_info
                    name = "" if server is None else f"{server.name} {server.version}, "
                    self._note("start", start, f"{name}protocol {client.protocol_version}")
                    await self._ask(client)
                    self._name = "stop"
        except* TimeoutError:
            late = f"it did not answer within {self._seconds:g} seconds"
            self._fail(self._name, start, TimeoutError(late))
        except* _FAILURES as failed:
            self._fail(self._name, start, _first(failed))
        return self._steps

    async def _ask(self, client: Client) -> None:
        tools: list[str] = []

        async def list_tools() -> str:
            tools.extend(one.name for one in (await client.list_tools()).tools)
            return ", ".join(tools)

        async def recall() -> str:
            answer = _answered(await client.call_tool("recall", {"question": _QUESTION}))
            (primer,) = (await client.read_resource(_PRIMER)).contents
            told = json.loads(primer.text) if isinstance(primer, TextResourceContents) else {}
            has_model = told.get("search_modes") != ["keyword"]
            way = compared_by("the embedder" if has_model else None)
            fitting = len(_listed(answer, "memories"))
            return f"it answers, by {way}; what fits a trial question: {fitting}"

        async def read() -> str:
            _answered(await client.call_tool("execute_kip_readonly", {"command": _READ}))
            return "it can be read; nothing that writes is offered"

        async def write() -> str:
            asked = {"command": _WRITE, "dry_run": True}
            _answered(await client.call_tool("execute_kip", asked))
            return "it can be written; this was a dry run, and nothing is kept"

        for name, step in (("tools", list_tools), ("recall", recall)):
            if not await self._is_done(name, step):
                return
        writes = "execute_kip" in tools
        await self._is_done("write" if writes else "read", write if writes else read)

    async def _is_done(self, name: str, step: Callable[[], Awaitable[str]]) -> bool:
        self._name, start = name, perf_counter()
        try:
            message = await step()
        except _FAILURES as error:
            self._fail(name, start, error)
            return False
        self._note(name, start, message)
        return True

    def _note(self, name: str, start: float, message: str) -> None:
        self._steps.append(TrialStep(name, True, message, _since(start)))

    def _fail(self, name: str, start: float, error: Exception) -> None:
        """Note a step that failed, in the words of the server if it left any."""
        self._errors.seek(0)
        said = self._errors.read(10_000).splitlines()
        by_hand = f"run it by hand: {join(self._entry.command)}"
        hint = next((one.removeprefix(_HINT) for one in said if one.startswith(_HINT)), by_hand)
        message = next((one for one in said if one.strip()), "") or str(error)
        self._steps.append(TrialStep(name, False, message, _since(start), hint))


def _first(failed: BaseExceptionGroup[Exception]) -> Exception:
    """Return the error at the bottom of a group of them."""
    inner = failed.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


def _answered(result: CallToolResult) -> dict[str, object]:
    """Return what a tool answered; ValueError with the words of an error."""
    answer = result.structured_content or {}
    if result.is_error:
        match answer.get("error"):
            case {"message": str(message)}:
                raise ValueError(message)
        raise ValueError("the call failed")
    return answer


def _listed(answer: dict[str, object], member: str) -> list[object]:
    found = answer.get(member)
    return found if isinstance(found, list) else []


def _since(start: float) -> int:
    return round(1000 * (perf_counter() - start))
