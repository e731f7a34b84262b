"""Claims: 100,000 of real text, each with two references, learned, recalled, moved and listed.

The text is what the authors of the installed packages wrote in comments and docstrings: real
words, in the order and with the frequencies of a language, and the same under every Python.
Beside a write stand its own statements, bare, as durable, in a copy of the file; beside a recall,
FTS5's own `bm25()` over every word of the question, among the claims of the same statuses.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import statistics
import sysconfig
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from bench.bare import Statements, bare_times, overheard
from bench.measure import Calibration, Figure
from bench.scale import Scale
from recollect.faces.claims import (
    ACTIVE,
    Claim,
    Scope,
    SQLiteKnowledgeStore,
    from_file,
    from_tool_result,
)
from recollect.kernel.search.tokens import terms
from recollect.kernel.store.port import Partition
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.sqlite.text_index import any_of

CLAIMS = 100_000
SCOPES = 1_000
_WORDS, _STEP = 14, 9  # of a claim, and between two of them
_BATCH = 1_000
_ASKED = 200
_WORD = re.compile(r"[A-Za-z][\w'-]*")
_COMMENT = re.compile(r"#\s+(.*)")
_LONG_STRING = re.compile(r'"""(.*?)"""', re.DOTALL)
_WARM = 5  # calls before the clock starts
_COMMON = 40  # the words of common questions are among so many
_MOST = {  # milliseconds: of half of the calls, and of 95 in a hundred; 0: nothing is promised
    "learn one": (1.0, 0.0),
    "recall": (5.0, 20.0),
    "recall in a scope": (5.0, 20.0),
    "transition": (1.0, 0.0),
    "list a scope": (1.0, 0.0),
}
_RECALL = """
SELECT concept.id, concept.name, concept.attributes
FROM text_index CROSS JOIN concept ON concept.id = text_index.rowid
WHERE text_index MATCH :match AND concept.group_id = :group AND concept.type =
    (SELECT code FROM term WHERE group_id = :group AND text = 'Claim')
  AND concept.attributes ->> '$.claim_status' IN ('observed', 'inferred', 'verified')
ORDER BY bm25(text_index) LIMIT 5
"""


class Knowledge:
    """A file with claims in it."""

    def __init__(self, folder: Path, scale: Scale) -> None:
        self._store = SQLiteKnowledgeStore(folder / "claims.db")
        self._copy = folder / "bare claims.db"  # as they were before the figures
        self._texts = list(islice(_texts(), scale.size(CLAIMS)))
        self._asked = scale.times(_ASKED)
        self._seconds = 0.0
        self.done = 0
        self.total = scale.size(CLAIMS)

    def build(self) -> None:
        """Write the claims in batches, each durable."""
        asyncio.run(self._build())

    def figures(self, calibration: Calibration) -> Iterator[Figure]:
        """Time what one does with claims: first what reads, then what writes."""
        self._store.nexus.backup(self._copy)
        os.sync()
        calibration.run()
        yield from asyncio.run(self._figures())
        calibration.run()

    async def _build(self) -> None:
        start = time.perf_counter()
        for first in range(0, self.total, _BATCH):
            numbers = range(first, min(first + _BATCH, self.total))
            await self._store.write_claims([self._claim(number) for number in numbers])
            self.done += len(numbers)
        self._seconds = time.perf_counter() - start

    async def _figures(self) -> list[Figure]:
        store, size = self._store, f"{self.total // 1000} k claims"
        chance = random.Random(39)
        ids = [f"claim-{number}" for number in chance.sample(range(self.total), 2 * self._asked)]
        places = [f"repo-{chance.randrange(SCOPES)}" for _ in range(self._asked)]
        asked = [*self._questions(chance), *self._common_questions(chance)]
        learned = iter([self._claim(self.total + number) for number in range(2 * self._asked)])
        rate = self.total / self._seconds
        figures = [
            Figure(
                "claims", f"learned in batches, {size}", rate, "/s", None, "2000/s", rate > 2_000
            )
        ]

        async def recall(question: str) -> None:
            await store.query(question, status=list(ACTIVE), limit=5)

        async def recall_scoped(question: str) -> None:
            scope = Scope("repo", places[len(question) % self._asked])
            await store.query(question, scope=scope, status=list(ACTIVE), limit=5)

        async def learn(_: str) -> None:
            await store.write_claim(next(learned))

        async def verify(claim_id: str) -> None:
            await store.transition(claim_id, "verified", evidence=[from_tool_result(claim_id)])

        async def listed(place: str) -> None:
            await store.list(scope=Scope("repo", place), limit=20)

        timed = {  # reads come first: what was built keeps the disk for seconds after its sync
            "recall": await _times(recall, asked),
            "recall in a scope": await _times(recall_scoped, asked),
            "list a scope": await _times(listed, places),
        }
        by_hand = {"recall": list(self._recalled_by_hand(asked))}
        half, rest = ids[: self._asked], ids[self._asked :]
        timed["learn one"] = await _times(learn, half)
        timed["transition"] = await _times(verify, half)
        # In the order in which the copy comes to hold what is there.
        by_hand["learn one"] = bare_times(self._copy, await _writes(learn, rest))
        by_hand["transition"] = bare_times(self._copy, await _writes(verify, rest))
        for name, times in timed.items():
            middle, late = _MOST[name]
            beside = statistics.median(by_hand[name]) if name in by_hand else None
            p50, p95 = statistics.median(times), sorted(times)[len(times) * 95 // 100]
            figures.append(_figure(f"{name}, p50, {size}", p50, middle, beside))
            figures.append(_figure(f"{name}, p95, {size}", p95, late))
        return figures

    def _recalled_by_hand(self, asked: Sequence[str]) -> Iterator[float]:
        """Yield the milliseconds that each question takes the engine's own ranking."""
        session = SqliteSession(str(self._copy), StoreSettings(), query_only=True)
        connection = session.connection
        sql = "SELECT group_id FROM grp WHERE name = ?"
        ((group_id,),) = connection.execute(sql, (self._store.nexus.group_name,))
        partition = Partition(group_id, is_link=False, is_living=True)
        for at, text in enumerate([*asked[:_WARM], *asked]):
            start = time.perf_counter()
            match = any_of(partition, terms(text))
            connection.execute(_RECALL, {"match": match, "group": group_id}).fetchall()
            if at >= _WARM:
                yield (time.perf_counter() - start) * 1_000
        session.close()

    def _claim(self, number: int) -> Claim:
        text, other = (self._texts[one % len(self._texts)] for one in (number, number + 1))
        return Claim(
            text if number < self.total else f"{text} {number}",
            [
                from_file(f"src/module_{number % 5_000}.py", repo="acme/payments"),
                from_tool_result(f"call-{number}", other[:40]),
            ],
            id=f"claim-{number}",
            scope_type="repo",
            scope_id=f"repo-{number % SCOPES}",
            confidence=(number % 10 + 1) / 10,
        )

    def _questions(self, chance: random.Random) -> list[str]:
        """Return questions of words that stand in one claim."""
        return [
            " ".join(chance.sample(chance.choice(self._texts).split(), 7))
            for _ in range(self._asked)
        ]

    def _common_questions(self, chance: random.Random) -> list[str]:
        """Return questions of common words alone."""
        counts = Counter(word for text in self._texts for word in set(text.casefold().split()))
        common = [word for word, _ in counts.most_common(4 * _COMMON) if len(word) > 3][:_COMMON]
        return [" ".join(chance.sample(common, 4)) for _ in range(self._asked // 10)]


async def _times(action: Callable[[str], Awaitable[None]], given: list[str]) -> list[float]:
    """Return the milliseconds of each call, after a few that warm up."""
    times: list[float] = []
    for one in given:
        start = time.perf_counter()
        await action(one)
        times.append((time.perf_counter() - start) * 1_000)
    return times[_WARM:]


async def _writes(action: Callable[[str], Awaitable[None]], given: list[str]) -> list[Statements]:
    """Return what each call writes; to listen takes time, so these are not timed."""
    writes: list[Statements] = []
    with overheard() as heard:
        for one in given:
            await action(one)
            writes.append(heard.copy())
            heard.clear()
    return writes


def _figure(name: str, value: float, most: float, beside: float | None = None) -> Figure:
    if not most:
        return Figure("claims", name, value, "ms", beside)
    return Figure("claims", name, value, "ms", beside, f"{most:g} ms", value <= most)


def _texts() -> Iterator[str]:
    """Yield texts of real words, one after another from what the packages say."""
    words = list[str]()
    for prose in _prose():
        words += _WORD.findall(prose)
        while len(words) >= _WORDS:
            yield " ".join(words[:_WORDS])
            del words[:_STEP]


def _prose() -> Iterator[str]:
    """Yield the comments and long strings of the packages' modules."""
    for path in sorted(Path(sysconfig.get_path("purelib")).rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        yield from _COMMENT.findall(source)
        yield from _LONG_STRING.findall(source)
