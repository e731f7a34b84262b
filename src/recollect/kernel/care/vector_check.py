"""Compares vectors with the texts of their elements, and removes those that match none.

The rule: a removed vector is made again by a reindex; until then the element is found by words.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.kernel.store.cells import members, octets, row_digest, text, whole
from recollect.kernel.store.group import make_stale
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statements.meanings import EMBEDDED, UNUSED
from recollect.kernel.vectors.embedder import NUMBER_BYTES, link_meaning, model_of, text_hash
from recollect.kernel.vectors.rows import (
    NO_VECTOR,
    drop_unused,
    forget_vectors,
    purge_vectors,
    vectors_in,
)
from recollect.kernel.write.own_types import meaning_of
from recollect.model import Kinds

_AT_ONCE = 1_000


def wrong_vectors(session: Session, group_id: int) -> list[int]:
    """Return the elements whose vector is not that of what they say. Cost: all that have one."""
    model = model_of(session, group_id) or ("", 0)
    size = NUMBER_BYTES * model[1]
    return [
        whole(row[1])
        for row in _rows(session, group_id)
        if not _is_whole(group_id, row, model) or not _is_right(session.kinds, row, size)
    ]


def unused_vectors(session: Session, group_id: int) -> list[int]:
    """Return the vectors that no element has."""
    return [whole(one) for (one,) in session.rows(UNUSED, {"group": group_id})]


def mend_vectors(session: Session, group_id: int) -> None:
    """Take away the vectors that are wrong, and those that nothing uses."""
    wrong, unused = wrong_vectors(session, group_id), unused_vectors(session, group_id)
    if wrong or unused:
        purge_vectors(session, group_id, wrong)
        drop_unused(session, group_id, unused)
        if not vectors_in(session, group_id):  # it may be what is said of the model that is wrong
            forget_vectors(session, group_id)
        make_stale(session, group_id)


def _rows(session: Session, group_id: int) -> Iterator[SqlRow]:
    after = -1
    while True:
        parameters: dict[str, SqlValue] = {"group": group_id, "after": after, "most": _AT_ONCE}
        rows = session.rows(EMBEDDED, parameters)
        yield from rows
        if len(rows) < _AT_ONCE:
            return
        after = whole(rows[-1][0])


def _is_whole(group_id: int, row: SqlRow, model: tuple[str, int]) -> bool:
    """Whether the digests of a row and of its vector are those of what they hold."""
    number, element, at, digest, hash_, vector, digest_of_vector, *_ = row
    if digest != row_digest(group_id, number, element, at):
        return False
    return at == NO_VECTOR or digest_of_vector == row_digest(group_id, at, hash_, vector, *model)


def _is_right(kinds: Kinds, row: SqlRow, size: int) -> bool:
    at, _, hash_, vector, _, kind, name, attributes = row[2:]
    if attributes is None:
        return False
    if at == NO_VECTOR:
        return True
    said = members(attributes)
    if name is None:
        meaning = link_meaning(said)
    else:
        meaning = meaning_of(kinds, text(kind), text(name), said)
    return len(octets(vector)) == size and meaning is not None and text_hash(meaning) == hash_
