"""Every option that a call of the memory has in Python stands at every other door."""

from __future__ import annotations

import inspect
from typing import Final

import pytest
import typer

from recollect import Memory, client
from recollect.faces.calls import calls_of
from recollect.faces.memory.calls import MemoryCalls
from recollect.servers.cli import app
from recollect.servers.mcp.tools import TOOLS

CALLS: Final = ("remember", "recall", "correct", "forget", "list", "brief", "why", "undo")

AT_TERMINAL: Final = {
    "remember": {"facts": {"fact", "valid_at", "invalid_at", "source", "replaces"}},
    "recall": {"as_of": {"valid", "known", "transaction"}},
    "forget": {"dry_run": {"yes"}},
    "why": {"id": {"text"}},
}
"""What is said otherwise there, or by several options."""

OVER_MCP: Final = {"forget": {"what": {"question"}}, "undo": {"id": {"id", "undo"}}}
TOOL_OF: Final = {"list": "list_memories", "why": "explain_memory", "undo": "correct"}


def wanted(call: str, otherwise: dict[str, dict[str, set[str]]]) -> set[str]:
    """Return the options of a call, in the words of a door."""
    itself, *options = inspect.signature(getattr(Memory, call)).parameters
    assert itself == "self" and options
    words = otherwise.get(call, {})
    assert words.keys() <= {*options}
    return {one for name in options for one in words.get(name, {name})}


@pytest.mark.parametrize("call", CALLS)
def test_every_option_of_a_call_is_one_of_its_command(call: str) -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert wanted(call, AT_TERMINAL) <= {one.name for one in commands[call].params}


@pytest.mark.parametrize("call", CALLS)
def test_every_option_of_a_call_is_one_of_its_tool(call: str) -> None:
    schema = TOOLS[TOOL_OF.get(call, call)].definition.input_schema
    assert wanted(call, OVER_MCP) <= schema["properties"].keys()


@pytest.mark.parametrize("call", CALLS)
def test_every_option_of_a_call_is_one_over_http_and_of_the_client(call: str) -> None:
    over_http = {one.function: one for one in calls_of(MemoryCalls)}
    assert over_http.keys() == {*CALLS}
    sent = inspect.signature(getattr(client.Memory, call)).parameters
    assert wanted(call, {}) <= over_http[call].inputs.keys() & sent.keys()
