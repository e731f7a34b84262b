"""Find out what to call the ends of links, which an answer gives by id only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from recollect.errors import RecollectError
from recollect.kernel import Nexus, called, is_wordless
from recollect.model import (
    AsOf,
    Concept,
    Description,
    Element,
    Hits,
    Key,
    Link,
    Result,
    Rows,
    Triple,
)
from recollect.servers.cli.elements import Names
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


def names_of(nexus: Nexus, results: Iterable[Result], as_of: AsOf | None = None) -> Names:
    """Return names for what the links of an answer, of then, end in: concepts, or links."""
    links = (one for result in results for one in _elements(result) if isinstance(one, Link))
    return names_of_ends(nexus, links, as_of)


def names_of_ends(nexus: Nexus, links: Iterable[Link], as_of: AsOf | None = None) -> Names:
    """Return names for what links end in, then."""
    known = None if as_of is None else replace(as_of, valid=None)  # an end need not be true itself
    ends = (end for one in links for end in (one.subject, one.object))
    return names_by_id(nexus, ends, known)


def named_in(nexus: Nexus, elements: Iterable[tuple[str, Key | Triple | None]]) -> Names:
    """Return names for the concepts that links end in, and for those that a UUID names."""
    ids: list[str] = []
    for identifier, what in elements:
        if isinstance(what, Triple):
            ids += (what.subject, what.object)
        elif isinstance(what, Key) and is_wordless(what.name):
            ids.append(identifier)
    return names_by_id(nexus, ids)


def names_by_id(nexus: Nexus, ids: Iterable[str], as_of: AsOf | None = None) -> Names:
    """Return what elements are called, living or closed; what was purged is left out."""
    wanted = list(dict.fromkeys(ids))[:LOOK_UPS]
    found: dict[str, Element] = {}
    new = wanted
    for _ in range(NESTED + 1):
        dated = nexus.elements.look_up(new, as_of=as_of, closed=True) if new else {}
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
    match nexus.read(command).results:
        case (Description(body={"items": list() as items}),):
            return tuple(str(item["name"]) for item in items if isinstance(item, Mapping))
    return ()


def _elements(result: Result) -> Iterator[Element]:
    """Yield the elements of a result."""
    match result:
        case Rows(rows=rows):
            for value in (value for row in rows for value in row):
                for one in value if isinstance(value, list) else (value,):
                    if isinstance(one, Concept | Link):
                        yield one
        case Hits(hits=hits):
            yield from (hit.element for hit in hits)


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
