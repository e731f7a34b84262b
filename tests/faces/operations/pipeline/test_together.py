"""A few episodes go from step to step together, and each as if it were alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.faces.operations.calls import told
from tests.faces.operations.pipeline.rig import Rig, Scripted, rig, structured, text
from tests.meanings import Meanings

import recollect
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
from recollect.kernel import Nexus
from recollect.model import Delete


def about(number: int) -> dict[str, object]:
    """An episode of its own about a person of its own."""
    person = f"Person {number}"
    return structured(f"e{number}", (person, "WORKS_AT", f"{person} works at Acme", "Acme"))


def order(one: Rig) -> list[tuple[str, str]]:
    return [(transition.episode_uuid, transition.state) for transition in one.seen]


@dataclass
class Watched(StructuredExtractor):
    """An extractor that does something before it looks at an episode."""

    before: Callable[[Episode, Known], object]
    seen: list[str] = field(default_factory=list)

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        self.seen.append(episode.uuid)
        self.before(episode, known)
        return super().extract(episode, known, rejected)


@dataclass
class Refusing:
    """An embedding that fails wherever a person is embedded; it remembers how many at once."""

    person: str
    asked: list[int] = field(default_factory=list)

    def is_needed(self, nexus: Nexus) -> bool:
        del nexus
        return True

    def prepare(self, nexus: Nexus, extractions: Sequence[Extraction]) -> None:
        del nexus
        self.asked.append(len(extractions))
        names = [node["name"] for one in extractions for node in one.get("nodes") or []]
        if self.person in names:
            raise ValueError(self.person)


def test_a_state_is_reached_by_all_before_the_next_step_begins(nexus: Nexus) -> None:
    one = rig(nexus)
    one.add("g", about(1), about(2))
    assert one.drain() == 2
    states = ("extracted", "embedded", "upserted", "completed")
    assert order(one) == [(uuid, state) for state in states for uuid in ("e1", "e2")]


def test_what_is_written_together_is_found_at_the_same_moment(tmp_path: Path) -> None:
    found: list[list[str]] = []

    def watch(transition: Transition) -> None:
        if transition.state == "upserted":
            found.append(rig(other).facts("g", "Acme"))

    with recollect.open(tmp_path / "m.db") as nexus, recollect.open(tmp_path / "m.db") as other:
        one = rig(nexus, watcher=watch)
        one.add("g", *(about(number) for number in range(3)))
        one.drain()
        assert found == [[f"Person {number} works at Acme" for number in range(3)]] * 3
        log = [change.transaction for change in nexus.group("g").changes()]
        assert [each.actor for each in log].count("pipeline") == 3


def test_one_that_is_refused_stops_no_other(nexus: Nexus) -> None:
    one = rig(nexus, Scripted({"e1": [Refused("no")]}))
    given = one.add("g", about(0), about(1), about(2))
    assert one.drain() == 3
    states = ["completed", "extract_failed", "completed"]
    assert one.receipt("g", given["receipt_id"]) == ("ACCEPTED", states)
    one.clock.pass_seconds(1)
    assert one.drain() == 1
    assert one.receipt("g", given["receipt_id"])[0] == "OK"


def test_one_that_cannot_be_embedded_stops_no_other(nexus: Nexus) -> None:
    embedding = Refusing("Person 1")
    one = rig(nexus, embedding=embedding)
    given = one.add("g", about(0), about(1), about(2))
    one.drain()
    assert embedding.asked == [3, 1, 1, 1]
    states = ["completed", "embed_failed", "completed"]
    assert one.receipt("g", given["receipt_id"])[1] == states
    failures = [(each.attempts, each.error) for each in one.seen if each.error]
    assert failures == [(1, "ValueError: Person 1")]


def test_one_that_cannot_be_written_stops_no_other_and_leaves_nothing(nexus: Nexus) -> None:
    one = rig(nexus)
    told(one.service.add_entity_node(group_id="g", uuid="acme", name="Acme"))
    wrong = '{"nodes": [{"name": "New"}, {"uuid": "acme", "name": "Globex"}]}'
    given = one.add("g", about(0), text("e1", wrong, source="json"), about(2))
    one.drain()
    states = ["completed", "upsert_failed", "completed"]
    assert one.receipt("g", given["receipt_id"])[1] == states
    assert one.facts("g", "Acme") == ["Person 0 works at Acme", "Person 2 works at Acme"]
    assert told(one.service.search_nodes(group_ids=["g"], query="New"))["nodes"] == []
    assert nexus.group("g").verify().is_whole


def test_one_whose_episode_was_closed_is_parked_and_stops_no_other(nexus: Nexus) -> None:
    one = rig(nexus)
    given = one.add("g", *(about(number) for number in range(20)))
    nexus.group("g").write([Delete(f"e{number}") for number in range(17)])
    assert one.drain() == 20
    states = ["parked"] * 17 + ["completed"] * 3
    assert one.receipt("g", given["receipt_id"]) == ("PARKED", states)
    assert {each.error for each in one.seen if each.state == "parked"} == {
        "the episode is deleted, or cannot be read"
    }


def test_one_that_is_deleted_meanwhile_stops_no_other(nexus: Nexus) -> None:
    def delete(episode: Episode, known: Known) -> None:
        del known
        if episode.uuid == "e2":
            told(one.service.delete_episode(uuid="e1", group_id="g"))

    one = rig(nexus, Watched(delete))
    given = one.add("g", about(0), about(1), about(2))
    one.drain()
    assert one.states("e1") == []
    assert one.receipt("g", given["receipt_id"]) == ("OK", ["completed", "completed"])
    assert one.facts("g", "Acme") == ["Person 0 works at Acme", "Person 2 works at Acme"]


@pytest.mark.parametrize("state", ["extracted", "embedded", "upserted"])
def test_one_that_is_deleted_between_steps_stops_no_other(nexus: Nexus, state: str) -> None:
    def delete(transition: Transition) -> None:
        if (transition.episode_uuid, transition.state) == ("e0", state):
            told(one.service.delete_episode(uuid="e1", group_id="g"))

    one = rig(nexus, watcher=delete)
    given = one.add("g", about(0), about(1), about(2))
    one.drain()
    assert one.receipt("g", given["receipt_id"]) == ("OK", ["completed", "completed"])
    wrote = [number for number in range(3) if number != 1 or state == "upserted"]
    assert one.facts("g", "Acme") == [f"Person {number} works at Acme" for number in wrote]


def test_whose_leases_are_taken_over_writes_nothing(nexus: Nexus) -> None:
    def take_over(transition: Transition) -> None:
        if (transition.episode_uuid, transition.state) == ("e1", "embedded"):
            one.clock.pass_seconds(one.work.lease_seconds)
            thief.drain(nexus)

    one = rig(nexus, watcher=take_over)
    thief = Work(StructuredExtractor(), clock=one.clock)
    one.add("g", about(0), about(1))
    before = nexus.group("g").stats().transactions
    one.drain()
    assert one.states("e0") == one.states("e1") == ["extracted", "embedded"]
    assert nexus.group("g").stats().transactions == before + 2


def test_the_embedder_is_asked_once_for_all_that_they_tell() -> None:
    class Counting(Meanings):
        calls = 0

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            self.calls += 1
            return super().embed(texts)

    embedder = Counting()
    with recollect.open(":memory:", embedder=embedder) as nexus:
        one = rig(nexus)
        one.add("g", *(about(number) for number in range(5)))
        assert (embedder.calls, len(embedder.embedded)) == (1, 5)  # what came in
        one.drain()
        assert (embedder.calls, len(embedder.embedded)) == (2, 16)


class TestWhatTheGroupKnows:
    def test_a_node_of_the_episode_before_may_be_named(self, nexus: Nexus) -> None:
        one = rig(nexus)
        first = '{"nodes": [{"uuid": "u1", "name": "Ann"}]}'
        second = (
            '{"nodes": [{"tmp_ref": "a", "name": "Acme"}], "edges": [{"name": "AT",'
            ' "fact": "Ann is at Acme", "source_ref": "u1", "target_ref": "a"}]}'
        )
        one.add("g", text("e1", first, source="json"), text("e2", second, source="json"))
        assert one.drain() == 2
        assert one.states("e2") == ["extracted", "embedded", "upserted", "completed"]
        assert one.facts("g") == ["Ann is at Acme"]

    @pytest.mark.parametrize("asks", ["nodes", "facts"])
    def test_who_asks_is_told_of_all_that_came_before(self, nexus: Nexus, asks: str) -> None:
        answers: dict[str, list[str]] = {}

        def ask(episode: Episode, known: Known) -> None:
            found = getattr(known, asks)("Person Acme works", 10)
            answers[episode.uuid] = sorted(name for _, name in found)

        one = rig(nexus, Watched(ask))
        one.add("g", about(1), about(2), about(3))
        assert one.drain() == 3
        if asks == "nodes":
            assert answers["e3"] == ["Acme", "Person 1", "Person 2"]
        else:
            assert answers["e3"] == ["Person 1 works at Acme", "Person 2 works at Acme"]
        assert {state for uuid in ("e1", "e2", "e3") for state in one.states(uuid)} == {
            "extracted",
            "embedded",
            "upserted",
            "completed",
        }

    def test_whoever_catches_everything_is_asked_again_too(self, nexus: Nexus) -> None:
        class Careless(Scripted):
            def extract(
                self, episode: Episode, known: Known, rejected: Rejected | None
            ) -> Extracted | Refused:
                try:
                    known.nodes("Acme", 1)
                except Exception:  # noqa: BLE001 - as somebody may
                    return Refused("it is not there")
                return super().extract(episode, known, rejected)

        one = rig(nexus, Careless())
        given = one.add("g", about(1), about(2))
        one.drain()
        assert one.receipt("g", given["receipt_id"])[0] == "OK"
        assert all(transition.error is None for transition in one.seen)


def test_a_slow_extractor_holds_back_nothing_that_it_has_done(nexus: Nexus) -> None:
    one = rig(nexus)

    def take_long(episode: Episode, known: Known) -> None:
        del episode, known
        one.clock.pass_seconds(1)

    watched = Watched(take_long)
    one.work.extractor = watched
    one.add("g", about(1), about(2))
    assert one.drain() == 2
    assert order(one).index(("e1", "completed")) < order(one).index(("e2", "extracted"))
    assert watched.seen == ["e1", "e2"]


def test_what_a_step_did_not_come_to_is_there_for_others_at_once(nexus: Nexus) -> None:
    one = rig(nexus)
    one.work.extractor = Watched(lambda *_: one.clock.pass_seconds(1))
    one.add("g", about(1), about(2))
    assert one.work.run_once(nexus) == 1
    assert one.work.named("other").run_once(nexus) == 1
