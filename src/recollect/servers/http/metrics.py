"""What a server counts, in the form that Prometheus reads. Specification 004, section 14.

The rule: a label takes one of few values; no group, uuid or text is ever one.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterable
from itertools import count
from mmap import mmap
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from recollect.errors import CONFLICT
from recollect.faces.operations import Observation
from recollect.faces.operations.context import Observer
from recollect.faces.operations.outputs import State
from recollect.faces.operations.pipeline import Transition, Watcher
from recollect.servers.http.logs import KNOWN, log_operation, log_step

SEARCHES = frozenset({"SearchFacts", "SearchNodes", "GetMemory"})
UNKNOWN = "unknown"
"""The name for operations that do not exist."""

disable_created_metrics()  # type: ignore[no-untyped-call] # nobody asks when a count began

_BUCKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
_QUANTILES = (0.5, 0.9, 0.99)
_RECENT = 1_000
_RING = ".ring"
_ENTRY = struct.Struct("dd")  # when a search ended, by the clock that all processes share; its ms
_NOTHING = (0.0, 0.0)


class Metrics:
    """The counts of one server; safe to share between threads.

    With a folder they are those of all processes that count in it, also of those that have ended:
    each was begun within `counting_in` of the settings.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._registry = CollectorRegistry()
        self._recent = RecentLatency(folder)
        self._registry.register(self._recent)
        registry = self._registry if folder is None else None
        if folder is not None:
            MultiProcessCollector(self._registry, str(folder))  # type: ignore[no-untyped-call]
        self._operations = Counter(
            "operations",
            "Operations by outcome",
            ["operation", "status", "code"],
            registry=registry,
        )
        self._latency = Histogram(
            "operation_latency_ms", "Of operations", ["operation"], buckets=_BUCKETS,
            registry=registry,
        )  # fmt: skip
        self._search_latency = Histogram(
            "search_latency_ms", "Of searches", buckets=_BUCKETS, registry=registry
        )
        self._refused = Counter(
            "requests_refused", "Requests that reached no operation", ["code"], registry=registry
        )
        self._waiting = Gauge(
            "requests_open", "Requests that are not answered", registry=registry,
            multiprocess_mode="livesum",
        )  # fmt: skip
        self._accepted = Counter(
            "ingestion_accepted", "Episodes taken in to be learnt from", registry=registry
        )
        self._processed = Counter("ingestion_processed", "Episodes learnt from", registry=registry)
        self._failed = Counter(
            "ingestion_failed", "Steps that failed, to be tried again or not", registry=registry
        )
        self._parked = Counter("parked_items", "Episodes given up", registry=registry)
        self._conflicts = Counter(
            "upsert_conflicts", "Writes that something else stood against", registry=registry
        )
        self._steps: dict[State, Counter] = {
            "extract_failed": Counter(
                "extraction_failures", "Extractions that failed", registry=registry
            ),
            "embed_failed": Counter(
                "embedding_failures", "Embeddings that failed", registry=registry
            ),
            "upsert_failed": self._conflicts,
        }

    def observe(self, observation: Observation) -> None:
        """Count an operation that has ended."""
        name = observation.operation if observation.operation in KNOWN else UNKNOWN
        milliseconds = observation.seconds * 1_000
        self._operations.labels(name, observation.status, observation.error_code or "").inc()
        self._latency.labels(name).observe(milliseconds)
        if name in SEARCHES:
            self._search_latency.observe(milliseconds)
            self._recent.observe(milliseconds)
        if observation.error_code == CONFLICT.code:
            self._conflicts.inc()
        self._accepted.inc(observation.accepted)
        self._steps["embed_failed"].inc(observation.embedding_failures)

    def watch(self, transition: Transition) -> None:
        """Count a step of the pipeline."""
        if transition.state == "completed":
            self._processed.inc()
        elif transition.state == "parked":
            self._parked.inc()
        if transition.failed is not None:
            self._failed.inc()
            self._steps[transition.failed].inc()

    def refuse(self, code: str) -> None:
        """Count a request that reached no operation."""
        self._refused.labels(code).inc()

    def opened(self, by: int) -> None:
        """Count a request that has come, or has gone."""
        self._waiting.inc(by)

    def text(self) -> bytes:
        """Return all of it, as Prometheus reads it."""
        return generate_latest(self._registry)


class RecentLatency(Collector):
    """The quantiles of the last searches, for those who read the numbers themselves.

    A process writes when each of its last searches ended and how long it took into a ring of its
    own; the last of all processes are found when somebody asks.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._places = count()
        self._ring = _ring(None if folder is None else folder / f"{os.getpid()}{_RING}")

    def observe(self, milliseconds: float) -> None:
        """Note one more."""
        at = next(self._places) % _RECENT * _ENTRY.size
        self._ring[at : at + _ENTRY.size] = _ENTRY.pack(time.monotonic(), milliseconds)

    def collect(self) -> Iterable[Metric]:
        """Return the quantiles, none before there was a search."""
        family = GaugeMetricFamily(
            "search_latency_ms_recent", f"Of the last {_RECENT} searches", labels=["quantile"]
        )
        ordered = sorted(self._last())
        for quantile in _QUANTILES if ordered else ():
            at = min(int(quantile * len(ordered)), len(ordered) - 1)
            family.add_metric([str(quantile)], ordered[at])
        return [family]

    def _last(self) -> list[float]:
        if self._folder is None:
            rings = [self._ring[:]]
        else:
            rings = [one.read_bytes() for one in self._folder.glob(f"*{_RING}")]
        noted = sorted(
            entry for ring in rings for entry in _ENTRY.iter_unpack(ring) if entry != _NOTHING
        )
        return [milliseconds for _, milliseconds in noted[-_RECENT:]]


def forget_process(process: int, folder: Path) -> None:
    """Let a process that has ended have no open requests; what it counted stays."""
    mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]


def _ring(path: Path | None) -> mmap:
    """Return an empty ring, which other processes read in its file if it has one."""
    size = _RECENT * _ENTRY.size
    if path is None:
        return mmap(-1, size)
    path.parent.mkdir(exist_ok=True)  # somebody may have cleaned up
    with path.open("w+b") as file:
        file.write(bytes(size))  # a place that is mapped and cannot be had ends the process
        file.flush()
        return mmap(file.fileno(), size)


def observer(metrics: Metrics) -> Observer:
    """Return what observes every operation: it is counted and logged."""

    def observe(observation: Observation) -> None:
        metrics.observe(observation)
        log_operation(observation)

    return observe


def watcher(metrics: Metrics) -> Watcher:
    """Return what observes every step of the pipeline: it is counted and logged."""

    def watch(transition: Transition) -> None:
        metrics.watch(transition)
        log_step(transition)

    return watch
