"""The vectors that one write brings along, made before its transaction.

The rule: no model is asked while others wait to write. A write whose texts lack vectors, here
and among those made a moment ago, is undone and run again with them; when the embedder is away,
it is kept without, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.errors import EMBEDDER_UNAVAILABLE, Notice, RecollectError
from recollect.kernel.vectors.embedder import Embedder
from recollect.kernel.vectors.meanings import Meanings

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
        return (Notice("not_embedded", message, "run recollect reindex later"),)
