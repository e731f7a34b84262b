"""Import: a file of another program, taken in whole or not at all.

The rule: which files may be read is decided by whoever starts the server, never by who asks; an
answer names what came in, and repeats nothing else of the file.
"""

from __future__ import annotations

from typing import Any, Final

from recollect.integrations.exchange import take_in
from recollect.servers.mcp.folders import Folders
from recollect.servers.mcp.inputs import ImportFile
from recollect.servers.mcp.memory import Memory, ToolCall

_NAMES: Final = 50  # types, predicates and reasons that are listed


def import_file(memory: Memory, given: ImportFile, call: ToolCall) -> dict[str, Any]:
    """Import a file, or with `dry_run` only try it; CANCELLED if nobody waits for it any more."""
    said: dict[str, Any] = dict(given)
    path = said.pop("path")
    with (memory.folders or Folders()).opened(path) as file:
        told = take_in(
            memory.nexus,
            file,
            actor=memory.actor,
            request_id=call.request_id,
            progress=call.progress,
            cancelled=call.is_cancelled,
            name=path,
            **said,
        )
    answer: dict[str, Any] = {**told.to_wire()}
    for name in ("concepts", "links", "skipped"):  # those that most records are about
        answer[name] = sorted(answer[name], key=lambda one: (-one["records"], str(one)))[:_NAMES]
    return answer
