"""The commands about a memory as a whole: init, stats, where."""

from __future__ import annotations

from recollect.servers.cli.output import output
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus


def init(database: str | None, group: str | None, *, as_json: bool) -> None:
    """Create the memory if it is not there, and say so."""
    settings = Settings()
    located = settings.database(database)
    with output(as_json=as_json) as out:
        is_new = not located.exists
        chosen = settings.group(group)
        open_nexus(located, chosen, create=True).close()
        if out.as_json:
            out.json({"result": {"path": located.path, "group": chosen, "created": is_new}})
            return
        out.say(f"{'created' if is_new else 'already there:'} {located.path}", "green")
        out.say(f"try: recollect shell {located.path}", "dim")


def stats(database: str | None, group: str | None, *, as_json: bool) -> None:
    """Show the counts of a memory."""
    settings = Settings()
    with output(as_json=as_json) as out:
        nexus = open_nexus(settings.database(database), settings.group(group))
        try:
            out.response({"result": nexus.stats()})
        finally:
            nexus.close()


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
