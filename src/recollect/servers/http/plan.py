"""How a memory is to be served, and the serving of it by several processes.

The rule: everything a process is told is in its plan, which can be sent to another process. Modules
that only answering requests needs are not loaded here.
"""

from __future__ import annotations

import socket
import sys
from datetime import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from recollect.node import dataclass, field, replace
from recollect.servers.http.logs import Form, begin_log
from recollect.servers.http.metrics import forget_process
from recollect.servers.http.options import Options
from recollect.servers.http.processes import Begun, Processes
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
