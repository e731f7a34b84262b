"""Leases that last as long as their holder lives, and not much longer.

The rule: a lease is short and is renewed by a thread of the process that holds it, so that a step
may take any time, and what a killed process held is soon taken up by another.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from recollect.errors import STORE_CLOSED, RecollectError
from recollect.faces.operations.pipeline.work import Work
from recollect.kernel import Nexus

_RENEWALS = 3  # of a lease while it runs


@contextmanager
def kept_leases(nexus: Nexus, works: Sequence[Work]) -> Iterator[None]:
    """Let the leases of works in this process run on meanwhile."""
    ended = threading.Event()
    thread = threading.Thread(
        target=keep_leases, args=(nexus, works, ended), name="recollect-leases", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def keep_leases(nexus: Nexus, works: Sequence[Work], ended: threading.Event) -> None:
    """Renew the leases of works, in this thread, until the end; a busy store is asked again."""
    pause = min(work.lease_seconds for work in works) / _RENEWALS
    while not ended.wait(pause):
        try:
            for work in works:
                if (group := work.group) is not None:
                    nexus.group(group).queue.renew(work.owner, work.lease_end())
        except RecollectError as error:
            if error.code is STORE_CLOSED:
                return
            if error.code.retry != "same_request":
                raise
