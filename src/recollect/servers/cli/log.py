"""The log and the history of a memory as JSON, and what to call what they speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.faces.kip.changes import instant_text, transaction_json, what_json
from recollect.kernel import Nexus, is_wordless
from recollect.model import (
    Attributes,
    Content,
    Key,
    Life,
    Triple,
    Version,
)
from recollect.servers.cli.naming import names_by_id
from recollect.servers.cli.response import Names


def life_json(life: Life) -> dict[str, object]:
    """Return a life as JSON."""
    versions = [_version_json(one) for one in life.versions]
    return {"id": life.id, **what_json(life.what), "versions": versions}


def named_in(nexus: Nexus, elements: Iterable[tuple[str, Key | Triple | None]]) -> Names:
    """Return names for the concepts that links end in, and for those that a UUID names."""
    ids: list[str] = []
    for identifier, what in elements:
        if isinstance(what, Triple):
            ids += (what.subject, what.object)
        elif isinstance(what, Key) and is_wordless(what.name):
            ids.append(identifier)
    return names_by_id(nexus, ids)


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
