"""Makes vectors for living elements that have none, such as all of them after a change of embedder.

The rule: no model is called inside a transaction, and vectors already made stay if it fails.
"""

from __future__ import annotations

from recollect.kernel.store.cells import members, text, whole
from recollect.kernel.store.group import Group, load_group, make_stale
from recollect.kernel.store.port import Session, Store
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.meanings import CONCEPTS, LINKS
from recollect.kernel.vectors.embedder import link_meaning, model_of
from recollect.kernel.vectors.meanings import Meanings
from recollect.kernel.vectors.rows import VectorRows, forget_vectors
from recollect.kernel.write.own_types import meaning_of
from recollect.model import Progress, Reindexed

_AT_ONCE = 512  # elements


def reindex(store: Store, name: str, meanings: Meanings, progress: Progress) -> Reindexed:
    """Make the vectors that the living elements of a group lack, and return how many they were.

    Vectors of another model go first. EMBEDDER_UNAVAILABLE when the model does not answer; the
    next call goes on from there. Cost: the model, once for every text.
    """
    with store.reading() as session:
        group = load_group(session, name)
    if group is None:
        return Reindexed(meanings.embedder.name, 0)
    own = meanings.embedder.name, meanings.dimension()  # may ask the model: not while others wait
    with store.writing(group=name) as session:
        if model_of(session, group.group_id) not in (None, own):
            forget_vectors(session, group.group_id)
            make_stale(session, group.group_id)
    count = 0
    for statement, step in ((CONCEPTS, "concepts"), (LINKS, "links")):
        count += _embed_all(store, group, meanings, statement, progress, f"{name}: {step}")
    return Reindexed(meanings.embedder.name, count)


def _embed_all(
    store: Store,
    group: Group,
    meanings: Meanings,
    statement: Statement,
    progress: Progress,
    step: str,
) -> int:
    group_id, after, count = group.group_id, -1, 0
    while True:
        with store.reading() as session:
            said = _said(session, group_id, statement, after)
            texts = [one for one in said.values() if one is not None]
            lacking = meanings.without_vectors(session, group_id, texts)
        if not said:
            return count
        vectors = meanings.vectors_of(lacking)
        with store.writing(group=group.name) as session:
            rows = VectorRows(session, group_id, meanings.embedder, vectors.get)
            now = _said(session, group_id, statement, after)
            same = {one: text for one, text in now.items() if text and said.get(one) == text}
            for element, meaning in same.items():
                rows.put(element, meaning)
            rows.flush()
        after, count = max(said), count + len(same)
        progress(step, count, 0)


def _said(
    session: Session, group_id: int, statement: Statement, after: int
) -> dict[int, str | None]:
    """Return what the next elements without a vector say; those that say nothing, too."""
    rows = session.rows(statement, {"group": group_id, "after": after, "most": _AT_ONCE})
    said: dict[int, str | None] = {}
    for element, kind, name, attributes in rows:
        if name is None:
            said[whole(element)] = link_meaning(members(attributes))
        else:
            said[whole(element)] = meaning_of(
                session.kinds, text(kind), text(name), members(attributes)
            )
    return said
