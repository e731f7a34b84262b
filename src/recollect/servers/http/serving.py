"""Serves an open memory in this process, whether it is the only one or one of several."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence

from recollect.faces.operations import Policy
from recollect.faces.operations.pipeline import Extractor, StructuredExtractor
from recollect.kernel import Nexus
from recollect.servers.functions import load_functions
from recollect.servers.http.app import FACES, FaceMaker, make_app
from recollect.servers.http.logs import begin_log, log_examination
from recollect.servers.http.metrics import Metrics, observer, watcher
from recollect.servers.http.plan import GRACE_SECONDS, ServingPlan
from recollect.servers.http.processes import Begun
from recollect.servers.http.server import serve
from recollect.servers.nightly import examined_nightly
from recollect.servers.service import at_work, make_service


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
