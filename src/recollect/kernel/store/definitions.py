"""What the definitions of a group say of all its predicates, read without reading each whole."""

from __future__ import annotations

from recollect.kernel.store.cells import text
from recollect.kernel.store.port import Session, SqlValue
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.statements.declared import FLAGGED


def names_with_flag(session: Session, group_id: int, meta: str, attribute: str) -> list[str]:
    """Return the names of the living definitions whose attribute is `true`."""
    parameters: dict[str, SqlValue] = {
        "group": group_id,
        "meta": meta,
        "living": LIVING,
        "attribute": attribute,
    }
    return [text(name) for (name,) in session.rows(FLAGGED, parameters)]
