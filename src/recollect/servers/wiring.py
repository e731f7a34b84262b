"""Open a nexus as the settings say."""

from __future__ import annotations

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel import Nexus
from recollect.servers.settings import Located


def open_nexus(located: Located, group: str, *, create: bool = False) -> Nexus:
    """Open the database at a group; a missing file is refused unless it may be created."""
    if not located.exists:
        if not create:
            raise RecollectError(
                INVALID_ARGUMENT,
                f"there is no memory at {located.path} ({located.reason})",
                hint=f"recollect init {located.path}",
            )
        if located.file is not None:
            located.file.parent.mkdir(parents=True, exist_ok=True)
    return Nexus.open(located.path, group=group)
