"""The vectors of a group's texts: their rows, those in memory, and those made in advance.

Each text of a group has one, with which element says it: the vector of what that says now, or it
has none. `number` rises whenever the vector of an element becomes another one, so that a copy in
memory can catch up; rows go only with a purge, or when all of a group's vectors go.

The rule: a group's vectors in memory are brought up to date before they are asked, and none
outlives a purge. Together they take a bounded share of memory, the longest unused go first. No
model is asked while others wait to write: a write whose texts lack vectors, here and among those
made a moment ago, is undone and run again with them; when the embedder is away, it is kept without,
and says so.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import orjson

from recollect.errors import EMBEDDER_UNAVAILABLE, STORE_CORRUPT, Notice, RecollectError, refused
from recollect.kernel.store.cells import octets, row_digest, text, whole
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.sharing import Shared
from recollect.kernel.store.statement import Insertion
from recollect.kernel.store.statements.counts import DELETE
from recollect.kernel.store.statements.vectors import (
    CHANGE,
    CHANGED,
    COUNT,
    DROP_UNUSED,
    LAST_NUMBER,
    LAST_VECTOR,
    OF_ELEMENTS,
    OF_TEXTS,
    REMOVE,
    STATE,
)
from recollect.kernel.vectors.embedder import (
    NUMBER_BYTES,
    Embedder,
    VectorSpace,
    dimension_of,
    set_model,
    text_hash,
)
from recollect.model import LINK_BIT
from recollect.node import dataclass, field

_MOST_BYTES: Final = 512 * 2**20  # of all groups together
_MOST_TEXTS: Final = 4_096  # whose vectors wait for the write that needs them
_MOST_QUESTIONS: Final = 256
_AT_ONCE: Final = 10_000  # vectors read together


@dataclass(slots=True)
class _Held:
    """The vectors of one group in memory, as of a number."""

    epoch: int
    concepts: VectorSpace
    links: VectorSpace
    number: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def size(self) -> int:
        return self.concepts.size + self.links.size


class Meanings(Shared):
    """An embedder at work for all groups of a store; safe to share between threads."""

    def __init__(self, embedder: Embedder, mode: str, most_bytes: int = _MOST_BYTES) -> None:
        """`mode` is how SEARCH compares when it does not say.

        INVALID_ARGUMENT for an embedder that makes no vectors, whatever the caller's types say.
        """
        super().__init__()
        if not callable(getattr(embedder, "documents", None)):
            raise refused(
                f"the embedder is of type {type(embedder).__name__}, which makes no vectors",
                "pass an embedder, such as HttpEmbedder of recollect.embeddings.http",
            )
        self.embedder = embedder
        self.mode = mode
        self._most_bytes = most_bytes
        self._made: dict[str, bytes] = {}  # by hash of the text, oldest first
        self._questions: dict[str, bytes] = {}  # by text, oldest first

    def part(self) -> None:
        """Begin anew in a forked child: a thread may have been changing what is held."""
        super().part()
        self._groups: OrderedDict[int, _Held] = OrderedDict()

    def dimension(self) -> int:
        """Return how many numbers the model gives; it is asked unless that is known."""
        known = self.embedder.dimension
        return len(self.question("dimension")) // NUMBER_BYTES if known is None else known

    def question(self, text: str) -> bytes:
        """Return the vector of a text that is looked for; asked again, it is not made again."""
        vector = self._questions.get(text)
        if vector is None:
            vector = self.embedder.question(text)
            self._keep(self._questions, {text: vector}, _MOST_QUESTIONS)
        return vector

    def made(self, hash_: str) -> bytes | None:
        """Return the vector of a text, by its hash, if it was made a moment ago."""
        return self._made.get(hash_)

    def vectors_of(self, hashes: Mapping[str, str]) -> dict[str, bytes]:
        """Return the vectors of texts, both by hash; those made a moment ago are not made again."""
        held = {one: vector for one in hashes if (vector := self.made(one)) is not None}
        missing = [one for one in hashes if one not in held]
        if not missing:
            return held
        vectors = self.embedder.documents([hashes[one] for one in missing])
        made = dict(zip(missing, vectors, strict=True))
        self._keep(self._made, made, _MOST_TEXTS)
        return held | made

    def without_vectors(
        self, session: Session, group_id: int, texts: Iterable[str]
    ) -> dict[str, str]:
        """Return the texts that the group has no vector of, by hash.

        EMBEDDER_CHANGED for another model.
        """
        wanted = {text_hash(one): one for one in texts}
        if not wanted or dimension_of(session, group_id, self.embedder) is None:
            return wanted
        known = known_texts(session, group_id, wanted)
        return {hash_: text for hash_, text in wanted.items() if hash_ not in known}

    def spaces(self, session: Session, group_id: int) -> tuple[VectorSpace, VectorSpace] | None:
        """Return the vectors of a group's concepts and of its links; None where it has none.

        EMBEDDER_CHANGED for those of another model. Cost: what changed since the last time;
        at first, all vectors of the group. Inside a write, what others have committed.
        """
        dimension = dimension_of(session, group_id, self.embedder)
        if dimension is None:
            return None
        row = session.row(STATE, {"group": group_id})
        assert row is not None
        epoch, number = map(whole, row)
        held = self._held(group_id, epoch, dimension, is_shared=not session.is_writing)
        with held.lock:
            if held.number < number and (not session.is_writing or not held.number):
                _catch_up(session, group_id, dimension, held)
        self._keep_within_bounds()
        return held.concepts, held.links

    def forget(self) -> None:
        """Drop everything that is in memory, as a purge demands."""
        with self._lock:
            self._groups.clear()
            self._made.clear()
            self._questions.clear()

    def _keep(self, kept: dict[str, bytes], new: Mapping[str, bytes], most: int) -> None:
        """Keep new vectors, and drop the oldest beyond so many."""
        with self._lock:
            kept |= new
            for one in list(kept)[: max(0, len(kept) - most)]:
                del kept[one]

    def _held(self, group_id: int, epoch: int, dimension: int, *, is_shared: bool) -> _Held:
        """Return what is held of a group; what a write sees first is held for itself alone."""
        with self._lock:
            held = self._groups.get(group_id)
            if held is None or held.epoch < epoch:
                space = self.embedder.space
                held = _Held(epoch, space(dimension), space(dimension))
                if not is_shared:
                    return held
                self._groups[group_id] = held
            self._groups.move_to_end(group_id)
            return held

    def _keep_within_bounds(self) -> None:
        """Drop the longest unused until the rest fits; a group too large by itself goes too."""
        with self._lock:
            total = sum(one.size for one in self._groups.values())
            while total > self._most_bytes and self._groups:
                _, dropped = self._groups.popitem(last=False)
                total -= dropped.size


def _catch_up(session: Session, group_id: int, dimension: int, held: _Held) -> None:
    """Take in what changed in a group since the last time."""
    bytes_each = NUMBER_BYTES * dimension
    while True:
        parameters = {"group": group_id, "after": held.number, "most": _AT_ONCE}
        rows = session.rows(CHANGED, parameters)
        for space, bit in ((held.concepts, 0), (held.links, LINK_BIT)):
            own = [(whole(one), vector) for _, one, vector in rows if whole(one) & 1 == bit]
            vectors = [None if vector is None else octets(vector) for _, vector in own]
            if any(one is not None and len(one) != bytes_each for one in vectors):
                raise STORE_CORRUPT.error(
                    "a stored vector has the wrong length", "recollect doctor --fix"
                )
            space.put([one for one, _ in own], vectors)
        if rows:
            held.number = whole(rows[-1][0])
        if len(rows) < _AT_ONCE:
            return


_MOST_RUNS = 3  # of one write; others may change what it says meanwhile


class Preparation:
    """What is prepared for one write, which is run again while it waits for vectors."""

    def __init__(self, meanings: Meanings) -> None:
        self._vectors: dict[str, bytes] = {}  # by hash of the text
        self._meanings = meanings
        self._wanted: Mapping[str, str] = {}  # texts, by hash
        self._reason = "the texts changed meanwhile"
        self._runs_left = _MOST_RUNS

    @property
    def embedder(self) -> Embedder:
        """What the vectors are made with."""
        return self._meanings.embedder

    def vector(self, hash_: str) -> bytes | None:
        """Return the vector of a text, by its hash, if it is made."""
        return self._vectors.get(hash_) or self._meanings.made(hash_)

    def want(self, texts: Mapping[str, str]) -> bool:
        """Ask for vectors of texts, by hash, that a run has none of.

        Return whether to undo the run, `make` them, and run again.
        """
        self._wanted = texts
        return bool(self._wanted) and self._runs_left > 0

    def make(self) -> None:
        """Make the vectors that are waited for; with the embedder away, wait no longer."""
        if not self._wanted:
            return
        self._runs_left -= 1
        try:
            self._vectors |= self._meanings.vectors_of(self._wanted)
        except RecollectError as error:
            if error.code is not EMBEDDER_UNAVAILABLE:
                raise
            self._reason, self._runs_left = error.message, 0

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What to know about a write that has run: which of its texts have no vectors."""
        if not self._wanted:
            return ()
        count = len(self._wanted)
        lack = "1 text has no vector" if count == 1 else f"{count} texts have no vectors"
        message = f"{lack}, so they are found by words only: {self._reason}"
        return (Notice("not_embedded", message, "run later: recollect reindex"),)


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
        self._session.put(_VECTORS, added)
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
        self._session.put(_EMBEDDED, new)
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
