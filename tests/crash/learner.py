"""The children of the crash test of the pipeline: they accept episodes, or learn from them.

One process imports all there is to import, then forks a child for every line it reads, so that
a round takes as long as the child's work. A child says its process id first.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

import orjson

import recollect
from recollect.errors import EMBEDDER_UNAVAILABLE, RecollectError
from recollect.faces.operations import Operations
from recollect.faces.operations.pipeline import (
    Episode,
    Extracted,
    Extraction,
    Known,
    Refused,
    Rejected,
    StructuredExtractor,
    Transition,
    Work,
)
from recollect.faces.operations.pipeline.ports import system_clock
from recollect.model import Instant

EDGES = 3
ACME = "acme"
AT_REST = {"completed", "parked"}
KINDS = ("plain", "extracted late", "embedded late", "never written")
NEVER = "never"


def kind_of(number: int) -> str:
    """What befalls the episode of that number."""
    return KINDS[number % len(KINDS)]


def episode(number: int, kind: str = "plain") -> dict[str, Any]:
    """An episode about a person of its own and a company that all share.

    One that is never written says of the company's uuid that it is the person's.
    """
    person = f"person {number}"
    nodes = [{"tmp_ref": "p", "name": person}, {"tmp_ref": "c", "name": "Acme"}]
    if kind == "never written":
        nodes[0]["uuid"] = ACME
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


class Unsteady(StructuredExtractor):
    """An extractor that refuses some episodes once."""

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        is_late = kind_of(int(episode.uuid.removeprefix("e"))) == "extracted late"
        if is_late and rejected is None:
            return Refused("not yet", answer="not yet")
        return super().extract(episode, known, rejected)


class UnsteadyVectors:
    """An embedding that embeds nothing, and fails for some episodes once."""

    def is_needed(self, nexus: recollect.Nexus) -> bool:
        del nexus
        return True

    def prepare(self, nexus: recollect.Nexus, extractions: Sequence[Extraction]) -> None:
        for extraction in extractions:
            number = int(extraction["nodes"][0]["name"].removeprefix("person "))  # type: ignore[index]
            item = nexus.queue.find(f"e{number}")
            if kind_of(number) == "embedded late" and item is not None and item.attempts == 0:
                raise RecollectError(EMBEDDER_UNAVAILABLE, "the embedder is away")


def say(*words: object) -> None:
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


def learn(path: str, until: str) -> None:
    """Work until all is at rest, however long it waits; die right after a state is reached."""
    late = 0  # milliseconds by which the clock of the work is ahead

    def watch(transition: Transition) -> None:
        state, attempts = transition.state, transition.attempts
        say(transition.group, transition.episode_uuid, state, attempts)
        if state == until:
            os.kill(os.getpid(), signal.SIGKILL)

    with recollect.open(path) as nexus:
        work = Work(
            Unsteady(),
            embedding=UnsteadyVectors(),
            lease_seconds=0.0,
            watcher=watch,
            clock=lambda: Instant(system_clock() + late),
        )
        while any(set(nexus.group(name).queue.counts()) - AT_REST for name in nexus.groups()):
            work.drain(nexus)
            late += 1_000


def hold(path: str, until: str) -> None:
    """Work as a worker does that knows nothing of its end; die right after a state is reached."""

    def watch(transition: Transition) -> None:
        if transition.state == until:
            os.kill(os.getpid(), signal.SIGKILL)

    with recollect.open(path) as nexus:
        Work(StructuredExtractor(), watcher=watch).drain(nexus)


def accept(path: str, first: str) -> None:
    """Accept episode after episode in two groups, under a key, and say so."""
    with recollect.open(path) as nexus:
        service = Operations(nexus, worker=False)
        for number in itertools.count(int(first)):
            for group in ("g", "h"):
                items: Any = [episode(number)]
                answer = service.add_episodes(
                    group_id=group, items=items, idempotency_key=f"k{number}"
                )
                say(group, number, answer["output"]["receipt_id"])


def main() -> None:
    for line in sys.stdin:
        task, path, argument = line.split()
        child = os.fork()
        if child == 0:
            say(os.getpid())
            {"learn": learn, "hold": hold, "accept": accept}[task](path, argument)
            os._exit(0)
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main()
