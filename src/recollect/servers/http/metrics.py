"""What a server counts, in the form that Prometheus reads. Specification 004, section 14.

The rule: a label takes one of few values; no group, uuid or text is ever one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from recollect.errors import CONFLICT
from recollect.faces.operations import OPERATIONS, Observation
from recollect.faces.operations.outputs import State
from recollect.faces.operations.pipeline import Transition
from recollect.servers.http.claim_calls import NAMES
from recollect.servers.http.kip_schemas import KIP_NAMES

SEARCHES = frozenset({"SearchFacts", "SearchNodes", "GetMemory"})
UNKNOWN = "unknown"
"""What an operation is called that there is none of."""

disable_created_metrics()  # type: ignore[no-untyped-call] # nobody asks when a count began

_KNOWN = OPERATIONS.keys() | NAMES | KIP_NAMES
_BUCKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
_QUANTILES = (0.5, 0.9, 0.99)
_RECENT = 1_000


class Metrics:
    """The counts of one server; safe to share between threads."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
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
        self._recent = RecentLatency()
        registry.register(self._recent)
        self._refused = Counter(
            "requests_refused", "Requests that reached no operation", ["code"], registry=registry
        )
        self._waiting = Gauge("requests_open", "Requests that are not answered", registry=registry)
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
        name = observation.operation if observation.operation in _KNOWN else UNKNOWN
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
    """The quantiles of the last searches, for those who read the numbers themselves."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_RECENT)

    def observe(self, milliseconds: float) -> None:
        """Note one more."""
        self._last.append(milliseconds)

    def collect(self) -> Iterable[Metric]:
        """Return the quantiles, none before there was a search."""
        family = GaugeMetricFamily(
            "search_latency_ms_recent", f"Of the last {_RECENT} searches", labels=["quantile"]
        )
        ordered = sorted(self._last)
        for quantile in _QUANTILES if ordered else ():
            at = min(int(quantile * len(ordered)), len(ordered) - 1)
            family.add_metric([str(quantile)], ordered[at])
        return [family]
