"""A knowledge service as the settings say: its memory, its operations, and its worker.

The rule: this is the one place where the parts of the operations are plugged together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from recollect.faces.markup import Functions
from recollect.faces.operations import Operations, Policy
from recollect.faces.operations.observation import Observer, unobserved
from recollect.faces.operations.pipeline import (
    Extractor,
    KeptReplays,
    Pipeline,
    StructuredExtractor,
    Watcher,
    Work,
    Worker,
)
from recollect.faces.operations.pipeline.transition import unwatched
from recollect.kernel import Nexus


@dataclass(frozen=True, slots=True)
class Service:
    """What a server serves; `worker` is None where another process works on the queue."""

    nexus: Nexus
    operations: Operations
    worker: Worker | None = None

    functions: Functions = field(default_factory=Functions)
    """What models may call."""

    @property
    def is_working(self) -> bool:
        """Whether its worker works, if it has one."""
        return self.worker is None or self.worker.is_running


def make_service(
    nexus: Nexus,
    *,
    policy: Policy | None = None,
    extractor: Extractor | None = None,
    has_worker: bool = True,
    observer: Observer = unobserved,
    watcher: Watcher = unwatched,
    functions: Functions | None = None,
) -> Service:
    """Return the service on a memory; its worker is not started."""
    policy = policy or Policy()
    work = Work(extractor or StructuredExtractor(), policy=policy, watcher=watcher)
    worker = Worker(nexus, work) if has_worker else None
    operations = Operations(
        nexus,
        policy=policy,
        ingestion=Pipeline(worker.wake) if worker is not None else Pipeline(),
        replays=KeptReplays(),
        observer=observer,
    )
    return Service(nexus, operations, worker, Functions() if functions is None else functions)


@contextmanager
def at_work(service: Service, grace_seconds: float) -> Iterator[Service]:
    """Let the worker work meanwhile; what it has not done at the end stays in the queue."""
    if service.worker is None:
        yield service
        return
    service.worker.start()
    try:
        yield service
    finally:
        service.worker.stop(grace_seconds)
