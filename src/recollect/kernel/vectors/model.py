"""Which model a group's vectors are of.

The rule: a group has vectors of one model at a time, and those of another are never compared
with them: a changed model is refused until the group is embedded anew.
"""

from __future__ import annotations

from recollect.errors import EMBEDDER_CHANGED, RecollectError
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.port import Parameters, Session
from recollect.kernel.store.statements.vectors import MODEL, SET_MODEL
from recollect.kernel.vectors.embedder import Embedder


def model_of(session: Session, group_id: int) -> tuple[str, int] | None:
    """Return the name and dimension of a group's model, if anything was embedded."""
    row = session.row(MODEL, {"group": group_id})
    return None if row is None else (text(row[0]), whole(row[1]))


def dimension_of(session: Session, group_id: int, embedder: Embedder) -> int | None:
    """Return how many numbers the group's vectors of this embedder have; None where it has none.

    EMBEDDER_CHANGED for those of another. An embedder that does not know yet how many it gives
    is not asked, for it may be away: its name decides until it has given some.
    """
    model = model_of(session, group_id)
    if model is None:
        return None
    name, dimension = model
    if embedder.name != name or embedder.dimension not in (None, dimension):
        its = "" if embedder.dimension is None else f" with {embedder.dimension}"
        raise RecollectError(
            EMBEDDER_CHANGED,
            f'the group is embedded by "{name}" with {dimension} numbers, and "{embedder.name}"'
            f"{its} is configured",
            hint="run recollect reindex, or configure the other one again",
            known=(name,),
        )
    return dimension


def set_model(session: Session, group_id: int, name: str, dimension: int) -> None:
    """Record the model of a group that has no vectors."""
    model: Parameters = {"group": group_id, "name": name, "dimension": dimension}
    session.execute_many(SET_MODEL, [model])
