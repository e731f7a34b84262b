"""Serves an open memory in this process, whether it is the only one or one of several.

How a memory is to be served, and the serving of it by several processes.

The rule: everything a process is told is in its plan, which can be sent to another process. Modules
that only answering requests needs are not loaded here.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from datetime import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from recollect.faces.operations import Policy
from recollect.faces.operations.pipeline import Extractor, StructuredExtractor
from recollect.kernel import Nexus
from recollect.node import dataclass, field, replace
from recollect.servers.functions import load_functions
from recollect.servers.http.app import FACES, FaceMaker, make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.logs import Form, begin_log, log_examination
from recollect.servers.http.metrics import Metrics, forget_process, observer, watcher
from recollect.servers.http.processes import Begun, Processes
from recollect.servers.http.server import serve
from recollect.servers.nightly import examined_nightly
from recollect.servers.service import at_work, make_service
from recollect.servers.settings import counting_in

GRACE_SECONDS = 10
"""How long requests, and then steps of the pipeline, that are running may take to end."""

_END_SECONDS = 2 * GRACE_SECONDS + 5.0


@dataclass(frozen=True, slots=True)
class ServingPlan:
    """How a memory is served."""

    options: Options = field(default_factory=Options)
    functional: frozenset[str] = frozenset()
    has_worker: bool = True
    log: Form = Form.JSON

    functions: str | None = None
    """Where in Python the functions are that models may call: `package.module:NAME`."""

    check_at: time | None = None
    """When in the day the memory is examined, in UTC; None: never."""

    counts: Path | None = None
    """The folder that several processes count in."""

    def takes_day(self, day: str) -> bool:
        """Whether the examination of a day is this process's: that of the first that asks."""
        if self.counts is None:
            return True
        try:
            (self.counts / f"examined-{day}").touch(exist_ok=False)
        except OSError:
            return False
        return True


class Open(Protocol):
    """Opens a memory and serves it, with `serve_nexus`."""

    def __call__(self, plan: ServingPlan, listener: socket.socket, begun: Begun) -> None:
        """Serve until SIGTERM or Ctrl-C."""


def serve_in_processes(
    opened: Open, plan: ServingPlan, listener: socket.socket, count: int, begun: Begun
) -> None:
    """Serve a memory in several other processes until SIGTERM or Ctrl-C.

    `opened` is sent to each, so all it holds must be what can be sent. Raises what
    `Processes.run` raises.
    """
    begin_log(plan.log, sys.stderr)
    with TemporaryDirectory(prefix="recollect-") as folder, counting_in(counts := Path(folder)):
        Processes(
            partial(opened, replace(plan, counts=counts)),
            listener,
            count,
            end_seconds=_END_SECONDS,
            ended=lambda process: forget_process(process, counts),
        ).run(begun)


def serve_nexus(
    nexus: Nexus,
    plan: ServingPlan,
    listener: socket.socket,
    begun: Begun,
    extractor: Extractor | None = None,
    makers: Sequence[FaceMaker] = FACES,
) -> None:
    """Serve a memory that is open until SIGTERM or Ctrl-C; only from the main thread.

    `makers` make the faces that are served.
    """
    begin_log(plan.log, sys.stderr)
    metrics = Metrics(plan.counts)
    service = make_service(
        nexus,
        extractor=extractor or StructuredExtractor(),
        policy=Policy(functional=plan.functional),
        has_worker=plan.has_worker,
        observer=observer(metrics),
        watcher=watcher(metrics),
        functions=load_functions(plan.functions),
    )
    app = make_app(service, plan.options, metrics, makers)
    nightly = examined_nightly(nexus, plan.check_at, log_examination, is_ours=plan.takes_day)
    with at_work(service, GRACE_SECONDS), nightly:
        serve(app, listener, grace_seconds=GRACE_SECONDS, begun=begun)
