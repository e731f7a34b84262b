"""The commands about the capsules that come with Recollect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import typer

from recollect.faces.kip import STARTERS, load_capsules, starter_capsule
from recollect.kernel import Nexus
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.render import counted, facts
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus


def list_all(*, as_json: bool) -> None:
    """List the capsules there are."""
    with output(as_json=as_json) as out:
        if out.as_json:
            capsules = [{"name": name, "about": about} for name, about in STARTERS.items()]
            out.json({"result": {"capsules": capsules}})
        else:
            out.show(facts(STARTERS))


def show(names: Sequence[str], *, as_json: bool) -> None:
    """Print the texts of capsules."""
    with output(as_json=as_json) as out:
        texts = {name: starter_capsule(name) for name in names}
        if out.as_json:
            out.json({"result": {"capsules": [{"name": n, "text": t} for n, t in texts.items()]}})
        else:
            typer.echo("".join(texts.values()), nl=False)


def load(
    names: Sequence[str],
    database: str | None,
    group: str | None,
    actor: str | None,
    request_id: str | None,
    *,
    as_json: bool,
) -> None:
    """Load capsules into a memory, creating it if it is not there."""
    settings = Settings()
    with output(as_json=as_json) as out:
        for name in names:
            starter_capsule(name)  # a wrong name makes no memory
        located = settings.database(database)
        with open_nexus(located, settings.group(group), create=True) as nexus:
            load_into(out, nexus, names, settings.actor(actor), request_id)


def load_into(
    out: Output, nexus: Nexus, names: Sequence[str], actor: str | None, request_id: str | None
) -> None:
    """Load capsules and tell what they did."""
    done = load_capsules(nexus, names, actor=actor, request_id=request_id)
    if out.as_json:
        out.json({"result": asdict(done)})
    loaded, created = counted(done.capsules, "capsule"), counted(done.created, "element")
    out.say(f"loaded {loaded}: {created} created, {done.updated:,} updated", "green")
