"""The commands about what a group declares: its schema, its indexes, its capsules, whose it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Literal

import typer

from recollect.faces.kip import STARTERS, identity_of, load_capsules, set_identity, starter_capsule
from recollect.kernel import Nexus
from recollect.model import AttributeIndex, Found, Schema
from recollect.servers.cli.cells import counted, facts
from recollect.servers.cli.opening import opened, warn_of_absent_group, warn_of_question
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output, progress_bars
from recollect.servers.settings import Settings

_ONE = "FIND(?one) WHERE { ?one {type: $type} } LIMIT 1"
_NAME = r'("(?:[^"\\]|\\.)*"|[^".]+)'
_INDEX = re.compile(rf"{_NAME}\.{_NAME}")


def change_schema(
    on: Invocation, mode: Literal["strict", "open"] | None, *, force: bool = False
) -> None:
    """Show the schema of a group, after making it strict or open."""
    with output(on) as out:
        with opened(on) as nexus:
            schema = (
                nexus.declared.schema() if mode is None else nexus.set_schema(mode, force=force)
            )
        if not out.give_json(asdict(schema)):
            _show_schema(out, schema)


def list_indexes(on: Invocation) -> None:
    """List the indexes of a group."""
    with output(on) as out:
        with opened(on) as nexus:
            warn_of_absent_group(out, nexus)
            indexes = nexus.declared.indexes()
        _show_indexes(out, indexes)


def add_index(on: Invocation, name: str) -> None:
    """Add an index, and list all."""
    wanted = _attribute_named(name)
    with output(on) as out:
        out.if_stopped = "no index is changed"
        with opened(on, create=True) as nexus, progress_bars(out) as progress:
            nexus.add_index(wanted.type, wanted.attribute, progress=progress)
            warn_of_question(out, nexus, Found(_ONE, {"type": wanted.type}), None)
            out.if_stopped = "the change is made; only the list is missing"
            indexes = nexus.declared.indexes()
        _show_indexes(out, indexes)


def drop_index(on: Invocation, name: str) -> None:
    """Drop an index, and list the rest."""
    wanted = _attribute_named(name)
    with output(on) as out:
        out.if_stopped = "no index is changed"
        with opened(on) as nexus:
            nexus.drop_index(wanted.type, wanted.attribute)
            out.if_stopped = "the change is made; only the list is missing"
            indexes = nexus.declared.indexes()
        _show_indexes(out, indexes)


def list_capsules(on: Invocation) -> None:
    """List the capsules there are."""
    with output(on) as out:
        capsules = [{"name": name, "about": about} for name, about in STARTERS.items()]
        out.give_json({"capsules": capsules})
        out.show(facts(STARTERS))


def show_capsules(on: Invocation, names: Sequence[str]) -> None:
    """Print the texts of capsules."""
    with output(on) as out:
        texts = {name: starter_capsule(name) for name in names}
        if not out.give_json({"capsules": [{"name": n, "text": t} for n, t in texts.items()]}):
            typer.echo("".join(texts.values()), nl=False)


def load_starters(on: Invocation, names: Sequence[str]) -> None:
    """Load capsules into a memory, creating it if it is not there."""
    with output(on) as out:
        for name in names:
            starter_capsule(name)  # a wrong name makes no memory
        with opened(on, create=True) as nexus:
            load_into(out, nexus, names, Settings().actor(on.actor), on.request_id)


def load_into(
    out: Output, nexus: Nexus, names: Sequence[str], actor: str | None, request_id: str | None
) -> None:
    """Load capsules and tell what they did."""
    done = load_capsules(nexus, names, actor=actor, request_id=request_id)
    out.give_json(asdict(done))
    loaded, created = counted(done.capsules, "capsule"), counted(done.created, "element")
    out.say(f"loaded {loaded}: {created} created, {done.updated:,} updated", "green")


def tell_identity(
    on: Invocation,
    role: str | None,
    objectives: Sequence[str] | None,
    capabilities: Sequence[str] | None,
) -> None:
    """Show the role, objectives and capabilities of the agent, after setting those given."""
    with output(on) as out:
        with opened(on) as nexus:
            set_identity(
                nexus,
                role,
                objectives,
                capabilities,
                actor=Settings().actor(on.actor),
                request_id=on.request_id,
            )
            identity = asdict(identity_of(nexus))
        out.give_json(identity)
        if any(part is not None for part in identity.values()):
            out.show(facts(identity))
        else:
            out.advise('nothing is set; try: recollect self --role "..."')


def _show_schema(out: Output, schema: Schema) -> None:
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


def _show_indexes(out: Output, indexes: Sequence[AttributeIndex]) -> None:
    out.give_json({"indexes": [asdict(one) for one in indexes]})
    for index in indexes:
        out.say(str(index))
    if not indexes:
        out.say("no indexes", "dim")


def _attribute_named(name: str) -> AttributeIndex:
    if (found := _INDEX.fullmatch(name)) is not None:
        with suppress(json.JSONDecodeError):  # the escapes of a text are none of JSON's
            words = (json.loads(one) if one.startswith('"') else one for one in found.groups())
            return AttributeIndex(*words)
    raise typer.BadParameter(
        f"{name} does not name an attribute of a type: write it like Drug.risk_level"
        """ or 'Drug."half life"'"""
    )
