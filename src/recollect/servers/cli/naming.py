"""Find out what to call the ends of links, which a response gives by id only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from recollect.errors import RecollectError
from recollect.faces.kip import execute_kip_readonly
from recollect.kernel import Nexus
from recollect.model import Key, Triple
from recollect.servers.cli.response import Names, Response, ends_of, result_of
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus

LOOK_UPS = 500
"""So many ends of one answer are looked up; the others are shown by id."""

NESTED = 3
"""So many links inside one another are called by their ends; then comes an id."""

LISTS: Mapping[str, str] = {
    "types": "DESCRIBE CONCEPT TYPES",
    "predicates": "DESCRIBE PROPOSITION TYPES",
}
"""What tells the names in use."""

_WHO = """
FIND(?type, ?name)
WHERE { ?end {id: $id} ATTR(?end, "type", ?type) ATTR(?end, "name", ?name) }
"""


def names_of(nexus: Nexus, response: Response, as_of: Mapping[str, object] | None = None) -> Names:
    """Return names for what the links of a response, of then, end in: concepts, or links."""
    known = {"known": as_of.get("known")} if as_of else None  # an end need not be true itself
    identifiers = list(dict.fromkeys(ends_of(result_of(response))))[:LOOK_UPS]
    found = ((one, _called(nexus, one, known, NESTED)) for one in identifiers)
    return {identifier: name for identifier, name in found if name is not None}


def _called(
    nexus: Nexus, identifier: str, known: Mapping[str, object] | None, depth: int
) -> str | None:
    """Return what an element is called: a link by its ends, down to a number of levels."""
    response = execute_kip_readonly(nexus, _WHO, parameters={"id": identifier}, as_of=known)
    match result_of(response):
        case {"rows": [[str() as kind, str() as name]]}:
            return f'{kind} "{name}"'
    if not depth:
        return None
    try:
        (life, *_) = nexus.history(identifier)
    except RecollectError:
        return None
    match life.what:
        case Key(kind, name):
            return f'{kind} "{name}"'
        case Triple(subject, predicate, target):
            ends = [_called(nexus, end, known, depth - 1) or end for end in (subject, target)]
            return f"({ends[0]} ─{predicate}→ {ends[1]})"
        case _:
            assert_never(life.what)


def known_names(nexus: Nexus, command: str) -> tuple[str, ...]:
    """Return the names a DESCRIBE list holds: the types, or the predicates, in use."""
    result = result_of(execute_kip_readonly(nexus, command))
    items = result.get("items") if result is not None else None
    if not isinstance(items, list):
        return ()
    return tuple(str(item["name"]) for item in items if isinstance(item, Mapping))


def names_in(database: str | None, group: str | None, what: str, beginning: str) -> list[str]:
    """Return the types or predicates of a memory that begin so; none where none can be read."""
    settings = Settings()
    try:
        with open_nexus(settings.database(database), settings.group(group)) as nexus:
            names = known_names(nexus, LISTS[what])
    except RecollectError:
        return []  # completion is silent
    folded = beginning.casefold()
    return [name for name in names if name.casefold().startswith(folded)]
