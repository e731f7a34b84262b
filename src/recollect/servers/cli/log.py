"""The log and the history of a memory as JSON, and what to call what they speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.errors import RecollectError
from recollect.faces.kip.changes import instant_text, transaction_json, what_json
from recollect.kernel import Nexus
from recollect.model import (
    Attributes,
    Content,
    Key,
    Life,
    Triple,
    Version,
)
from recollect.servers.cli.naming import LOOK_UPS
from recollect.servers.cli.response import Names


def life_json(life: Life) -> dict[str, object]:
    """Return a life as JSON."""
    versions = [_version_json(one) for one in life.versions]
    return {"id": life.id, **what_json(life.what), "versions": versions}


def ends_named(nexus: Nexus, named: Iterable[Key | Triple | None]) -> Names:
    """Return names for the concepts that links end in, living or closed."""
    triples = [one for one in named if isinstance(one, Triple)]
    ends = dict.fromkeys(end for one in triples for end in (one.subject, one.object))
    names: dict[str, str] = {}
    for end in list(ends)[:LOOK_UPS]:
        try:
            what = nexus.history(end)[-1].what
        except RecollectError:  # purged since
            continue
        if isinstance(what, Key):
            names[end] = f'{what.type} "{what.name}"'
    return names


def fact_clock(content: Content) -> Attributes:
    """Return the bounds of a content's fact clock that are set."""
    bounds = {"valid_at": content.valid_at, "invalid_at": content.invalid_at}
    return {name: instant_text(at) for name, at in bounds.items() if at is not None}


def _version_json(version: Version) -> dict[str, object]:
    return {
        "version": version.number,
        "operation": version.operation.value,
        "since": transaction_json(version.since),
        "until": None if version.until is None else transaction_json(version.until),
        "before": None if version.before is None else _content_json(version.before),
        "after": None if version.after is None else _content_json(version.after),
    }


def _content_json(content: Content) -> Mapping[str, object]:
    clock = fact_clock(content)
    return {
        "attributes": content.attributes,
        "metadata": content.metadata,
        "valid_at": clock.get("valid_at"),
        "invalid_at": clock.get("invalid_at"),
    }
