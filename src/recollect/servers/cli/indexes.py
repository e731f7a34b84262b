"""The command about declared indexes."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict
from typing import Literal

import typer

from recollect.model import AttributeIndex, Found
from recollect.servers.cli.output import output
from recollect.servers.cli.progress import told
from recollect.servers.cli.reading import warn_of_absent_group, warn_of_question
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus

_ONE = "FIND(?one) WHERE { ?one {type: $type} } LIMIT 1"
_NAME = r'("(?:[^"\\]|\\.)*"|[^".]+)'
_INDEX = re.compile(rf"{_NAME}\.{_NAME}")


def change_indexes(
    action: Literal["list", "add", "drop"],
    name: str | None,
    database: str | None,
    group: str | None,
    *,
    as_json: bool,
) -> None:
    """List the indexes of a group, after adding or dropping one."""
    wanted = None if name is None else _named(name)
    settings = Settings()
    with output(as_json=as_json) as out:
        is_made = action == "add"
        out.if_stopped = "no index is changed" if wanted is not None else ""
        with (
            open_nexus(settings.database(database), settings.group(group), create=is_made) as nexus,
            told(out) as progress,
        ):
            if wanted is not None and is_made:
                nexus.add_index(wanted.type, wanted.attribute, progress=progress)
                warn_of_question(out, nexus, Found(_ONE, {"type": wanted.type}), None)
            elif wanted is not None:
                nexus.drop_index(wanted.type, wanted.attribute)
            else:
                warn_of_absent_group(out, nexus)
            if wanted is not None:
                out.if_stopped = "the change is made; only the list is missing"
            indexes = nexus.indexes()
        if out.as_json:
            out.json({"result": {"indexes": [asdict(one) for one in indexes]}})
        for index in indexes:
            out.say(str(index))
        if not indexes:
            out.say("no indexes", "dim")


def _named(name: str) -> AttributeIndex:
    if (found := _INDEX.fullmatch(name)) is not None:
        with suppress(json.JSONDecodeError):  # the escapes of a text are none of JSON's
            return AttributeIndex(*map(_unquoted, found.groups()))
    raise typer.BadParameter(
        f"{name} does not name an attribute of a type: write it like Drug.risk_level"
        """ or 'Drug."half life"'"""
    )


def _unquoted(name: str) -> str:
    return str(json.loads(name)) if name.startswith('"') else name
