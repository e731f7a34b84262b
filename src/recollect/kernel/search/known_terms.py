"""The concept types and predicates of a group: those in use, with their counts, and declared.

The rule: a name is listed when something alive bears it, or a definition says what it means. One
that nothing alive bears is still looked up in `term`, so that the past can be asked about it; the
names offered instead of an unknown one are those of now.
"""

from __future__ import annotations

from recollect.errors import nearest
from recollect.kernel.read.known_keys import declared_names
from recollect.kernel.read.moment import NOW, Moment
from recollect.kernel.schema.definitions import definitions
from recollect.kernel.store.cells import TALLY_CONCEPTS, TALLY_LINKS, text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.terms import (
    CODE_OF,
    CONCEPTS_USE,
    COUNT,
    LINKS_USE,
    NAMES,
    PREDICATES_AT,
    TYPES_AT,
)
from recollect.model import ElementKind
from recollect.node import dataclass

MOST_NAMES = 1_000
"""Names compared with an unknown one, most used first."""

_TALLY = {ElementKind.CONCEPT: TALLY_CONCEPTS, ElementKind.LINK: TALLY_LINKS}
_USE = {ElementKind.CONCEPT: CONCEPTS_USE, ElementKind.LINK: LINKS_USE}


def term_code(session: Session, group_id: int, kind: ElementKind, name: str) -> int | None:
    """Return the code of a concept type, or of a predicate for links, if it was ever used."""
    row = session.row(CODE_OF, {"group": group_id, "text": name})
    if row is None:
        return None
    code = whole(row[0])
    used = session.row(_USE[kind], {"group": group_id, "code": code})
    return code if used == (1,) else None


def living_terms(
    session: Session, group_id: int, kind: ElementKind, limit: int = -1
) -> list[tuple[str, int]]:
    """Return the types of concepts, or the predicates of links, alive now, with their counts.

    Most used first, ties by name; -1 returns all.
    """
    rows = session.rows(NAMES, {"group": group_id, "kind": _TALLY[kind], "limit": limit})
    return [(text(name), whole(count)) for _, name, count in rows]


def living_count(session: Session, group_id: int, kind: ElementKind, code: int) -> int:
    """Return how many living concepts are of a type, or links of a predicate."""
    row = session.row(COUNT, {"group": group_id, "kind": _TALLY[kind], "code": code})
    return 0 if row is None else whole(row[0])


def nearest_terms(
    session: Session, group_id: int, kinds: tuple[ElementKind, ...], name: str
) -> tuple[str, ...]:
    """Return the known names most like an unknown one, nearest first, at most ten."""
    known: list[str] = []
    for kind in kinds:
        declared = declared_names(session, group_id, kind, name)
        known += (one for one, _ in living_terms(session, group_id, kind, MOST_NAMES))
        known += declared
    return nearest(name, known)


def is_declared(session: Session, group_id: int, kinds: tuple[ElementKind, ...], name: str) -> bool:
    """Whether a group declares a type or predicate of that name, used or not."""
    return any(name in declared_names(session, group_id, kind, name)[:1] for kind in kinds)


_COUNTS = {ElementKind.CONCEPT: TYPES_AT, ElementKind.LINK: PREDICATES_AT}


def counted_terms(
    session: Session, group_id: int, kind: ElementKind, moment: Moment
) -> list[tuple[int, str, int]]:
    """Return the code, the name and the count of each type or predicate that was held then."""
    if moment.known is None:
        rows = session.rows(NAMES, {"group": group_id, "kind": _TALLY[kind], "limit": -1})
    else:
        rows = session.rows(_COUNTS[kind], {"group": group_id, **moment.parameters})
    return [(whole(code), text(name), whole(count)) for code, name, count in rows]


@dataclass(frozen=True, slots=True)
class InventoryEntry:
    """A type or predicate, how many are alive, and what its definition says it means."""

    name: str
    count: int
    description: str | None = None


def inventory(
    session: Session, group: Group, kind: ElementKind, moment: Moment = NOW
) -> list[InventoryEntry]:
    """Return the types of concepts, or the predicates of links: most used first, ties by name.

    As of what was held at a moment, of any fact time. Cost: the counts that are kept for now; for
    another time, an index entry of every element of the kind.
    """
    counts = {
        name: count for _, name, count in counted_terms(session, group.group_id, kind, moment)
    }
    declared = definitions(session, group, kind, moment.known)
    entries = [
        InventoryEntry(
            name, counts.get(name, 0), declared[name].description if name in declared else None
        )
        for name in counts.keys() | declared.keys()
    ]
    return sorted(entries, key=lambda one: (-one.count, one.name))
