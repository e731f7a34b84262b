"""The tools that a client is given, and which of them it may use.

The rule: this is the only list of tools; what each is stands in the file of its face beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_types import Tool

from recollect.errors import PERMISSION_DENIED, not_among
from recollect.servers.mcp.fence import json_line
from recollect.servers.mcp.folders import Folders
from recollect.servers.mcp.kip_tools import execute_kip, execute_kip_readonly
from recollect.servers.mcp.knowledge_tools import add_knowledge, provide_knowledge
from recollect.servers.mcp.markup_tools import apply_markup, read_markup
from recollect.servers.mcp.memory_tools import (
    add_episode,
    brief,
    correct,
    explain_memory,
    forget,
    import_file,
    list_memories,
    recall,
    remember,
)
from recollect.servers.mcp.tool import Memory, MemoryTool

_DAILY: Final = (recall, remember, correct, forget, list_memories, brief, add_episode)
_OTHERS: Final = (explain_memory, import_file, provide_knowledge, add_knowledge)
_OF_TEXTS: Final = (read_markup, apply_markup, execute_kip_readonly, execute_kip)

TOOLS: Final[Mapping[str, MemoryTool]] = {
    one.definition.name: one for one in (*_DAILY, *_OTHERS, *_OF_TEXTS)
}
"""The tools by name, those for every day first."""


def tool_named(name: str, memory: Memory) -> MemoryTool:
    """Return a tool; PERMISSION_DENIED for one that writes, where nothing may be written."""
    found = TOOLS.get(name)
    if found is None or found.offered not in memory.tools:
        known = [one.definition.name for one in TOOLS.values() if one.offered in memory.tools]
        raise not_among("there is no tool of this name", name, known)
    if memory.is_read_only and not found.only_reads:
        raise PERMISSION_DENIED.error(
            f"{name} writes, and this server only reads",
            "use execute_kip_readonly or recall; to write, start it without --read-only",
        )
    return found


def tools_of(memory: Memory) -> list[Tool]:
    """Return the tools that a client may use."""
    return list(_offered(memory))


def _offered(memory: Memory) -> Iterator[Tool]:
    for one in TOOLS.values():
        if one.offered not in memory.tools:
            continue
        if one is import_file:
            if memory.folders is not None and not memory.is_read_only:
                yield _placed(one.definition, memory.folders)
        elif one.only_reads or not memory.is_read_only:
            yield one.definition


def _placed(definition: Tool, folders: Folders) -> Tool:
    """Return the tool that takes in files, with the folders they may lie in."""
    where = (
        " Files are taken in from: " + ", ".join(json_line(str(one)) for one in folders.allowed)
        if folders.allowed
        else " This server was started without a folder for files; a call says how to allow one."
    )
    return definition.model_copy(update={"description": f"{definition.description}{where}"})
