"""What tools answer with, structured and as text, and no larger than a model should read at once.

The rule: rows that do not fit are left out with a warning and, where the query allows it, the
cursor that goes on after the last row shown; what cannot be cut is shown by its beginning. A failed
call is answered, not refused, so that a model reads what to mend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, cast

import orjson
from mcp_types import CallToolResult, TextContent

from recollect.errors import Notice, RecollectError, ToDo, hint_in, in_words
from recollect.faces.kip import Response, handle_tool_call
from recollect.kernel import Nexus
from recollect.servers.mcp.fence import fenced, json_line, one_line

MOST_BYTES: Final = 48_000
"""Of the JSON of one response: some 16 000 tokens."""

_EXCERPT: Final = 8_000  # characters


def bounded(nexus: Nexus, arguments: Mapping[str, object], response: Response) -> Response:
    """Return a response that is small enough; `arguments` are those of the call."""
    if is_small(response):
        return response
    result, member = response.get("result"), ""
    items: list[object] = []
    match result:
        case {"rows": list() as items}:
            member = "rows"
        case {"objects": list() as items}:
            member = "objects"
    kept = fitting(items)
    if not kept:
        rest = {key: one for key, one in _members(result).items() if key == "next_cursor"}
        cut = {**beginning(result), **rest}
        hint = "ask for less of it: for single attributes, or for fewer rows with LIMIT"
        return _warned({"result": cut}, "only the beginning of the result is shown", hint)
    shorter: dict[str, object] = {**_members(response["result"]), member: items[:kept]}
    cursor = _cursor(nexus, arguments, kept)
    if cursor is not None:
        shorter["next_cursor"] = cursor
        hint = "send the text again with this next_cursor as its CURSOR"
    else:
        hint = f"end the query with LIMIT {kept}; its next_cursor leads on"
    message = f"{kept} of {len(items)} rows are shown"
    return _warned({**response, "result": shorter}, message, hint)


def is_small(value: object) -> bool:
    """Whether a value is small enough to be answered whole."""
    return len(orjson.dumps(value, default=str)) <= MOST_BYTES


def beginning(value: object) -> dict[str, object]:
    """Return what is shown in place of a value that is too large."""
    return {"truncated": True, "beginning": json_line(value)[:_EXCERPT]}


def _members(result: object) -> dict[str, object]:
    return result if isinstance(result, dict) else {}


def fitting(items: Sequence[object]) -> int:
    """Return how many items, from the first, are small enough together."""
    room = MOST_BYTES
    for place, item in enumerate(items):
        room -= len(orjson.dumps(item)) + 1
        if room < 0:
            return place
    return len(items)


def _cursor(nexus: Nexus, arguments: Mapping[str, object], kept: int) -> str | None:
    """Return the cursor after a number of rows; None for a query with a LIMIT of its own."""
    command = arguments.get("command")
    if not isinstance(command, str):
        return None
    kept_of = {key: arguments[key] for key in ("parameters", "as_of") if key in arguments}
    limited = {**kept_of, "command": f"{command}\nLIMIT {kept}"}
    call = {"function": {"name": "execute_kip_readonly", "arguments": limited}}
    again = handle_tool_call(nexus, call).get("result")
    cursor = again.get("next_cursor") if isinstance(again, dict) else None
    return cursor if isinstance(cursor, str) else None


def _warned(response: Response, message: str, hint: str) -> Response:
    warnings = response.get("warnings")
    before = warnings if isinstance(warnings, list) else []
    notice = Notice("truncated", message, hint=hint)
    return {**response, "warnings": [*before, notice.to_wire()]}


_LISTS = ("memories", "history", "facts")
"""Members of an answer that are shown with a line for each item."""

_LONGEST_EXCERPT = 1_000  # characters of an error that repeats a long text

_UNDO = 'correct with {{"id": "{0}", "undo": true}}'
_WORDS = {ToDo.PASS_OPTION: "give {0}: {1}", ToDo.LIST_NODES: "call read_markup", ToDo.UNDO: _UNDO}


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
        error = {key: one[:_LONGEST_EXCERPT] for key, one in error.items() if isinstance(one, str)}
    return CallToolResult(
        content=[TextContent(text="\n".join(_error_lines(error)))],
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


def _error_lines(error: Mapping[str, object]) -> Iterator[str]:
    yield f"{error.get('code')}: {one_line(str(error.get('message')))}"
    if "line" in error:
        yield f"line {error['line']}, column {error.get('column')}"
    for member in ("hint", "fix", "known", "retry", "details"):
        if error.get(member):
            value = error[member]
            yield f"{member}: {one_line(value) if isinstance(value, str) else json_line(value)}"
