"""The types and predicates of a group: those in use with their counts, and those declared.

The rule: a name is listed when something alive bears it, or a definition says what it means.
"""

from __future__ import annotations

from recollect.kernel.schema.definitions import definitions
from recollect.kernel.search.known_terms import living_terms
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.terms import PREDICATES_AT, TYPES_AT
from recollect.model import ElementKind
from recollect.node import dataclass

_COUNTS = {ElementKind.CONCEPT: TYPES_AT, ElementKind.LINK: PREDICATES_AT}


@dataclass(frozen=True, slots=True)
class Entry:
    """A type or predicate, how many are alive, and what its definition says it means."""

    name: str
    count: int
    description: str | None = None


def inventory(
    session: Session, group: Group, kind: ElementKind, known: int | None = None
) -> list[Entry]:
    """Return the types of concepts, or the predicates of links: most used first, ties by name.

    `known` asks for the state after a transaction. Cost: the counts that are kept for now; for
    another time, every element of the kind.
    """
    if known is None:
        counts = dict(living_terms(session, group.group_id, kind))
    else:
        rows = session.rows(_COUNTS[kind], {"group": group.group_id, "known": known})
        counts = {text(name): whole(count) for name, count in rows}
    declared = definitions(session, group, kind, known)
    entries = [
        Entry(name, counts.get(name, 0), declared[name].description if name in declared else None)
        for name in counts.keys() | declared.keys()
    ]
    return sorted(entries, key=lambda one: (-one.count, one.name))
