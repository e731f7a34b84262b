"""The knowledge base on the graph: 100,000 pieces of 1,000 entities, asked and added to.

Beside the graph stand the same pieces in the SQLite services, asked the same questions.
"""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import recollect
from bench.measure import Calibration, Figure, seconds_of
from bench.notes import notes, questions
from bench.scale import Scale
from recollect.faces.knowledge import (
    GraphServiceEntityGraphStore,
    KeyValueMetadataStore,
    KnowledgeBase,
    KnowledgeDataLoader,
    KnowledgePiece,
    KnowledgeProvider,
    MemoryGraphService,
    RetrievalKnowledgePieceStore,
    SQLiteFTS5RetrievalService,
    SQLiteKeyValueService,
)

PIECES, ENTITIES, EDGES = 100_000, 1_000, 200_000
_ASKED = 200
_COMPARED = 20_000  # pieces that both hold, where they are asked beside each other
_LOADED = 5_000.0  # pieces a second
_MOST = {"retrieve": 5.0, "three hops": 5.0, "add": 1.0}  # milliseconds, of half of the calls
_MOST_OF_95 = 20.0
_MOST_PROVIDED = 1.0  # milliseconds that a provider may take more


def figures(folder: Path, calibration: Calibration, scale: Scale) -> Iterator[Figure]:
    """Time one load, and what one asks of the group that it makes."""
    pieces, times = scale.size(PIECES), scale.times(_ASKED)
    document = _document(pieces, scale.size(ENTITIES), scale.size(EDGES))
    asked = itertools.cycle(questions(scale.times(60), pieces))
    entities = itertools.cycle(document["metadata"])
    with recollect.open(folder / "knowledge.db") as nexus, KnowledgeBase(nexus=nexus) as kb:
        calibration.run()
        loaded = pieces / seconds_of(lambda: KnowledgeDataLoader().load(kb, document))
        reached = loaded >= _LOADED
        what = f"load {pieces} pieces with their graph"
        yield _figure(what, loaded, "pieces/s", f">= {_LOADED:,.0f}", is_reached=reached)
        other = _services(folder, document["pieces"][: scale.size(_COMPARED)])
        try:
            yield from _asking(kb, other, asked, entities, times)
        finally:
            other.close()
        number = itertools.count()
        took = _times(
            lambda: kb.add_piece(KnowledgePiece(next(asked), f"new {next(number)}")), times
        )
        yield _median("add", "add a piece", took)


def _asking(
    kb: KnowledgeBase,
    other: KnowledgeBase,
    asked: Iterator[str],
    entities: Iterator[str],
    times: int,
) -> Iterator[Figure]:
    own = _times(lambda: kb.retrieve(next(asked), next(entities)), times)
    beside = _times(lambda: other.retrieve(next(asked), next(entities)), times)
    yield _median("retrieve", "retrieve", own, statistics.median(beside))
    last = sorted(own)[int(len(own) * 0.95)]
    is_reached = last <= _MOST_OF_95
    yield _figure("retrieve, p95", last, "ms", f"<= {_MOST_OF_95:g}", is_reached=is_reached)
    provider = KnowledgeProvider(kb)

    def provide() -> object:
        provider.entity_id = next(entities)
        return provider(next(asked))

    more = statistics.median(_times(provide, times)) - statistics.median(own)
    is_reached = more <= _MOST_PROVIDED
    yield _figure("provide, more", more, "ms", f"<= {_MOST_PROVIDED:g}", is_reached=is_reached)
    kb.graph_traversal_depth = 3
    hops = _times(lambda: kb.retrieve("", next(entities)), times)
    kb.graph_traversal_depth = 1
    yield _median("three hops", "three hops, no words", hops)


def _document(pieces: int, entities: int, edges: int) -> dict[str, Any]:
    chance = random.Random(5)
    names = [f"entity:{at}" for at in range(entities)]
    return {
        "metadata": {one: {"entity_type": "entity", "properties": {"n": one}} for one in names},
        "pieces": [
            {
                "piece_id": f"p{at}",
                "content": note.attributes["text"],
                "entity_id": None if at % 10 == 0 else chance.choice(names),
                "tags": [f"tag{at % 50}"],
            }
            for at, note in enumerate(notes(pieces))
        ],
        "graph": {
            "nodes": [{"node_id": one, "node_type": "entity"} for one in names]
            + [{"node_id": f"leaf:{at}", "node_type": "leaf"} for at in range(edges // 4)],
            "edges": [_edge(chance, names, at, edges, pieces) for at in range(edges)],
        },
    }


def _edge(
    chance: random.Random, names: list[str], at: int, edges: int, pieces: int
) -> dict[str, Any]:
    """Return an edge: one in a hundred to another entity, the others to leaves."""
    target = chance.choice(names) if at % 100 == 0 else f"leaf:{chance.randrange(edges // 4)}"
    properties = {"piece_id": f"p{chance.randrange(pieces)}"} if at % 20 == 0 else {}
    return {
        "source_id": chance.choice(names),
        "target_id": target,
        "edge_type": f"T{at % 7}",
        "properties": properties,
    }


def _services(folder: Path, pieces: list[dict[str, Any]]) -> KnowledgeBase:
    kb = KnowledgeBase(
        KeyValueMetadataStore(SQLiteKeyValueService(str(folder / "profiles.db"))),
        RetrievalKnowledgePieceStore(SQLiteFTS5RetrievalService(str(folder / "pieces.db"))),
        GraphServiceEntityGraphStore(MemoryGraphService()),
    )
    kb.bulk_load(pieces)
    return kb


def _times(call: Callable[[], object], times: int) -> list[float]:
    """Return the milliseconds of so many calls, after a tenth more to warm up."""
    for _ in range(max(1, times // 10)):
        call()
    took = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        took.append((time.perf_counter() - begun) * 1_000)
    return took


def _median(name: str, what: str, took: list[float], beside: float | None = None) -> Figure:
    half, most = statistics.median(took), _MOST[name]
    return _figure(what, half, "ms", f"<= {most:g}", beside=beside, is_reached=half <= most)


def _figure(
    what: str,
    value: float,
    unit: str,
    target: str,
    *,
    is_reached: bool,
    beside: float | None = None,
) -> Figure:
    return Figure("knowledge", what, value, unit, beside, target, is_reached)
