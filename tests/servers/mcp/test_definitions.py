"""What the definitions of the tools cost a client, and which of them are offered when."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import pytest

from recollect.faces.knowledge import KnowledgeType
from recollect.servers.mcp.tool import MemoryTool
from recollect.servers.mcp.tools import TOOLS

TEN = {
    "remember",
    "recall",
    "correct",
    "forget",
    "list_memories",
    "brief",
    "explain_memory",
    "add_episode",
    "execute_kip",
    "execute_kip_readonly",
}


def tokens(tools: Iterable[MemoryTool]) -> int:
    """About the tokens of definitions: words of a letter or more, signs in a row, three digits."""
    written = json.dumps(
        [one.definition.model_dump(mode="json", by_alias=True, exclude_none=True) for one in tools],
        separators=(",", ":"),
    )
    return len(re.findall(r" ?[A-Za-z]+|\d{1,3}|[^A-Za-z\d\s]+", written))


def test_the_ten_tools_for_every_day_cost_at_most_3500_tokens():
    assert tokens(TOOLS[one] for one in TEN) <= 3_500


@pytest.mark.parametrize("face", ["knowledge", "markup"])
def test_a_later_face_adds_at_most_two_tools_and_500_tokens(face):
    own = [one for one in TOOLS.values() if one.offered == face]
    assert 1 <= len(own) <= 2
    assert tokens(own) <= 500


def test_the_tool_that_adds_knowledge_lists_the_types_of_the_face():
    schema = TOOLS["add_knowledge"].definition.input_schema
    assert schema["properties"]["knowledge_type"]["enum"] == [one.value for one in KnowledgeType]


def test_every_set_is_offered_and_a_client_may_be_given_some_alone(talk):
    offered = {}

    async def script(agent):
        offered["names"] = {one.name for one in (await agent.client.list_tools()).tools}

    talk(script)
    assert offered["names"] == set(TOOLS) - {"import_file"}
    talk(script, "--tools", "memory,kip")
    assert offered["names"] == TEN


def test_a_file_can_be_imported_only_where_a_folder_is_named(talk, tmp_path):
    async def without(agent):
        told = await agent.error("import_file", path="notes.jsonl")
        assert "import" in told["message"]

    async def named(agent):
        assert "import_file" in {one.name for one in (await agent.client.list_tools()).tools}

    talk(without)
    talk(named, "--import-from", str(tmp_path))
