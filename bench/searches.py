"""SEARCH: questions and single words, in a large group and in a small one beside it.

What stands beside each is FTS5's own `bm25()` over every word of the question: no stop words,
no partitions' own statistics, one index for all groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import recollect
from bench.measure import Calibration, Figure, medians
from bench.notes import notes, questions, word
from bench.scale import Scale
from recollect.kernel.search.tokens import terms
from recollect.kernel.store.port import Partition
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.sqlite.text_index import any_of
from recollect.model import AsOf, Hits

DOCUMENTS = 300_000
SMALL_GROUP = 500
_BATCH = 10_000
_ASKED = 60
_SECONDS = 4.0
_RARE, _COMMON = 5_000, 0  # ranks of the single words

_BY_HAND = """
SELECT concept.id, concept.name, concept.attributes
FROM text_index CROSS JOIN concept ON concept.id = text_index.rowid
WHERE text_index MATCH :match AND concept.group_id = :group AND concept.expired_at > :number
ORDER BY bm25(text_index) LIMIT 10
"""


class Library:
    """A file with a large group of documents and a small one."""

    def __init__(self, path: str | Path, scale: Scale) -> None:
        self._path = path
        self._documents = scale.size(DOCUMENTS)
        self._seconds = scale.seconds(_SECONDS)
        self._rare = scale.times(_RARE)
        self.done = 0
        self.total = self._documents + SMALL_GROUP

    def build(self) -> None:
        """Write the documents."""
        with recollect.open(self._path, synchronous="normal") as nexus:
            self._fill(nexus, self._documents)
            self._fill(nexus.group("small"), SMALL_GROUP)

    def figures(self, calibration: Calibration) -> Iterator[Figure]:
        """Time the searches."""
        size = self._documents // 1000
        asked = questions(_ASKED, self._documents)
        asked_small = questions(_ASKED, SMALL_GROUP)
        rare = [word(self._rare + at) for at in range(_ASKED)]
        past = AsOf(transaction=10**6)
        with recollect.open(self._path) as nexus:
            small = nexus.group("small")
            for name, where, texts, moment, most in (
                (f"8 words in {size} k documents", nexus, asked, None, 10_000),
                (
                    f"8 words in {SMALL_GROUP} documents beside them",
                    small,
                    asked_small,
                    None,
                    1_000,
                ),
                (f"8 words in {size} k documents, as of the past", nexus, asked, past, 0),
                (f"a rare word in {size} k documents", nexus, rare, None, 0),
                (f"a common word in {size} k documents", nexus, [word(_COMMON)] * 5, None, 0),
            ):
                calibration.run()
                functions = [_in_kip(where, moment), self._by_hand(where.group_name)]
                ours, theirs = medians(functions, texts, self._seconds)
                target = f"{most // 1000} ms" if most else ""
                is_reached = ours <= most if most else None
                yield Figure("search", name, ours, "us", theirs, target, is_reached)

    def _fill(self, nexus: recollect.Nexus, count: int) -> None:
        documents = notes(count)
        while batch := list(islice(documents, _BATCH)):
            nexus.write(batch)
            self.done += len(batch)

    def _by_hand(self, group: str) -> Callable[[str], object]:
        session = SqliteSession(str(self._path), StoreSettings(), query_only=True)
        sql = "SELECT group_id FROM grp WHERE name = ?"
        ((group_id,),) = session.connection.execute(sql, (group,))
        partition = Partition(group_id, is_link=False, is_living=True)

        def ask(text: str) -> object:
            bound = {"match": any_of(partition, terms(text)), "group": group_id, "number": 10**9}
            return session.connection.execute(_BY_HAND, bound).fetchall()

        return ask


def _in_kip(nexus: recollect.Nexus, moment: AsOf | None) -> Callable[[str], object]:
    def ask(text: str) -> object:
        (result,) = nexus.read("SEARCH CONCEPT $text", {"text": text}, as_of=moment).results
        assert isinstance(result, Hits)
        assert result.hits
        return result

    return ask
