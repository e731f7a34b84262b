"""The commands about a memory as a whole: init, stats and groups."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from shlex import quote

from recollect.kernel import Nexus
from recollect.servers.cli.output import output
from recollect.servers.cli.render import facts
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
        out.say(f"try: {quote(settings.program())} shell {quote(located.path)}", "dim")


def stats(database: str | None, group: str | None, *, as_json: bool) -> None:
    """Show the counts of a memory."""
    settings = Settings()
    with output(as_json=as_json) as out:
        nexus = open_nexus(settings.database(database), settings.group(group))
        try:
            counts = counts_of(nexus)
            if out.as_json:
                out.json({"result": counts})
            else:
                counts["groups written to"] = counts.pop("groups")
                out.show(facts(counts))
        finally:
            nexus.close()


def groups(database: str | None, *, as_json: bool) -> None:
    """Show the names of the groups that have been written to."""
    settings = Settings()
    with output(as_json=as_json) as out:
        with open_nexus(settings.database(database), settings.group()) as nexus:
            names = nexus.groups()
        if out.as_json:
            out.json({"result": {"groups": names}})
        for name in names:
            out.say(name)
        if not names:
            out.say("no groups yet", "dim")


def counts_of(nexus: Nexus) -> dict[str, object]:
    """Return the counts of a memory as JSON, the time of its last write as ISO 8601 text."""
    stats = nexus.stats()
    last_at = stats.last_at
    moment = None if last_at is None else datetime.fromtimestamp(last_at / 1000, UTC)
    text = None if moment is None else moment.isoformat(timespec="milliseconds")
    return {**asdict(stats), "last_at": text and text.replace("+00:00", "Z")}
