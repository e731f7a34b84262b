"""What a server does with all that it is told: it is counted, and it is logged."""

from __future__ import annotations

from recollect.faces.operations import Observation
from recollect.faces.operations.observation import Observer
from recollect.faces.operations.pipeline import Transition, Watcher
from recollect.servers.http.logs import log_operation, log_step
from recollect.servers.http.metrics import Metrics


def observer(metrics: Metrics) -> Observer:
    """Return what is told of every operation."""

    def observe(observation: Observation) -> None:
        metrics.observe(observation)
        log_operation(observation)

    return observe


def watcher(metrics: Metrics) -> Watcher:
    """Return what is told of every step of the pipeline."""

    def watch(transition: Transition) -> None:
        metrics.watch(transition)
        log_step(transition)

    return watch
