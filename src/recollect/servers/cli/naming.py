"""Find out what to call the ends of links, which a response gives by id only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.errors import RecollectError
from recollect.faces.kip import execute_kip_readonly
from recollect.faces.kip.as_of import read_as_of
from recollect.kernel import Nexus, called
from recollect.model import AsOf, Concept, Element, Link
from recollect.servers.cli.response import Names, Response, ends_of, result_of
from recollect.servers.cli.safe_text import one_line
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


def names_of(nexus: Nexus, response: Response, as_of: Mapping[str, object] | None = None) -> Names:
    """Return names for what the links of a response, of then, end in: concepts, or links."""
    known = {"known": as_of.get("known")} if as_of else None  # an end need not be true itself
    return names_by_id(nexus, ends_of(result_of(response)), read_as_of(known))


def names_by_id(nexus: Nexus, ids: Iterable[str], as_of: AsOf | None = None) -> Names:
    """Return what elements are called, living or closed; what was purged is left out."""
    wanted = list(dict.fromkeys(ids))[:LOOK_UPS]
    found: dict[str, Element] = {}
    new = wanted
    for _ in range(NESTED + 1):
        dated = nexus.look_up(new, as_of=as_of, closed=True) if new else {}
        found |= {one: held.element for one, held in dated.items()}
        links = [held.element for held in dated.values() if isinstance(held.element, Link)]
        ends = dict.fromkeys(end for one in links for end in (one.subject, one.object))
        new = [end for end in ends if end not in found]
    named = ((one, _called(found, one, NESTED)) for one in wanted)
    return {identifier: name for identifier, name in named if name is not None}


def _called(found: Mapping[str, Element], identifier: str, depth: int) -> str | None:
    """Return what an element is called: a link by its ends, down to a number of levels."""
    match found.get(identifier):
        case Concept(type=kind) as held:
            return f'{kind} "{called(held.name, held.attributes, held.metadata)}"'
        case Link(subject=subject, predicate=predicate, object=target) if depth:
            ends = [_called(found, end, depth - 1) or end for end in (subject, target)]
            return f"({ends[0]} ─{predicate}→ {ends[1]})"
        case _:
            return None


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
    fitting = [name for name in names if name.casefold().startswith(folded)]
    return [one for one in fitting if one_line(one) == one]  # a shell writes them as they are
