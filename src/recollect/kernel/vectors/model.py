"""Which model a group's vectors are of.

The rule: a group has vectors of one model at a time, and those of another are never compared
with them: a changed model is refused until the group is embedded anew.
"""

from __future__ import annotations

from recollect.errors import EMBEDDER_CHANGED, RecollectError
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.protocol import Session
from recollect.kernel.vectors.embedder import Embedder

_MODEL = """
SELECT m.name, m.dimension FROM embedding_model AS m WHERE m.group_id = ?
"""
_SET = "INSERT OR REPLACE INTO embedding_model (group_id, name, dimension) VALUES (?, ?, ?)"


def model_of(session: Session, group_id: int) -> tuple[str, int] | None:
    """Return the name and dimension of a group's model, if anything was embedded."""
    row = session.row(_MODEL, (group_id,))
    return None if row is None else (text(row[0]), whole(row[1]))


def is_of_model(session: Session, group_id: int, embedder: Embedder) -> bool:
    """Whether the group has vectors of this embedder; EMBEDDER_CHANGED for those of another."""
    model = model_of(session, group_id)
    if model is None:
        return False
    if model != (embedder.name, embedder.dimension):
        name, dimension = model
        raise RecollectError(
            EMBEDDER_CHANGED,
            f'the group is embedded by "{name}" with {dimension} numbers, and "{embedder.name}"'
            f" with {embedder.dimension} is configured",
            hint="run recollect reindex, or configure the other one again",
            known=(name,),
        )
    return True


def set_model(session: Session, group_id: int, embedder: Embedder) -> None:
    """Record the model of a group that has no vectors."""
    session.execute_many(_SET, [(group_id, embedder.name, embedder.dimension)])
