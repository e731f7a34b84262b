"""The types and predicates that a group has declared, whether anything bears them or not.

The rule: a name that is declared is known. Only names that are neither declared nor in use are
called unknown, and what is offered instead is of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.kernel.store.cells import text
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.elements import DECLARED
from recollect.model import LIVING, ElementKind

CONCEPT_TYPE = "$ConceptType"
PROPOSITION_TYPE = "$PropositionType"

META_TYPES: Final[Mapping[ElementKind, str]] = {
    ElementKind.CONCEPT: CONCEPT_TYPE,
    ElementKind.LINK: PROPOSITION_TYPE,
}
"""The type of the concepts that define concept types, and of those that define predicates."""

MOST_DECLARED = 1_000
"""Declared names compared with an unknown one."""


def declared_names(
    session: Session, group_id: int, kind: ElementKind, first: str = ""
) -> tuple[str, ...]:
    """Return the names a group declares of types, or of predicates: `first` first, then by name."""
    rows = session.rows(
        DECLARED,
        {
            "group": group_id,
            "meta": META_TYPES[kind],
            "living": LIVING,
            "first": first,
            "limit": MOST_DECLARED,
        },
    )
    return tuple(text(name) for (name,) in rows)
