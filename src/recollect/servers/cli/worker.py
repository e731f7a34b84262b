"""The command that works on the queue of a memory until it is stopped, or once."""

from __future__ import annotations

import signal
import threading
from collections import Counter

from recollect.faces.operations import Policy
from recollect.faces.operations.pipeline import Transition, Work, Worker, kept_leases
from recollect.servers.cli.cells import counted
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output
from recollect.servers.learning import make_learner
from recollect.servers.service import ended_by_signals
from recollect.servers.settings import Settings

GRACE_SECONDS = 10.0
"""How long steps that are running may take to end after a signal."""

_ENDS = ("completed", "parked")


class WorkLog:
    """What the work did, told as it happens; `counts` has items by their last state."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._lock = threading.Lock()
        self.counts: Counter[str] = Counter(dict.fromkeys(_ENDS, 0))

    def watch(self, transition: Transition) -> None:
        """Tell of an item that ended or failed; no words of an episode are in a line."""
        state = transition.state
        with self._lock:
            if state in _ENDS:
                self.counts[state] += 1
            if state in _ENDS or state.endswith("_failed"):
                times = transition.attempts
                tried = f" after {counted(times, 'attempt')}" if times else ""
                style = "" if state == "completed" else "yellow"
                self._out.say(
                    f"{transition.group} {transition.episode_uuid}: {state}{tried}", style
                )


def work_on_memory(on: Invocation, functional: list[str], *, once: bool, threads: int) -> None:
    """Learn from the episodes of every group; with `once` only from those that are due now."""
    settings = Settings()
    located = settings.database(on.database)
    with output(on) as out:
        learner = make_learner(settings.learning())
        with opened(on) as nexus:
            nexus.groups(every=True)  # it would see the work of one
            if learner.warning:
                out.warn(learner.warning, learner.hint)
            log = WorkLog(out)
            policy = Policy(functional=frozenset(functional))
            work = Work(learner.extractor, policy=policy, watcher=log.watch)
            if once:
                with kept_leases(nexus, [work]):
                    work.drain(nexus)
            else:
                out.say(f"working on {located.shown} with {learner.name}", "green")
                stopped = threading.Event()
                with ended_by_signals((signal.SIGTERM, signal.SIGINT), stopped.set):
                    worker = Worker(nexus, work, threads=threads).start()
                    stopped.wait()
                    worker.stop(GRACE_SECONDS)
            if (
                not out.give_json({"extractor": learner.name, **log.counts})
                and once
                and not sum(log.counts.values())
            ):
                out.say("nothing is due")
