"""Facts through the operations, with vectors: how fast they come in, and how fast they are found.

The rule: the embedder only draws numbers, so that what is timed is ours; a question is eight
words of one of the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import recollect
from bench.measure import Calibration, Figure, medians, seconds_of
from bench.notes import notes, questions, word
from bench.scale import FULL, Scale
from recollect.embeddings import Embedder
from recollect.faces.operations import Operations
from recollect.model import PutConcept

DIMENSION = 384
FACTS = 10_000
ENTITIES_FOR_EACH = 5  # facts to one entity
GROUP = "team"

_RELATIONS = 20
_RARE = 5_000  # the rank of the first word that names an entity
_AT_ONCE = 100  # facts of one call
_ASKED = 60
_SECONDS = 6.0
_FACTS_A_SECOND = 5_000


class Drawn(Embedder):
    """Draws a vector for every text."""

    def __init__(self) -> None:
        super().__init__("drawn", DIMENSION, batch=1_000)
        self._draws = np.random.default_rng(7)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return numbers that mean nothing."""
        return self._draws.standard_normal((len(texts), DIMENSION), dtype=np.float32)


def figures(folder: Path, calibration: Calibration, scale: Scale) -> Iterator[Figure]:
    """Fill memories of 10,000 facts and of ten times as many, and search them."""
    few = scale.times(FACTS)
    for count, hybrid_ms, words_ms in ((few, 5, 2), (10 * few, 30, 0)):
        if scale is not FULL and count > few:
            return
        size = f"{count / 1_000:g} k facts"
        path = folder / f"meanings-{count}.db"
        with recollect.open(path, embedder=Drawn()) as nexus:
            calibration.run()
            rate = count / seconds_of(lambda: fill(nexus, count))  # noqa: B023 - called at once
            if count == few:
                yield Figure(
                    "operations",
                    f"AddFacts with vectors, {_AT_ONCE} a call",
                    rate,
                    "/s",
                    target=f"{_FACTS_A_SECOND:,}/s",
                    is_reached=rate >= _FACTS_A_SECOND,
                )
            name = f"SearchFacts by words and meaning, {size}"
            yield _figure(nexus, calibration, scale, name, hybrid_ms)
        with recollect.open(path) as nexus:
            yield _figure(nexus, calibration, scale, f"SearchFacts by words, {size}", words_ms)


def _figure(
    nexus: recollect.Nexus, calibration: Calibration, scale: Scale, name: str, most_ms: int
) -> Figure:
    calibration.run()
    texts = questions(_ASKED, scale.times(FACTS))
    (found,) = medians([_searching(Operations(nexus))], texts, scale.seconds(_SECONDS))
    is_reached = found <= most_ms * 1_000 if most_ms else None
    target = f"{most_ms} ms" if most_ms else ""
    return Figure("operations", name, found, "us", target=target, is_reached=is_reached)


def _searching(operations: Operations) -> Callable[[str], object]:
    def ask(text: str) -> object:
        envelope = operations.search_facts(group_ids=[GROUP], query=text, max_facts=10)
        assert envelope["status"] == "OK", envelope
        assert envelope["output"]["facts"], envelope
        return envelope

    return ask


def fill(nexus: recollect.Nexus, count: int) -> None:
    """Add that many facts between a fifth as many entities."""
    operations, entities = Operations(nexus), count // ENTITIES_FOR_EACH
    nexus.group(GROUP).write(
        [PutConcept("Entity", f"{word(_RARE + at)} {at}", id=f"e{at}") for at in range(entities)]
    )
    texts = (str(note.attributes["text"]) for note in notes(count))
    for start in range(0, count, _AT_ONCE):
        envelope = operations.add_facts(
            group_id=GROUP,
            facts=[
                {
                    "uuid": f"f{at}",
                    "name": f"R{at % _RELATIONS}",
                    "fact": text,
                    "source_node_uuid": f"e{at % entities}",
                    "target_node_uuid": f"e{(7 * at + at // entities + 1) % entities}",
                }
                for at, text in enumerate(islice(texts, _AT_ONCE), start)
            ],
        )
        assert envelope["status"] == "OK", envelope
