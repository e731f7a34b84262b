"""Words to their stems, by the stemmer that files use: a server holds the same stems.

The rule: a word is stemmed behind the name of its partition, as it is in a file, and stands in the
index without it. The stemmer is asked for on a connection in memory, one for each thread.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Final

import apsw

from recollect.kernel.store.port import Partition, marked
from recollect.kernel.store.sqlite.functions import TOKENIZER

_MOST: Final = 30_000  # words of a partition whose stems are kept


class _Stemmer(threading.local):
    """What turns a token into its stem, on this thread."""

    def __init__(self) -> None:
        self.stems = apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER[0], [*TOKENIZER[1:]])


_HERE: Final = _Stemmer()


class Stems(dict[str, str]):
    """The stems of a partition's words, each made when it is first met.

    >>> stems_of(Partition(12, is_link=False, is_living=True))["headaches"]
    'headach'
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, word: str) -> str:
        """Return the stem of a word, and keep it."""
        if len(self) >= _MOST:
            self.clear()
        token, asks = f"{self._prefix}{marked(word)}".encode(), apsw.FTS5_TOKENIZE_QUERY
        (stem,) = _HERE.stems(token, asks, None, include_offsets=False, include_colocated=False)
        self[word] = stem = str(stem).removeprefix(self._prefix)
        return stem


@lru_cache(8)
def stems_of(partition: Partition) -> Stems:
    """Return the stems of a partition; what was met is kept from one write to the next."""
    return Stems(partition.prefix)
