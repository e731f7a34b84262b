"""The traffic of the MCP server: requests, and the threads that answer them.

The rule: work on the memory runs in threads beside the one that speaks. If a client no longer
waits, a read is abandoned, a write is finished, and an import is stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import anyio
import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from recollect.errors import RecollectError
from recollect.faces.operations import Caller
from recollect.servers.mcp import prompts, resources
from recollect.servers.mcp.bounded import answered, failed
from recollect.servers.mcp.lines import serve_lines
from recollect.servers.mcp.tool import Memory, MemoryTool, ToolCall
from recollect.servers.mcp.tools import tool_named, tools_of
from recollect.servers.settings import own_version

NAME: Final = "recollect"
CALLER: Final = "caller"
"""Where the state of an HTTP request says who asks."""

_THREADS: Final = 8
_LOOK_SECONDS: Final = 0.1
"""Between two looks at how far a long call is."""

Context = ServerRequestContext[Any]
Paged = types.PaginatedRequestParams | None
ResultT = TypeVar("ResultT")


def serve_stdio(memory: Memory) -> None:
    """Serve one client over standard input and output, until it closes them."""
    anyio.run(serve_lines, build_server(memory))


def build_server(memory: Memory) -> Server[Any]:
    """Return the server of a memory."""
    desk = _Desk(memory)
    return Server(
        NAME,
        version=own_version(),
        title="Recollect",
        instructions=prompts.instructions(memory),
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
        on_list_prompts=desk.list_prompts,
        on_get_prompt=desk.get_prompt,
    )


class _Desk:
    """Answers the requests of clients about one memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._threads = CapacityLimiter(_THREADS)

    async def list_tools(self, _: Context, __: Paged) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools_of(self._memory))

    async def call_tool(
        self, context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        call, given = ToolCall(str(context.request_id)), asked.arguments or {}
        try:
            memory = self._seen(context)
            tool = tool_named(asked.name, memory)
        except RecollectError as error:
            return failed(error)
        work = partial(_run, tool, memory, given, call)
        if not tool.is_long:
            return await self._in_thread(work, is_let_go=tool.only_reads)
        async with anyio.create_task_group() as beside:
            beside.start_soon(_tell, context, call)
            answer = await self._in_thread(work, is_let_go=False)
            beside.cancel_scope.cancel()
        await _report(context, call)
        return answer

    async def list_resources(self, _: Context, __: Paged) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=list(resources.LISTED))

    async def list_templates(self, _: Context, __: Paged) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read_resource(
        self, context: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        def read() -> tuple[str, str]:
            return resources.read_resource(self._seen(context).nexus, asked.uri)

        kind, text = await self._asked(read)
        contents = types.TextResourceContents(uri=asked.uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _: Context, __: Paged) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(prompts.prompts_of(self._memory)))

    async def get_prompt(
        self, context: Context, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        return await self._asked(lambda: prompts.get_prompt(self._seen(context), asked.name))

    def _seen(self, context: Context) -> Memory:
        """Return the memory as the caller sees it; PERMISSION_DENIED if the caller may not."""
        if context.request is None:
            return self._memory
        caller = getattr(context.request.state, CALLER, None)
        return self._memory.seen_by(caller) if isinstance(caller, Caller) else self._memory

    async def _asked(self, work: Callable[[], ResultT]) -> ResultT:
        """Return what a reading work returns; its error is one of the protocol."""
        try:
            return await self._in_thread(work, is_let_go=True)
        except RecollectError as error:
            wire = error.to_wire()
            message = f"{error.code.code}: {error.message}"
            raise MCPError(types.INVALID_PARAMS, message, wire) from error

    async def _in_thread(self, work: Callable[[], ResultT], *, is_let_go: bool) -> ResultT:
        return await to_thread.run_sync(work, abandon_on_cancel=is_let_go, limiter=self._threads)


def _run(
    tool: MemoryTool, memory: Memory, given: dict[str, Any], call: ToolCall
) -> types.CallToolResult:
    try:
        return answered(tool.run(memory, given, call))
    except RecollectError as error:
        return failed(error)


async def _tell(context: Context, call: ToolCall) -> None:
    """Tell the client how far a call is until it ends; note when nobody waits any more."""
    try:
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            await _report(context, call)
    finally:
        call.cancel()


async def _report(context: Context, call: ToolCall) -> None:
    """Tell how far a call is if that is further than before; to a client that asked for it."""
    if call.done > call.told:
        call.told = call.done
        await context.session.report_progress(call.told, call.total or None, call.step)
