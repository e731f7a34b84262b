"""The command about a group's schema."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from recollect.model import Schema
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.render import counted, facts
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus


def change(
    mode: Literal["strict", "open"] | None,
    database: str | None,
    group: str | None,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Show the schema of a group, after making it strict or open."""
    settings = Settings()
    with output(as_json=as_json) as out:
        located = settings.database(database)
        with open_nexus(located, settings.group(group)) as nexus:
            schema = nexus.schema() if mode is None else nexus.set_schema(mode, force=force)
        if out.as_json:
            out.json({"result": asdict(schema)})
        else:
            _show(out, schema)


def _show(out: Output, schema: Schema) -> None:
    counts = {
        "mode": schema.mode,
        "declared concept types": schema.concept_types,
        "declared proposition types": schema.proposition_types,
    }
    out.show(facts(counts))
    for one in schema.misfits:
        examples = f": {', '.join(one.examples)}" if one.examples else ""
        elements = counted(one.count, "element")
        out.say(f"{one.code} {one.message} ({elements}{examples})", "yellow")
    if not schema.misfits:
        out.say("everything conforms", "dim")
