"""What the definitions of a group say of all its predicates, read without reading each whole."""

from __future__ import annotations

from recollect.kernel.store.cells import text
from recollect.kernel.store.port import Session, SqlValue
from recollect.kernel.store.schema import LIVING

_FLAGGED = """
SELECT concept.name FROM concept
WHERE concept.group_id = :group AND concept.type = (
    SELECT term.code FROM term WHERE term.group_id = :group AND term.text = :meta)
  AND concept.expired_at = :living AND concept.attributes -> :path = 'true'
"""


def names_with_flag(session: Session, group_id: int, meta: str, attribute: str) -> list[str]:
    """Return the names of the living definitions whose attribute is `true`."""
    parameters: dict[str, SqlValue] = {
        "group": group_id,
        "meta": meta,
        "living": LIVING,
        "path": f'$."{attribute}"',
    }
    return [text(name) for (name,) in session.rows(_FLAGGED, parameters)]
