"""What tools answer with, and errors, as the protocol has them: structured, and as text.

The rule: a failed call is answered, not refused, so that a model reads what to mend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import cast

from mcp_types import CallToolResult, TextContent

from recollect.errors import RecollectError, ToDo, hint_in, in_words
from recollect.servers.mcp.bounded import is_small
from recollect.servers.mcp.fence import fenced, json_line, one_line

_LISTS = ("memories", "history", "facts")
"""Members of an answer that are shown with a line for each item."""

_EXCERPT = 1_000  # characters of an error that repeats a long text

_WORDS = {ToDo.PASS_OPTION: "give {0}: {1}", ToDo.LIST_NODES: "call read_markup"}


def answered(answer: Mapping[str, object]) -> CallToolResult:
    """Return an answer; one with a member `error` is that error."""
    error = answer.get("error")
    if isinstance(error, Mapping):
        return refused(cast("Mapping[str, object]", error))
    return CallToolResult(
        content=[TextContent(text=fenced(_lines(answer)))], structured_content=dict(answer)
    )


def failed(error: RecollectError) -> CallToolResult:
    """Return the answer to a call that could not be done."""
    return refused(in_words(error, partial(hint_in, _WORDS)).to_wire())


def refused(error: Mapping[str, object]) -> CallToolResult:
    """Return the answer to a call with an error as the memory writes it, cut where it is long."""
    if not is_small(error):
        error = {key: one[:_EXCERPT] for key, one in error.items() if isinstance(one, str)}
    return CallToolResult(
        content=[TextContent(text="\n".join(_told(error)))],
        structured_content={"error": dict(error)},
        is_error=True,
    )


def _lines(answer: Mapping[str, object]) -> Iterator[str]:
    rest = {key: value for key, value in answer.items() if key not in (*_LISTS, "note")}
    for name in _LISTS:
        items = answer.get(name)
        if isinstance(items, list):
            yield f"{name}: {len(items)}"
            yield from (json_line(one) for one in items)
    if rest:
        yield json_line(rest)


def _told(error: Mapping[str, object]) -> Iterator[str]:
    yield f"{error.get('code')}: {one_line(str(error.get('message')))}"
    if "line" in error:
        yield f"line {error['line']}, column {error.get('column')}"
    for member in ("hint", "fix", "known", "retry", "details"):
        if error.get(member):
            value = error[member]
            yield f"{member}: {one_line(value) if isinstance(value, str) else json_line(value)}"
