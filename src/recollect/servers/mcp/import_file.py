"""Import: a file of another program, taken in whole or not at all.

The rule: which files may be read is decided by whoever starts the server, never by who asks; an
answer names what came in, and repeats nothing else of the file.
"""

from __future__ import annotations

from typing import Final

from recollect.integrations.exchange import take_in
from recollect.servers.mcp.face_tools import Counts, ImportedFile, SkippedRecord
from recollect.servers.mcp.folders import Folders
from recollect.servers.mcp.inputs import ImportFile
from recollect.servers.mcp.memory import Memory, ToolCall

_NAMES: Final = 50  # types, predicates and reasons that are listed


def import_file(memory: Memory, given: ImportFile, call: ToolCall) -> ImportedFile:
    """Import a file, or with `dry_run` only try it; CANCELLED if nobody waits for it any more."""
    with (memory.folders or Folders()).opened(given["path"]) as file:
        told = take_in(
            memory.nexus,
            file,
            format=given.get("format", "auto"),
            source=given.get("source"),
            skip_bad=given.get("skip_bad", False),
            dry_run=given.get("dry_run", False),
            actor=memory.actor,
            request_id=call.request_id,
            progress=call.progress,
            cancelled=call.is_cancelled,
            name=given["path"],
        ).to_wire()
    return ImportedFile(
        path=told["path"],
        format=told["format"],
        source=told["source"],
        dry_run=told["dry_run"],
        records=told["records"],
        created=told["created"],
        updated=told["updated"],
        concepts=_first(told["concepts"]),
        links=_first(told["links"]),
        skipped=_reasons(told["skipped"]),
    )


def _first(named: list[Counts]) -> list[Counts]:
    """Return those that most records are about."""
    return sorted(named, key=lambda one: (-one["records"], one["name"]))[:_NAMES]


def _reasons(skipped: list[SkippedRecord]) -> list[SkippedRecord]:
    return sorted(skipped, key=lambda one: -one["records"])[:_NAMES]
