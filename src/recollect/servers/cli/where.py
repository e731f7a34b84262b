"""The command that tells which memory would be used; it loads no kernel and opens nothing."""

from __future__ import annotations

from recollect.servers.cli.output import output
from recollect.servers.settings import Settings


def where(database: str | None, group: str | None, *, as_json: bool) -> None:
    """Show which file would be used and why; nothing is opened."""
    settings = Settings()
    located = settings.database(database)
    with output(as_json=as_json) as out:
        out.response(
            {
                "result": {
                    "path": located.path,
                    "reason": located.reason,
                    "exists": located.exists,
                    "group": settings.group(group),
                }
            }
        )
