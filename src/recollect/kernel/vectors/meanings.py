"""What the groups of a store share of an embedder: vectors made in advance, and those in memory.

The rule: a group's vectors in memory are brought up to date before they are asked, and none
outlives a purge. Together they take a bounded share of memory, the longest unused go first. No
model is asked while others wait to write: a write whose texts lack vectors, here and among those
made a moment ago, is undone and run again with them; when the embedder is away, it is kept without,
and says so.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Final

from recollect.errors import EMBEDDER_UNAVAILABLE, STORE_CORRUPT, Notice, RecollectError, refused
from recollect.kernel.store.cells import octets, whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.sharing import Shared
from recollect.kernel.store.statements.vectors import CHANGED, STATE
from recollect.kernel.vectors.embedder import (
    NUMBER_BYTES,
    Embedder,
    VectorSpace,
    dimension_of,
    text_hash,
)
from recollect.kernel.vectors.rows import known_texts
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
