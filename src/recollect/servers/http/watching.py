"""What a server does with every observation: it counts it and logs it."""

from __future__ import annotations

from recollect.faces.operations import Observation
from recollect.faces.operations.observation import Observer
from recollect.faces.operations.pipeline import Transition, Watcher
from recollect.servers.http.logs import log_operation, log_step
from recollect.servers.http.metrics import Metrics


def observer(metrics: Metrics) -> Observer:
    """Return what observes every operation."""

    def observe(observation: Observation) -> None:
        metrics.observe(observation)
        log_operation(observation)

    return observe


def watcher(metrics: Metrics) -> Watcher:
    """Return what observes every step of the pipeline."""

    def watch(transition: Transition) -> None:
        metrics.watch(transition)
        log_step(transition)

    return watch
