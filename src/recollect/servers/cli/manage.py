"""The commands about a memory as a whole: init, stats and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from shlex import quote

from recollect.faces.kip import begin_life, load_capsules, starter_capsule
from recollect.kernel import Nexus
from recollect.servers.cli.cells import counted, facts
from recollect.servers.cli.opening import opened, opened_to_read
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import output
from recollect.servers.settings import Settings


def create_memory(on: Invocation, capsules: Sequence[str]) -> None:
    """Create the memory if it is not there, load what it is to begin with, and say so."""
    settings = Settings()
    located = settings.database(on.database)
    with output(on) as out:
        for name in capsules:
            starter_capsule(name)  # a wrong name makes no memory
        is_new = not located.exists
        chosen = settings.group(on.group)
        with opened(on, create=True) as nexus:
            if chosen not in nexus.groups():
                begin_life(nexus, actor=settings.actor())
            loaded = load_capsules(nexus, capsules, actor=settings.actor())
        result = {"path": located.shown, "group": chosen, "created": is_new}
        if out.give_json(result | ({"loaded": asdict(loaded)} if capsules else {})):
            return
        out.say(f"{'created' if is_new else 'already there:'} {located.shown}", "green")
        if capsules:
            out.say(f"loaded {counted(loaded.capsules, 'capsule')}: {loaded.created:,} created")
        out.say(f"try: {quote(settings.program())} shell {quote(located.shown)}", "dim")


def count_contents(on: Invocation) -> None:
    """Show the counts of a memory."""
    with output(on) as out, opened_to_read(out, on) as nexus:
        counts = counts_of(nexus)
        if not out.give_json(counts):
            counts["groups written to"] = counts.pop("groups")
            out.show(facts(counts))


def list_groups(on: Invocation) -> None:
    """Show the names of the groups that have been written to."""
    with output(on) as out:
        with opened(on) as nexus:
            names = nexus.groups(every=True)
        out.give_json({"groups": names})
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
    counts = asdict(stats)
    del counts["growth"]  # a page of its own, in the studio
    if not stats.relations:  # of a file
        del counts["relations"]
    return {**counts, "last_at": text and text.replace("+00:00", "Z")}
