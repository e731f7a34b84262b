"""The responses of KIP, no larger than a model should read at once.

The rule: rows that do not fit are left out with a warning and, where the query allows it, the
cursor that goes on after the last row shown; what cannot be cut is shown by its beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import orjson

from recollect.errors import Notice
from recollect.faces.kip import Response, handle_tool_call
from recollect.kernel import Nexus
from recollect.servers.mcp.fence import json_line

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
        cut = {**beginning(result), **_next(result)}
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


def _next(result: object) -> dict[str, object]:
    return {key: one for key, one in _members(result).items() if key == "next_cursor"}


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
