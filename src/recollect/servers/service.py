"""What a server serves: a memory, the operations on it, and what models may call; and its end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypedDict, Unpack

from recollect.faces.markup import Functions
from recollect.faces.operations import Operations, Policy
from recollect.faces.operations.context import Observer
from recollect.faces.operations.pipeline import Extractor, Watcher
from recollect.kernel import Nexus
from recollect.node import dataclass, field

THREADS = 2
"""So many groups are learnt from at once."""


@dataclass(frozen=True, slots=True)
class ServedMemory:
    """What a server serves."""

    nexus: Nexus
    operations: Operations

    functions: Functions = field(default_factory=Functions)
    """What models may call."""

    @property
    def is_working(self) -> bool:
        """Whether its worker works, if it has one."""
        return self.operations.is_working


class ServiceArguments(TypedDict, total=False):
    """How the operations of a service learn, and who is told of it."""

    policy: Policy | None
    extractor: Extractor | None
    observer: Observer
    watcher: Watcher


def make_service(
    nexus: Nexus,
    *,
    has_worker: bool = True,
    functions: Functions | None = None,
    **how: Unpack[ServiceArguments],
) -> ServedMemory:
    """Return the service on a memory; its worker begins with the first item, or `at_work`."""
    operations = Operations(nexus, worker=has_worker, threads=THREADS, **how)
    return ServedMemory(nexus, operations, Functions() if functions is None else functions)


@contextmanager
def at_work(service: ServedMemory, grace_seconds: float) -> Iterator[ServedMemory]:
    """Let the worker work meanwhile; what it has not done at the end stays in the queue."""
    service.operations.start()
    try:
        yield service
    finally:
        service.operations.close(grace_seconds)


@contextmanager
def ended_by_signals(names: Iterable[signal.Signals], then: Callable[[], object]) -> Iterator[None]:
    """Call `then` for each of the signals that comes meanwhile; only from the main thread."""
    before = [(one, signal.signal(one, lambda *_: then())) for one in names]
    try:
        yield
    finally:
        for one, handler in before:
            signal.signal(one, handler)
