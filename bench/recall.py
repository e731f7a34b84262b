"""Recall: how well it finds facts asked for in other words, how well it says nothing, how fast.

The rule: a fact is right if it is among the first three; a question without an answer is right if
nothing is answered. Times are of questions of eight words, about one of the texts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import recollect
from bench.lives import Life, lives, strangers
from bench.measure import Calibration, Figure
from bench.notes import notes, questions
from bench.paraphrases import FACTS, QUESTIONS
from bench.scale import FULL, Scale
from recollect import Memory, Nexus
from recollect.model import PutConcept

TEXTS = 10_000
REPETITIONS = 20

_SAID_AGAIN = (
    "What is the code of the garden gate",
    "The garden gate: what is its code",
    "Garden gate, what code is it",
    "The code of the gate of the garden",
)
_ASKED = 100
_FIRST = 3
_WARM = 5


def figures(folder: Path, calibration: Calibration, scale: Scale) -> Iterator[Figure]:
    """Ask the questions in other words, then time others, about 10,000 texts and 100,000."""
    yield from _paraphrased()
    yield from _of_lives("of four lives", lives())
    yield from _of_lives("of nine sets of strangers", strangers())
    yield _repeated()
    yield _of_one_author()
    few = scale.times(TEXTS)
    for count, median_ms, late_ms in ((few, 3, 10), (10 * few, 10, 30)):
        if scale is FULL or count == few:
            yield from _timed(folder, calibration, count, median_ms, late_ms)


def _paraphrased() -> Iterator[Figure]:
    with recollect.memory(":memory:") as memory:
        told = [
            {"subject": start, "predicate": predicate, "object": end, "text": text}
            for start, predicate, end, text in FACTS
        ]
        ids = [one.id for one in memory.remember(facts=told).facts]
        answers = [
            (fact, [one.memory.id for one in memory.recall(question, limit=_FIRST).memories])
            for question, fact in QUESTIONS
            if fact is not None
        ]
        found = [ids[fact] in answer for fact, answer in answers]
        lost = 100 * sum(not answer for _, answer in answers) / len(answers)
        empty = [not memory.recall(one).memories for one, fact in QUESTIONS if fact is None]
    right, silent = 100 * sum(found) / len(found), 100 * sum(empty) / len(empty)
    yield Figure(
        "recall", "in other words, in the first three", right, "%", None, "80", right >= 80
    )
    yield Figure(
        "recall", "unanswerable, answered with nothing", silent, "%", None, "80", silent >= 80
    )
    yield Figure("recall", "answerable, answered with nothing", lost, "%", None, "5", lost <= 5)


def _of_lives(whose: str, told: Sequence[Life]) -> Iterator[Figure]:
    """Ask the questions about lives."""
    found: list[bool] = []
    lost: list[bool] = []
    empty: list[bool] = []
    for life in told:
        with recollect.memory(":memory:", actor=life["asker"] or "assistant") as memory:
            keys = _told(memory, life)
            for question, expected in life["asked"]:
                memories = memory.recall(question).memories
                first = [keys.get(one.memory.id) for one in memories[:_FIRST]]
                if expected:
                    found.append(set(expected) <= set(first))
                    lost.append(not memories)
                else:
                    empty.append(not memories)
    for name, shares in (("in the first three", found), ("answered with nothing", empty)):
        share = 100 * sum(shares) / len(shares)
        yield Figure("recall", f"{whose}, {name}", share, "%", None, "80", share >= 80)
    share = 100 * sum(lost) / len(lost)
    yield Figure("recall", f"{whose}, answerable, with nothing", share, "%", None, "5", share <= 5)


def _told(memory: Memory, life: Life) -> dict[str, str]:
    """Tell a life, and return the keys of what was told by ids."""
    keys: dict[str, str] = {}
    asker = life["asker"]
    if asker:
        memory.remember(facts=[{"subject": "$self", "predicate": "serves", "object": asker}])
    for key, one in life["told"]:
        facts = [one["fact"]] if "fact" in one else None
        text = one.get("text")
        said = [{"kind": "user_statement", "detail": text}] if text else None
        messages = [_message(at, asker, said) for at, said in enumerate(one.get("messages", ()))]
        told = memory.remember(text, facts=facts, evidence=said, messages=messages or None)
        ids = [*(fact.id for fact in told.facts), *told.episodes]
        keys |= dict.fromkeys([*ids, told.claim.id] if told.claim else ids, key)
    return keys


def _message(at: int, asker: str | None, text: str) -> dict[str, str]:
    """Return a message that is written as who says it, and what."""
    role, _, content = text.partition(": ")
    return {
        "role_type": "assistant" if role == "assistant" else "user",
        "role": asker or "somebody" if role in {"user", "assistant"} else role,
        "content": content,
        "timestamp": f"2025-07-01T10:00:{at:02}Z",
    }


def _repeated() -> Figure:
    """Return how many of five places twenty repetitions of a question take."""
    question = "What is the code of the garden gate?"
    with recollect.open(":memory:") as nexus:
        told = [_SAID_AGAIN[at % len(_SAID_AGAIN)] + "!" * at for at in range(REPETITIONS)]
        kept = ["The garden gate opens with 4711", "The garden has an oak", "The gate is green"]
        nexus.write(
            [PutConcept("Note", f"n{at}", {"label": one}) for at, one in enumerate(told + kept)]
        )
        passages = [one.passage for one in nexus.recall(question, limit=5).memories]
    taken = sum(one in told for one in passages)
    return Figure("recall", "places of five of 20 repetitions", taken, "", None, "1", taken <= 1)


def _of_one_author() -> Figure:
    """Return how many of five places twenty answers of one author take from those of others."""
    with recollect.open(":memory:") as nexus:
        told = [(f"The spare key of the flat lies in box {at}", "one") for at in range(REPETITIONS)]
        told += [
            (f"{who} has the spare key of the flat", who) for who in ("Ada", "Ben", "Cem", "Dora")
        ]
        nexus.write(
            [
                PutConcept("Note", f"n{at}", {"label": label}, {"source": author})
                for at, (label, author) in enumerate(told)
            ]
        )
        found = nexus.recall("Where is the spare key of the flat?", limit=5).memories
    taken = sum("box" in one.passage for one in found)
    return Figure("recall", "places of five of one author", taken, "", None, "2", taken <= 2)


def _timed(
    folder: Path, calibration: Calibration, count: int, median_ms: int, late_ms: int
) -> Iterator[Figure]:
    size = f"{count / 1_000:g} k texts"
    with recollect.open(folder / f"recalled-{count}.db") as nexus:
        nexus.write(list(notes(count)))
        calibration.run()
        first = time.perf_counter()
        nexus.recall("what is there")
        yield Figure("recall", f"{size}, the first question", time.perf_counter() - first, "s")
        times = _times(nexus, count)
    middle, late = statistics.median(times), times[int(0.95 * len(times))]
    for name, value, most in (("median", middle, median_ms), ("95 of 100", late, late_ms)):
        yield Figure("recall", f"{size}, {name}", value, "ms", None, f"{most} ms", value <= most)


def _times(nexus: Nexus, count: int) -> list[float]:
    """Return the milliseconds of questions, the shortest first."""
    times = []
    for at, question in enumerate(questions(_ASKED + _WARM, count)):
        begin = time.perf_counter()
        nexus.recall(question)
        if at >= _WARM:
            times.append(1_000 * (time.perf_counter() - begin))
    return sorted(times)
