"""The traffic of the MCP server: what a client asks, and who answers it.

The rule: the memory is worked on in threads beside the one that speaks; what a client no longer
waits for goes on where it writes, and is let go where it reads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TypeVar

import anyio
import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp

from recollect.errors import RecollectError
from recollect.faces.operations import limits
from recollect.servers.mcp import prompts, resources
from recollect.servers.mcp.answers import answered, failed
from recollect.servers.mcp.memory import Memory
from recollect.servers.mcp.tools import MemoryTool, tool_named, tools_of

NAME: Final = "recollect"
PATH: Final = "/mcp"
"""Where streamable HTTP is spoken."""

_THREADS: Final = 8

Context = ServerRequestContext[Any]
Paged = types.PaginatedRequestParams | None
ResultT = TypeVar("ResultT")


def serve_stdio(memory: Memory) -> None:
    """Serve one client over standard input and output, until it closes them."""
    anyio.run(_serve, build_server(memory))


def http_app(memory: Memory, host: str) -> ASGIApp:
    """Return the server as an application, which answers only calls to its own host."""
    hosts = ("localhost", "127.0.0.1", "[::1]", f"[{host}]" if ":" in host else host)
    named = [f"{one}:*" for one in dict.fromkeys(hosts)]
    security = TransportSecuritySettings(
        allowed_hosts=named, allowed_origins=[f"http://{one}" for one in named]
    )
    return build_server(memory).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=limits.REQUEST_BYTES,
        transport_security=security,
        host=host,
    )


def build_server(memory: Memory) -> Server[Any]:
    """Return the server of a memory."""
    desk = _Desk(memory)
    return Server(
        NAME,
        version=_version(),
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
        try:
            tool = tool_named(asked.name, self._memory)
            return answered(await self._run(tool, asked.arguments or {}, str(context.request_id)))
        except RecollectError as error:
            return failed(error)

    async def list_resources(self, _: Context, __: Paged) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=list(resources.LISTED))

    async def list_templates(self, _: Context, __: Paged) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read_resource(
        self, _: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        read = partial(resources.read_resource, self._memory.nexus, asked.uri)
        kind, text = await self._asked(read)
        contents = types.TextResourceContents(uri=asked.uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _: Context, __: Paged) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(prompts.LISTED))

    async def get_prompt(
        self, _: Context, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        return await self._asked(partial(prompts.get_prompt, self._memory, asked.name))

    async def _run(self, tool: MemoryTool, given: dict[str, object], request_id: str) -> Any:  # noqa: ANN401 - a mapping, as the tool declares it
        work = partial(tool.run, self._memory, given, request_id)
        return await self._in_thread(work, only_reads=tool.only_reads)

    async def _asked(self, work: Callable[[], ResultT]) -> ResultT:
        """Return what a reading work returns; its error is one of the protocol."""
        try:
            return await self._in_thread(work, only_reads=True)
        except RecollectError as error:
            wire = error.to_wire()
            message = f"{error.code.code}: {error.message}"
            raise MCPError(types.INVALID_PARAMS, message, wire) from error

    async def _in_thread(self, work: Callable[[], ResultT], *, only_reads: bool) -> ResultT:
        return await to_thread.run_sync(work, abandon_on_cancel=only_reads, limiter=self._threads)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "0"
