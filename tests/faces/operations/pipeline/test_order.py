"""Who goes when: acceptance order in a group, groups in turns and side by side, leases."""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.faces.operations.calls import told
from tests.faces.operations.pipeline.rig import Scripted, rig, says, text

import recollect
from recollect.errors import STORE_BUSY, RecollectError
from recollect.faces.operations import Operations
from recollect.faces.operations.episodes import EpisodeDraft
from recollect.faces.operations.outputs import Answered
from recollect.faces.operations.pipeline import (
    Episode,
    Extracted,
    KeptReplays,
    Known,
    Pipeline,
    Refused,
    Rejected,
    StructuredExtractor,
    Transition,
    Work,
    Worker,
)
from recollect.kernel import Nexus
from recollect.model import PutConcept


def test_first_attempts_run_in_the_order_of_acceptance(nexus: Nexus) -> None:
    scripted = Scripted()
    one = rig(nexus, scripted)
    names = [f"e{number}" for number in (5, 3, 9, 1, 7)]
    one.add("g", *(text(name) for name in names[:3]))
    one.add("g", *(text(name) for name in names[3:]))
    one.drain()
    assert scripted.order == names


def test_what_waits_to_be_tried_again_holds_nobody_back(nexus: Nexus) -> None:
    scripted = Scripted({"e1": [Refused("no")]})
    one = rig(nexus, scripted)
    one.add("g", says("e1"), text("e2"), text("e3"))
    one.drain()
    assert scripted.order == ["e1", "e2", "e3"]
    one.clock.pass_seconds(1)
    one.drain()
    assert scripted.order == ["e1", "e2", "e3", "e1"]
    assert one.facts("g") == ["Ann works at Acme"]


def test_groups_take_turns_a_few_episodes_each(nexus: Nexus) -> None:
    scripted = Scripted()
    one = rig(nexus, scripted)
    for group in ("a", "b"):
        one.add(group, *(text(f"{group}{number}") for number in range(20)))
    assert one.drain() == 40
    turns = [group for group, _ in itertools.groupby(uuid[0] for uuid in scripted.order)]
    assert turns == ["a", "b", "a", "b"]
    for group in ("a", "b"):
        own = [uuid for uuid in scripted.order if uuid[0] == group]
        assert own == [f"{group}{number}" for number in range(20)]


def test_a_group_is_worked_on_by_one_at_a_time(nexus: Nexus) -> None:
    one = rig(nexus)
    one.add("g", says("e1"), text("e2"))
    taken = nexus.group("g").queue.claim("other", one.clock(), one.work.lease_end())
    assert len(taken) == 1
    assert one.drain() == 0
    one.clock.pass_seconds(one.work.lease_seconds)
    assert one.drain() == 2
    assert one.facts("g") == ["Ann works at Acme"]


def test_who_lost_its_lease_writes_nothing(nexus: Nexus) -> None:
    one = rig(nexus)
    thief = one.work.named("thief")

    class Slow:
        def extract(
            self, episode: Episode, known: Known, rejected: Rejected | None
        ) -> Extracted | Refused:
            one.clock.pass_seconds(one.work.lease_seconds)
            assert thief.drain(nexus) == 1
            return StructuredExtractor().extract(episode, known, rejected)

    one.add("g", says("e1"))
    slow = Work(Slow(), clock=one.clock, owner="slow")
    assert slow.run_once(nexus)
    assert one.facts("g") == ["Ann works at Acme"]
    assert one.states("e1") == ["extracted", "embedded", "upserted", "completed"]


def test_an_item_that_is_left_between_steps_is_taken_up_where_it_stands(nexus: Nexus) -> None:
    scripted = Scripted()
    one = rig(nexus, scripted)
    one.add("g", says("e1"))
    answers = iter([True, False])
    assert one.work.run_once(nexus, lambda: next(answers)) == 0
    assert one.states("e1") == ["extracted"]
    assert one.work.named("other").run_once(nexus)
    assert scripted.order == ["e1"]
    assert one.states("e1")[-1] == "completed"


class Meeting:
    """An extractor that goes on only when so many episodes are in it at once."""

    def __init__(self, parties: int) -> None:
        self.barrier = threading.Barrier(parties, timeout=20)

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        self.barrier.wait()
        return StructuredExtractor().extract(episode, known, rejected)


def test_groups_are_worked_on_side_by_side(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as nexus:
        done = threading.Semaphore(0)

        def watch(transition: object) -> None:
            if getattr(transition, "state", "") == "completed":
                done.release()

        worker = Worker(nexus, Work(Meeting(3), watcher=watch), threads=3)
        service = Operations(nexus, worker=False)
        with worker:
            for group in ("a", "b", "c"):
                told(service.add_episodes(group_id=group, items=[says("e1")]))  # type: ignore[list-item]
            for _ in range(3):
                assert done.acquire(timeout=20)
            assert worker.is_running
        assert not worker.is_running
        for group in ("a", "b", "c"):
            assert told(service.search_facts(group_ids=[group], query="Ann"))["facts"]


class Broken(Scripted):
    """An extractor with a fault of its own."""

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        if episode.uuid == "broken":
            raise KeyError("no such thing")
        return super().extract(episode, known, rejected)


def test_a_worker_lives_on_whatever_an_extractor_raises(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as nexus:
        done = threading.Event()

        def watch(transition: Transition) -> None:
            if (transition.episode_uuid, transition.state) == ("e1", "completed"):
                done.set()

        worker = Worker(nexus, Work(Broken(), watcher=watch), threads=1)
        service = Operations(nexus, worker=False)
        with worker:
            told(service.add_episodes(group_id="g", items=[text("broken"), says("e1")]))  # type: ignore[list-item]
            assert done.wait(20)
            assert worker.is_running
        failed = nexus.group("g").queue.find("broken")
        assert failed is not None
        assert failed.state == "extract_failed"


def test_a_worker_is_woken_once_what_is_accepted_can_be_seen(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as nexus, recollect.open(tmp_path / "m.db") as other:
        woken: list[bool] = []

        def wake() -> None:
            woken.append(other.group("g").queue.find("e1") is not None)

        pipeline, group = Pipeline(wake), nexus.group("g")
        drafts = [EpisodeDraft.of_item("g", says("e1"))]  # type: ignore[arg-type]

        def accept() -> Answered:
            return "ACCEPTED", {"receipt_id": pipeline.accept(group, drafts, request_id="r")}

        with pytest.raises(ZeroDivisionError), nexus.transaction():
            accept()
            1 / 0  # noqa: B018
        assert woken == []
        for _ in range(2):  # the second is the answer that was kept
            KeptReplays().once(group, "AddEpisodes", "k", b"", accept)
        assert woken == [True]


def test_a_worker_sees_what_another_process_accepts_and_stops_between_steps(
    tmp_path: Path,
) -> None:
    with recollect.open(tmp_path / "m.db") as nexus, recollect.open(tmp_path / "m.db") as other:
        extracted = threading.Event()

        def watch(_: object) -> None:
            extracted.set()

        work = Work(StructuredExtractor(), watcher=watch)
        with Worker(nexus, work, threads=1, poll_seconds=0.01):
            service = Operations(other, worker=False)
            given = told(service.add_episodes(group_id="g", items=[says("e1")]))  # type: ignore[list-item]
            assert extracted.wait(20)
        Work(StructuredExtractor()).drain(other)
        receipt = service.get_receipt(group_id="g", receipt_id=given["receipt_id"])
        assert receipt["status"] == "OK"


def test_a_worker_stops_when_the_memory_is_closed(tmp_path: Path) -> None:
    nexus = recollect.open(tmp_path / "m.db")
    worker = Worker(nexus, Work(StructuredExtractor()), poll_seconds=0.01).start()
    nexus.close()
    worker.wake()
    assert worker.stop(20)


def test_the_seconds_that_a_worker_has_to_stop_are_for_all_its_threads(tmp_path: Path) -> None:
    entered, released = threading.Semaphore(0), threading.Event()

    class Slow(Scripted):
        def extract(
            self, episode: Episode, known: Known, rejected: Rejected | None
        ) -> Extracted | Refused:
            entered.release()
            released.wait(60)
            return super().extract(episode, known, rejected)

    with recollect.open(tmp_path / "m.db") as nexus:
        worker = Worker(nexus, Work(Slow()), threads=4, poll_seconds=0.01)
        service = Operations(nexus, worker=False)
        with worker:
            for group in "abcd":
                told(service.add_episodes(group_id=group, items=[text("e")]))  # type: ignore[list-item]
            for _ in range(4):
                assert entered.acquire(timeout=20)
            begun = time.monotonic()
            assert not worker.stop(0.5)
            assert time.monotonic() - begun < 1.5
            released.set()


def test_work_that_met_a_busy_store_is_taken_up_again_at_once(tmp_path: Path) -> None:
    with (
        recollect.open(tmp_path / "m.db", busy_seconds=0.01) as nexus,
        recollect.open(tmp_path / "m.db") as other,
        ExitStack() as writes,
    ):

        class Occupying(Scripted):
            def extract(
                self, episode: Episode, known: Known, rejected: Rejected | None
            ) -> Extracted | Refused:
                if not self.seen:
                    writes.enter_context(other.transaction())
                return super().extract(episode, known, rejected)

        one = rig(nexus, Occupying())
        one.add("g", says("e1"))
        with pytest.raises(RecollectError) as caught:
            one.drain()
        assert caught.value.code is STORE_BUSY
        writes.close()
        assert one.drain() == 1
        assert one.facts("g") == ["Ann works at Acme"]


def test_a_node_is_the_one_thing_called_so_whatever_its_type(nexus: Nexus) -> None:
    group = nexus.group("g")
    group.write(
        [PutConcept("Person", "Ann"), PutConcept("Firm", "Acme"), PutConcept("Cat", "Acme")]
    )
    one = rig(nexus)
    one.add("g", says("e1"))
    one.drain()
    assert one.facts("g") == ["Ann works at Acme"]
    assert [found.element.type for found in group.elements.named("Ann")] == ["Person"]
    # Several are called Acme, so that the node is an entity of its own.
    assert {found.element.type for found in group.elements.named("Acme")} == {
        "Firm",
        "Cat",
        "Entity",
    }
