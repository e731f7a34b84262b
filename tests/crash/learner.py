"""The children of the crash test of the pipeline: they accept episodes, or learn from them.

One process imports all there is to import, then forks a child for every line it reads, so that
a round takes as long as the child's work. A child says its process id first.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from typing import Any

import orjson

import recollect
from recollect.faces.operations import Operations
from recollect.faces.operations.pipeline import Extraction, KeptReplays, Pipeline, Transition, Work
from recollect.faces.operations.pipeline.structured import StructuredExtractor

EDGES = 3


def episode(number: int) -> dict[str, Any]:
    """An episode about a person of its own and a company that all share."""
    person = f"person {number}"
    nodes = [{"tmp_ref": "p", "name": person}, {"tmp_ref": "c", "name": "Acme"}]
    edges = [
        {"name": f"DID_{at}", "fact": f"{person} did {at}", "source_ref": "p", "target_ref": "c"}
        for at in range(EDGES)
    ]
    return {
        "uuid": f"e{number}",
        "source": "json",
        "body": orjson.dumps({"nodes": nodes, "edges": edges}).decode(),
        "reference_time": "2026-01-31T09:30:00Z",
    }


class NoVectors:
    """An embedding that embeds nothing, so that its step is one of its own."""

    def is_needed(self, nexus: recollect.Nexus) -> bool:
        del nexus
        return True

    def prepare(self, nexus: recollect.Nexus, extraction: Extraction) -> None:
        del nexus, extraction


def say(*words: object) -> None:
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


def learn(path: str, until: int) -> None:
    """Work until nothing is due; die right after that many transitions, if there are as many."""
    left = itertools.count(until - 1, -1)

    def watch(transition: Transition) -> None:
        say(transition.group, transition.episode_uuid, transition.state)
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with recollect.open(path) as nexus:
        work = Work(StructuredExtractor(), embedding=NoVectors(), lease_seconds=0.0, watcher=watch)
        work.drain(nexus)


def accept(path: str, first: int) -> None:
    """Accept episode after episode in two groups, under a key, and say so."""
    with recollect.open(path) as nexus:
        service = Operations(nexus, ingestion=Pipeline(), replays=KeptReplays())
        for number in itertools.count(first):
            for group in ("g", "h"):
                items: Any = [episode(number)]
                answer = service.add_episodes(
                    group_id=group, items=items, idempotency_key=f"k{number}"
                )
                say(group, number, answer["output"]["receipt_id"])


def main() -> None:
    for line in sys.stdin:
        task, path, number = line.split()
        child = os.fork()
        if child == 0:
            say(os.getpid())
            {"learn": learn, "accept": accept}[task](path, int(number))
            os._exit(0)
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main()
