"""The responses of KIP, no larger than a model should read at once.

The rule: rows that do not fit are left out with a warning and, where the query allows it, the
cursor that goes on after the last row shown; what cannot be cut is shown by its beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson

from recollect.errors import Notice
from recollect.faces.kip import Response, execute_kip_readonly
from recollect.kernel import Nexus
from recollect.servers.mcp.fence import json_line

MOST_BYTES: Final = 48_000
"""Of the JSON of one response: some 16 000 tokens."""

_EXCERPT: Final = 8_000  # characters


def bounded(nexus: Nexus, arguments: Mapping[str, object], response: Response) -> Response:
    """Return a response that is small enough; `arguments` are those of the call."""
    if len(orjson.dumps(response, default=str)) <= MOST_BYTES:
        return response
    match response.get("result"):
        case {"rows": list() as rows} as result:
            member, items = "rows", rows
        case {"objects": list() as objects} as result:
            member, items = "objects", objects
        case whole:
            cut = {"truncated": True, "beginning": json_line(whole)[:_EXCERPT]}
            return _warned({"result": cut}, "only the beginning of the result is shown", "LIMIT")
    kept = _fitting(items)
    shorter = {**result, member: items[:kept]}
    cursor = _cursor(nexus, arguments, kept)
    if cursor is not None:
        shorter["next_cursor"] = cursor
        hint = "send the text again with this next_cursor as its CURSOR"
    else:
        hint = f"end the query with LIMIT {max(kept, 1)}; its next_cursor leads on"
    message = f"{kept} of {len(items)} rows are shown"
    return _warned({**response, "result": shorter}, message, hint)


def _fitting(items: list[object]) -> int:
    room = MOST_BYTES
    for place, item in enumerate(items):
        room -= len(orjson.dumps(item)) + 1
        if room < 0:
            return place
    return len(items)


def _cursor(nexus: Nexus, arguments: Mapping[str, object], kept: int) -> str | None:
    """Return the cursor after so many rows; None of a query with a LIMIT of its own."""
    command = arguments.get("command")
    if not isinstance(command, str) or not kept:
        return None
    limited = {**arguments, "command": f"{command}\nLIMIT {kept}"}
    again = execute_kip_readonly(nexus, **_of_a_read(limited)).get("result")
    cursor = again.get("next_cursor") if isinstance(again, dict) else None
    return cursor if isinstance(cursor, str) else None


def _of_a_read(arguments: Mapping[str, object]) -> dict[str, object]:
    return {
        key: value
        for key, value in arguments.items()
        if key in ("command", "parameters", "as_of") and value is not None
    }


def _warned(response: Response, message: str, hint: str) -> Response:
    warnings = response.get("warnings")
    before = warnings if isinstance(warnings, list) else []
    notice = Notice("truncated", message, hint=hint)
    return {**response, "warnings": [*before, notice.to_wire()]}
