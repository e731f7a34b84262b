"""A service with a pipeline whose clock stands until it is moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from tests.faces.operations.calls import TIME, told

from recollect.faces.operations import Operations, Policy
from recollect.faces.operations.pipeline import (
    Embedding,
    Episode,
    Extracted,
    Extractor,
    Known,
    Refused,
    Rejected,
    StructuredExtractor,
    Transition,
    Work,
)
from recollect.kernel import Nexus
from recollect.model import Instant

START = 1_800_000_000_000


@dataclass(slots=True)
class HandClock:
    """A clock that somebody moves."""

    at: int = START

    def __call__(self) -> Instant:
        return Instant(self.at)

    def pass_seconds(self, seconds: float) -> None:
        self.at += int(seconds * 1_000)


@dataclass
class Scripted:
    """An extractor that does what it is told, by episode and attempt; it remembers the order."""

    script: dict[str, list[Extracted | Refused]] = field(default_factory=dict)
    seen: list[tuple[str, Rejected | None]] = field(default_factory=list)

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        self.seen.append((episode.uuid, rejected))
        steps = self.script.get(episode.uuid, [])
        if steps:
            return steps.pop(0)
        return StructuredExtractor().extract(episode, known, rejected)

    @property
    def order(self) -> list[str]:
        return [uuid for uuid, _ in self.seen]


@dataclass
class Rig:
    """A service, the work behind it, and all that was seen of it."""

    nexus: Nexus
    clock: HandClock
    work: Work
    service: Operations
    seen: list[Transition]

    def states(self, uuid: str) -> list[str]:
        return [one.state for one in self.seen if one.episode_uuid == uuid]

    def drain(self) -> int:
        return self.work.drain(self.nexus)

    def add(self, group: str, *items: dict[str, Any], **more: Any) -> dict[str, Any]:
        return dict(told(self.service.add_episodes(group_id=group, items=list(items), **more)))

    def receipt(self, group: str, receipt: str) -> tuple[str, list[str]]:
        envelope = self.service.get_receipt(group_id=group, receipt_id=receipt)
        return envelope["status"], [one["state"] for one in told(envelope)["items"]]

    def facts(self, group: str, query: str = "Ann Acme") -> list[str]:
        found = told(self.service.search_facts(group_ids=[group], query=query, max_facts=100))
        return sorted(fact["fact"] for fact in found["facts"])


def rig(
    nexus: Nexus,
    extractor: Extractor | None = None,
    *,
    embedding: Embedding | None = None,
    policy: Policy | None = None,
    watcher: Callable[[Transition], None] | None = None,
) -> Rig:
    clock, seen = HandClock(), list[Transition]()

    def watch(transition: Transition) -> None:
        seen.append(transition)
        if watcher is not None:
            watcher(transition)

    work = Work(
        extractor or StructuredExtractor(),
        embedding=embedding,
        policy=policy,
        clock=clock,
        watcher=watch,
    )
    service = Operations(nexus, policy=policy, worker=False, clock=clock)
    return Rig(nexus, clock, work, service, seen)


def structured(uuid: str | None, *edges: tuple[str, str, str, str], **more: Any) -> dict[str, Any]:
    """An episode that states its facts: (source, relation, words, target)."""
    names = dict.fromkeys(name for edge in edges for name in (edge[0], edge[3]))
    body = {
        "nodes": [{"tmp_ref": name.lower(), "name": name} for name in names],
        "edges": [
            {"name": name, "fact": fact, "source_ref": one.lower(), "target_ref": other.lower()}
            for one, name, fact, other in edges
        ],
    }
    item = {"source": "json", "body": orjson.dumps(body).decode(), "reference_time": TIME}
    return item | ({} if uuid is None else {"uuid": uuid}) | more


def says(uuid: str, fact: str = "Ann works at Acme", **more: Any) -> dict[str, Any]:
    return structured(uuid, ("Ann", "WORKS_AT", fact, "Acme"), **more)


def text(uuid: str | None, body: str = "Hello", **more: Any) -> dict[str, Any]:
    item = {"source": "text", "body": body, "reference_time": TIME}
    return item | ({} if uuid is None else {"uuid": uuid}) | more
