"""Find out what to call the ends of links, which a response gives by id only."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.faces.kip import execute_kip_readonly
from recollect.kernel import Nexus
from recollect.servers.cli.response import Names, Response, ends_of, result_of

LOOK_UPS = 500
"""So many ends of one answer are looked up; the others are shown by id."""

_WHO = """
FIND(?type, ?name)
WHERE { ?end {id: $id} ATTR(?end, "type", ?type) ATTR(?end, "name", ?name) }
"""


def names_of(nexus: Nexus, response: Response) -> Names:
    """Return names for the concepts that the links of a response end in."""
    identifiers = list(dict.fromkeys(ends_of(result_of(response))))[:LOOK_UPS]
    names: dict[str, str] = {}
    for identifier in identifiers:
        found = result_of(execute_kip_readonly(nexus, _WHO, parameters={"id": identifier}))
        match found:
            case {"rows": [[str() as kind, str() as name]]}:
                names[identifier] = f'{kind} "{name}"'
    return names


def known_names(nexus: Nexus, command: str) -> tuple[str, ...]:
    """Return the names a DESCRIBE list holds: the types, or the predicates, in use."""
    result = result_of(execute_kip_readonly(nexus, command))
    items = result.get("items") if result is not None else None
    if not isinstance(items, list):
        return ()
    return tuple(str(item["name"]) for item in items if isinstance(item, Mapping))
