"""The MCP server: what a question costs over standard input and output, and how fast it starts.

The rule: the same question is asked in turns, of the server and in this process, and both must
find the same; a start counts from the command to the answer of the first question, once by the
clock and once by what processors did, until the tools are listed.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import anyio
import orjson
from mcp import Client, StdioServerParameters

import recollect
from bench.measure import Figure, seconds_of
from bench.notes import notes, questions, word
from bench.scale import Scale
from recollect.faces.operations import Operations
from recollect.servers.mcp.tool import Memory, ToolCall
from recollect.servers.mcp.tools import tool_named
from recollect.servers.service import make_service

FACTS = 100_000

_ENTITIES = 5_000
_RELATIONS = ("WORKS_AT", "KNOWS", "LIVES_IN", "OWNS")
_RARE = 5_000  # the rank of the first word that names an entity
_BATCH = 100
_ASKED = 200
_WARM = 10
_MORE_MS = 5.0
_STARTS = 7
_START_MS = 1_000.0
_WORK_MS = 800.0
_COMMAND = (sys.executable, "-c", "from recollect.servers.cli import main; main()", "mcp")
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}

_ASKS = {"name": "recall", "arguments": {"question": word(_RARE)}}


def figures(folder: Path, scale: Scale) -> Iterator[Figure]:
    """Fill a memory, ask it over MCP and in this process, and start servers on it."""
    path, count = folder / "agents.db", scale.size(FACTS)
    _fill(path, count, scale.times(_ENTITIES))
    over, inside = anyio.run(_asked, path, questions(scale.times(_ASKED) + _WARM, count))
    more = (over - inside) / 1_000
    name = f"recall over stdio in {count // 1_000} k facts, beside it in this process"
    yield Figure("mcp", name, over, "us", inside)
    yield Figure("mcp", "what stdio adds", more, "ms", None, f"{_MORE_MS:g} ms", more <= _MORE_MS)
    starts = scale.times(_STARTS)
    start = 1_000 * statistics.median(
        seconds_of(lambda: _first(path, "tools/call", _ASKS)) for _ in range(starts)
    )
    name = "from the command to the first answer"
    yield Figure("mcp", name, start, "ms", None, f"{_START_MS:,.0f} ms", start <= _START_MS)
    work = 1_000 * min(_processor_seconds(path) for _ in range(starts))
    name = "processor time of that, to the list of tools"
    yield Figure("mcp", name, work, "ms", None, f"{_WORK_MS:g} ms", work <= _WORK_MS)


def _fill(path: Path, count: int, entities: int) -> None:
    with recollect.open(path, synchronous="normal") as nexus:
        operations, group = Operations(nexus), nexus.group_name
        for at in range(entities):
            name = f"{word(_RARE + at)} {word(_RARE + 2 * at + 1)}"
            operations.add_entity_node(group_id=group, uuid=f"n{at}", name=name)
        texts = (str(note.attributes["text"]) for note in notes(count))
        facts = [_fact(at, text, entities) for at, text in enumerate(texts)]
        for begin in range(0, count, _BATCH):
            batch = facts[begin : begin + _BATCH]
            operations.call("AddFacts", {"group_id": group, "facts": batch})


def _fact(at: int, text: str, entities: int) -> dict[str, object]:
    return {
        "name": _RELATIONS[at % len(_RELATIONS)],
        "fact": text,
        "source_node_uuid": f"n{at % entities}",
        "target_node_uuid": f"n{(at * 7 + 1) % entities}",
    }


async def _asked(path: Path, texts: list[str]) -> tuple[float, float]:
    """Return the median microseconds of a question over MCP, and in this process."""
    arguments = [*_COMMAND[1:], "--db", str(path)]
    server = StdioServerParameters(command=_COMMAND[0], args=arguments)
    over, inside = [], []
    with ExitStack() as opened:
        nexus = opened.enter_context(recollect.open(path))
        memory = Memory(make_service(nexus, has_worker=False), "bench")
        recall = tool_named("recall", memory)
        async with Client(server) as client:
            for text in texts:
                begun = time.perf_counter_ns()
                answer = await client.call_tool("recall", {"question": text})
                between = time.perf_counter_ns()
                same = recall.run(memory, {"question": text}, ToolCall("bench"))
                over.append(between - begun)
                inside.append(time.perf_counter_ns() - between)
                assert answer.structured_content is not None
                assert answer.structured_content["memories"] == same["memories"]
    return (
        statistics.median(over[_WARM:]) / 1_000,
        statistics.median(inside[_WARM:]) / 1_000,
    )


def _processor_seconds(path: Path) -> float:
    """Return what a start costs, of a server that is stopped once its tools are listed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _first(path, "tools/list", {})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _first(path: Path, method: str, params: Mapping[str, object]) -> None:
    """Start a server, greet it, and wait for one answer."""
    with subprocess.Popen(
        [*_COMMAND, "--db", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for number, asked in enumerate((("initialize", _HELLO), (method, params))):
            call = {"jsonrpc": "2.0", "id": number, "method": asked[0], "params": asked[1]}
            server.stdin.write(orjson.dumps(call, option=orjson.OPT_APPEND_NEWLINE))
            server.stdin.flush()
            assert "result" in orjson.loads(server.stdout.readline())
        server.kill()
