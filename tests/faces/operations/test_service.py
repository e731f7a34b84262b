"""The plain constructor is the whole service: it keeps keys, learns from what it accepts, and ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faces.operations.calls import refused, told
from tests.faces.operations.pipeline.rig import HandClock, says, text

import recollect
from recollect.faces.operations import Caller, Operations
from recollect.faces.operations.pipeline import (
    Episode,
    Extracted,
    Known,
    Refused,
    Rejected,
    StructuredExtractor,
    Transition,
    Work,
    kept_leases,
)
from recollect.kernel import Nexus


@pytest.fixture(params=["file", "memory"])
def nexus(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Nexus]:
    place = ":memory:" if request.param == "memory" else tmp_path / "m.db"
    with recollect.open(place) as nexus:
        yield nexus


def workers() -> set[threading.Thread]:
    return {one for one in threading.enumerate() if one.name == "recollect-worker"}


def add(service: Operations, *items: dict[str, Any], **more: Any) -> str:
    return str(told(service.add_episodes(group_id="g", items=list(items), **more))["receipt_id"])


def status(service: Operations, receipt: str) -> str:
    return service.get_receipt(group_id="g", receipt_id=receipt)["status"]


def ended(service: Operations, receipt: str) -> str:
    """Return the status of a receipt once nothing of it is in progress."""
    deadline = time.monotonic() + 20
    while (found := status(service, receipt)) == "ACCEPTED" and time.monotonic() < deadline:
        pass
    return found


def facts(service: Operations) -> list[str]:
    found = told(service.search_facts(group_ids=["g"], query="Ann Acme"))
    return [one["fact"] for one in found["facts"]]


def test_what_a_plain_service_accepts_is_learnt(nexus: Nexus) -> None:
    service = Operations(nexus)
    assert ended(service, add(service, says("e1"), text("e2"))) == "OK"
    assert facts(service) == ["Ann works at Acme"]
    assert told(service.list_parked(group_id="g")) == {"items": []}
    assert told(service.retry_parked(group_id="g")) == {"retried": 0}


def test_a_plain_service_remembers_keys(nexus: Nexus) -> None:
    service = Operations(nexus)
    first = add(service, text(None), idempotency_key="k")
    assert add(service, text(None), idempotency_key="k") == first
    other = service.add_episodes(group_id="g", items=[text("e2")], idempotency_key="k")  # type: ignore[list-item]
    assert refused(other) == "CONFLICT"


def test_the_worker_begins_with_the_first_accepted_item(nexus: Nexus) -> None:
    before = workers()
    service = Operations(nexus)
    told(service.add_entity_node(group_id="g", uuid="ann", name="Ann"))
    with pytest.raises(ZeroDivisionError), nexus.transaction():
        add(service, says("e1"))
        1 / 0  # noqa: B018
    assert workers() == before
    assert not service.is_working
    receipt = add(service, says("e2"))
    assert workers() > before
    assert service.is_working
    assert ended(service, receipt) == "OK"


def close(service: Operations, _: Nexus) -> None:
    assert service.close()


def leave(service: Operations, _: Nexus) -> None:
    with service:
        pass


def close_a_copy(service: Operations, _: Nexus) -> None:
    assert service.on_behalf_of(Caller(frozenset({"g"}), is_admin=False)).close()


def close_the_memory(_: Operations, nexus: Nexus) -> None:
    nexus.close()


@pytest.mark.parametrize("end", [close, leave, close_a_copy, close_the_memory])
def test_the_worker_ends_with(nexus: Nexus, end: Callable[[Operations, Nexus], None]) -> None:
    before = workers()
    service = Operations(nexus)
    ended(service, add(service, says("e1")))
    assert workers() > before
    for _ in range(2):
        end(service, nexus)
        assert workers() == before
        assert not service.is_working


def test_a_memory_that_is_closed_inside_a_block_waits_for_no_worker(tmp_path: Path) -> None:
    nexus = recollect.open(tmp_path / "m.db", busy_seconds=60)
    service = Operations(nexus)
    ended(service, add(service, says("e1")))
    before = time.monotonic()
    with nexus.transaction():
        nexus.close()
    assert time.monotonic() - before < 30
    assert service.close()


def test_what_is_accepted_after_the_end_waits_for_another(nexus: Nexus) -> None:
    with Operations(nexus) as service:
        ended(service, add(service, says("e1")))
    before = workers()
    receipt = add(service, text("e2"))
    assert (workers(), status(service, receipt)) == (before, "ACCEPTED")
    with Operations(nexus) as other:
        other.start()
        assert ended(other, receipt) == "OK"


def test_copies_for_other_callers_share_the_worker(nexus: Nexus) -> None:
    before = workers()
    service = Operations(nexus)
    for name in ("ann", "bob"):
        caller = Caller(frozenset({"g"}), is_admin=False, name=name)
        copy = service.on_behalf_of(caller)
        assert ended(copy, add(copy, text(name))) == "OK"
    assert len(workers() - before) == 2  # one that works, and one that keeps its leases
    service.close()
    assert workers() == before


def test_without_a_worker_all_of_it_waits_for_another_process(nexus: Nexus) -> None:
    before = workers()
    service = Operations(nexus, worker=False)
    receipt = add(service, says("e1"))
    service.start()
    assert (workers(), status(service, receipt)) == (before, "ACCEPTED")
    assert service.is_working
    Work(StructuredExtractor()).drain(nexus)
    assert (status(service, receipt), facts(service)) == ("OK", ["Ann works at Acme"])


def test_a_parked_item_that_is_tried_again_begins_the_worker(nexus: Nexus) -> None:
    clock = HandClock()
    add(Operations(nexus, worker=False), text("e1", '{"nodes": 7}', source="json"))
    work = Work(StructuredExtractor(), clock=clock)
    while work.drain(nexus):
        clock.pass_seconds(10)
    before = workers()
    service = Operations(nexus)
    assert told(service.retry_parked(group_id="g")) == {"retried": 1}
    assert workers() > before


def test_a_step_may_take_longer_than_a_lease(nexus: Nexus) -> None:
    """The lease is renewed while the step runs, so no other worker takes the group."""
    seen: list[str] = []

    class Slow(StructuredExtractor):
        def extract(
            self, episode: Episode, known: Known, rejected: Rejected | None
        ) -> Extracted | Refused:
            first = nexus.group("g").queue.find(episode.uuid)
            until = time.monotonic() + 0.5
            while time.monotonic() < until:
                assert Work(StructuredExtractor()).drain(nexus) == 0
            assert first is not None
            return super().extract(episode, known, rejected)

    def watch(transition: Transition) -> None:
        seen.append(transition.state)

    add(Operations(nexus, worker=False), says("e1"))
    work = Work(Slow(), lease_seconds=0.2, watcher=watch)
    with kept_leases(nexus, [work]):
        assert work.drain(nexus) == 1
    assert seen == ["extracted", "embedded", "upserted", "completed"]
