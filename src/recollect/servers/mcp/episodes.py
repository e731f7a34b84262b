"""Add an episode: something that happened or was said, kept word for word and learnt from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

from recollect.faces.operations.envelope import told_error
from recollect.servers.mcp.inputs import AddEpisode
from recollect.servers.mcp.memory import Memory
from recollect.servers.mcp.outputs import Accepted


def add_episode(memory: Memory, given: AddEpisode) -> Accepted:
    """Keep what happened; facts are found in it afterwards, by this server or a worker."""
    time = given.get("reference_time") or datetime.now(UTC).isoformat(timespec="milliseconds")
    item = {**given, "source": given.get("source", "text"), "reference_time": time}
    envelope = memory.service.operations.call(
        "AddEpisodes", {"group_id": memory.group, "items": [item]}
    )
    if "error" in envelope:
        raise told_error(envelope["error"])
    return cast("Accepted", envelope["output"])
