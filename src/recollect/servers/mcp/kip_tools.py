"""The tools of KIP: its two functions, as the specification defines them, with bounded answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mcp_types import Tool

from recollect.faces.kip import Response, handle_tool_call, tool_definitions
from recollect.servers.mcp.bounded import bounded
from recollect.servers.mcp.tool import OF_DATA, Effect, Memory, MemoryTool, Run, ToolCall, hints


def _run(name: str) -> Run:
    def run(memory: Memory, given: Mapping[str, object], call: ToolCall) -> Response:
        function = {"name": name, "arguments": dict(given)}
        asked = {"id": call.request_id, "type": "function", "function": function}
        response = handle_tool_call(memory.nexus, asked, actor=memory.actor)
        return response if "error" in response else bounded(memory.nexus, given, response)

    return run


def _kip_tool(name: str, title: str, effect: Effect) -> MemoryTool:
    functions = (cast("Mapping[str, Any]", one["function"]) for one in tool_definitions())
    function = next(one for one in functions if one["name"] == name)
    definition = Tool(
        name=name,
        title=title,
        description=function["description"] + OF_DATA,
        input_schema=dict(function["parameters"]),
        annotations=hints(effect),
    )
    return MemoryTool(definition, _run(name), offered="kip")


execute_kip_readonly = _kip_tool("execute_kip_readonly", "Ask in KIP", "reads")
execute_kip = _kip_tool("execute_kip", "Run KIP", "destroys")
