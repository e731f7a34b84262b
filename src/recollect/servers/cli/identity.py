"""The command about who the agent is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from recollect.faces.kip import identity_of, set_identity
from recollect.servers.cli.output import output
from recollect.servers.cli.render import facts
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus


def identify(
    role: str | None,
    objectives: Sequence[str] | None,
    capabilities: Sequence[str] | None,
    database: str | None,
    group: str | None,
    actor: str | None,
    request_id: str | None,
    *,
    as_json: bool,
) -> None:
    """Show the role, objectives and capabilities of the agent, after setting those given."""
    settings = Settings()
    with output(as_json=as_json) as out:
        with open_nexus(settings.database(database), settings.group(group)) as nexus:
            set_identity(
                nexus,
                role,
                objectives,
                capabilities,
                actor=settings.actor(actor),
                request_id=request_id,
            )
            identity = asdict(identity_of(nexus))
        if out.as_json:
            out.json({"result": identity})
        elif any(part is not None for part in identity.values()):
            out.show(facts(identity))
        else:
            out.say('nothing is set; try: recollect self --role "..."', "dim")
