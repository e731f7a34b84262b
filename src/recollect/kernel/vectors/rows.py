"""The rows of vectors: each text of a group once, and which element says it.

The rule: an element's vector is that of what it says now, or it has none. `number` rises
whenever the vector of an element becomes another one, so that a copy in memory can catch up;
rows go only with a purge, or when all of a group's vectors go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import orjson

from recollect.kernel.store.cells import row_digest, text, whole
from recollect.kernel.store.insertion import Insertion
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.counts import DELETE
from recollect.kernel.store.statements.vectors import (
    CHANGE,
    COUNT,
    DROP_UNUSED,
    LAST_NUMBER,
    LAST_VECTOR,
    OF_ELEMENTS,
    OF_TEXTS,
    REMOVE,
)
from recollect.kernel.vectors.embedder import (
    NUMBER_BYTES,
    Embedder,
    dimension_of,
    set_model,
    text_hash,
)

NO_VECTOR = 0
"""Stands where an element had a vector, and says something else now."""

_VECTORS = Insertion("vector", "bigint bigint text bytea bigint")
_EMBEDDED = Insertion("embedded", "bigint bigint bigint bigint bigint")


def _unprepared(hash_: str) -> None:
    """Return no vector of any text."""
    del hash_


class VectorRows:
    """Writes what the elements of one group say in one write transaction, all of it at once.

    Without an embedder an element that says something else only loses its vector.
    Cost: a few statements per `write`, whatever their number.
    """

    def __init__(
        self,
        session: Session,
        group_id: int,
        embedder: Embedder | None = None,
        prepared: Callable[[str], bytes | None] = _unprepared,
    ) -> None:
        """`prepared` returns the vector of a text by its hash, if it is made."""
        self._session = session
        self._group_id = group_id
        self._embedder = embedder
        self._prepared = prepared

    def write(self, texts: Mapping[int, str | None]) -> Mapping[str, str]:
        """Let elements say texts, or nothing; return those that have no vector, by hash."""
        before = self._vectors_of(texts)
        if self._embedder is None:
            self._point(dict.fromkeys(before, NO_VECTOR), before)
            return {}
        is_first = dimension_of(self._session, self._group_id, self._embedder) is None
        said = {one: text_hash(one) for one in texts.values() if one is not None}
        vectors = known_texts(self._session, self._group_id, said.values())
        new = self._made(one for one in said.values() if one not in vectors)
        if new and is_first:
            dimension = len(new[0][1]) // NUMBER_BYTES
            set_model(self._session, self._group_id, self._embedder.name, dimension)
        vectors |= self._added(new)
        after = {
            element: vectors.get(said[one], NO_VECTOR) if one is not None else NO_VECTOR
            for element, one in texts.items()
        }
        self._point({one: at for one, at in after.items() if at or one in before}, before)
        return {hash_: one for one, hash_ in said.items() if hash_ not in vectors}

    def _made(self, hashes: Iterable[str]) -> list[tuple[str, bytes]]:
        """Return those of the texts whose vectors are prepared, with these."""
        made = ((one, self._prepared(one)) for one in dict.fromkeys(hashes))
        return [(one, vector) for one, vector in made if vector is not None]

    def _added(self, new: Sequence[tuple[str, bytes]]) -> dict[str, int]:
        """Add vectors, and return where they are."""
        if not new:
            return {}
        row = self._session.row(LAST_VECTOR, {"group": self._group_id})
        last = 0 if row is None else whole(row[0])
        added = [self._row(last + at, *one) for at, one in enumerate(new, 1)]
        _VECTORS.run(self._session, added)
        return {one: last + at for at, (one, _) in enumerate(new, 1)}

    def _row(self, at: int, hash_: str, vector: bytes) -> SqlRow:
        assert self._embedder is not None
        model = self._embedder.name, len(vector) // NUMBER_BYTES
        return (
            *(at, self._group_id, hash_, vector),
            row_digest(self._group_id, at, hash_, vector, *model),
        )

    def _point(self, after: Mapping[int, int], before: Mapping[int, int]) -> None:
        """Let elements have other vectors, and drop those that nothing has any more."""
        if not after:
            return
        group_id, last = self._group_id, last_number(self._session, self._group_id)
        changed = [(one, at) for one, at in after.items() if before.get(one) != at]
        new: list[tuple[int, int, int, int, int]] = []
        moved: list[tuple[int, int, int, int, int]] = []
        for number, (element, vector) in enumerate(changed, last + 1):
            digest = row_digest(group_id, number, element, vector)
            if element in before:
                moved.append((number, vector, digest, group_id, element))
            else:
                new.append((group_id, number, element, vector, digest))
        _EMBEDDED.run(self._session, new)
        self._session.execute_many(CHANGE, moved)
        drop_unused(self._session, group_id, {before[one] for *_, one in moved})

    def _vectors_of(self, elements: Iterable[int]) -> dict[int, int]:
        return _vectors_of(self._session, self._group_id, elements)


def last_number(session: Session, group_id: int) -> int:
    """Return the number of the last change of a group's vectors."""
    row = session.row(LAST_NUMBER, {"group": group_id})
    return 0 if row is None else whole(row[0])


def known_texts(session: Session, group_id: int, hashes: Iterable[str]) -> dict[str, int]:
    """Return where the vectors of texts are, by hash, as far as there are any."""
    wanted = orjson.dumps([*hashes]).decode()
    rows = session.rows(OF_TEXTS, {"group": group_id, "hashes": wanted})
    return {text(hash_): whole(vector) for hash_, vector in rows}


def drop_unused(session: Session, group_id: int, vectors: Iterable[int]) -> None:
    """Drop those of the vectors that no element has."""
    session.execute_many(
        DROP_UNUSED, [{"group": group_id, "vector": one} for one in vectors if one != NO_VECTOR]
    )


def purge_vectors(session: Session, group_id: int, elements: Sequence[int]) -> int:
    """Erase what elements said as vectors, unless others say it too; return how many went."""
    before = _vectors_of(session, group_id, elements)
    session.execute_many(REMOVE, [{"group": group_id, "element": one} for one in before])
    drop_unused(session, group_id, set(before.values()))
    return sum(vector != NO_VECTOR for vector in before.values())


def vectors_in(session: Session, group_id: int) -> int:
    """Return how many elements of a group have a vector."""
    row = session.row(COUNT, {"group": group_id, "no_vector": NO_VECTOR})
    return 0 if row is None else whole(row[0])


def forget_vectors(session: Session, group_id: int) -> None:
    """Drop all vectors of a group, and its model; what was cached of them is to be made stale."""
    for table in ("embedded", "vector", "embedding_model"):
        session.execute_many(DELETE[table], [{"group": group_id}])


def _vectors_of(session: Session, group_id: int, elements: Iterable[int]) -> dict[int, int]:
    wanted = orjson.dumps([*elements]).decode()
    rows = session.rows(OF_ELEMENTS, {"group": group_id, "elements": wanted})
    return {whole(element): whole(vector) for element, vector in rows}
