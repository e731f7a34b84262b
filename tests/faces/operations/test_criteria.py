"""The acceptance criteria of specification 004, section 15, one by one, whichever way calls travel.

What section 16 outlines beside them has modules of its own, which travel the same ways: schemas,
identity, contradictions, search, hybrid search, deletion, limits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.faces.operations.calls import TIME, Service, added_facts, refused, told
from tests.faces.operations.pipeline.rig import HandClock, says, structured, text
from tests.meanings import Meanings

import recollect
from recollect.faces.operations import Operations
from recollect.faces.operations.pipeline import (
    StructuredExtractor,
    Work,
    Worker,
)
from recollect.kernel import Nexus

FIRST, SECOND = 1 / 61, 1 / 62
RETRIES = (0, 1, 2, 4)  # seconds before the first attempt and each retry
BAD = text("bad", '{"nodes": [{"name": "Zoe"}], "edges": [{}]}', source="json")
MESSAGE = {"role_type": "user", "role": "Ann", "content": "I work at Acme", "timestamp": TIME}


@dataclass
class Learning:
    """A service that learns, and the work behind it."""

    service: Service
    work: Work
    clock: HandClock
    nexus: Nexus

    def add(self, *items: dict[str, Any], **more: Any) -> dict[str, Any]:
        envelope: Any = self.service.add_episodes(group_id="g", items=list(items), **more)
        assert envelope["status"] == "ACCEPTED", envelope
        return dict(told(envelope))

    def learn(self, seconds: float = 0) -> None:
        self.clock.pass_seconds(seconds)
        self.work.drain(self.nexus)

    def facts(self, query: str = "Ann Acme", **more: Any) -> list[dict[str, Any]]:
        asked: Any = {"group_ids": ["g"], "query": query} | more
        return list(told(self.service.search_facts(**asked))["facts"])

    def found(self, query: str = "Ann Acme", **more: Any) -> list[str]:
        return [one["fact"] for one in self.facts(query, **more)]

    def receipt(self, receipt: str) -> tuple[str, list[str]]:
        envelope: Any = self.service.get_receipt(group_id="g", receipt_id=receipt)
        return envelope["status"], [item["state"] for item in told(envelope)["items"]]


@pytest.fixture
def embedder() -> Meanings:
    return Meanings()


@pytest.fixture
def nexus(embedder: Meanings) -> Iterator[Nexus]:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        yield nexus


@pytest.fixture
def learning(nexus: Nexus, reached: Callable[[Operations], Service]) -> Learning:
    """A service beside a decoy group that has learnt other words from the same uuid."""
    clock = HandClock()
    local = Operations(nexus, worker=False, clock=clock)
    told(local.add_episodes(group_id="decoy", items=[says("e1", "Ann leads Acme")]))  # type: ignore[list-item]
    work = Work(StructuredExtractor(), clock=clock)
    work.drain(nexus)
    return Learning(reached(local), work, clock, nexus)


class TestIngestion:
    def test_what_is_accepted_is_counted_and_its_facts_appear(self, learning: Learning) -> None:
        items = [says(f"e{at}", f"Ann did {at} at Acme") for at in range(3)]
        for at, item in enumerate(items):
            item["body"] = item["body"].replace("WORKS_AT", f"DID_{at}")
        given = learning.add(*items)
        assert given["accepted"] == 3
        assert learning.receipt(given["receipt_id"]) == ("ACCEPTED", ["accepted"] * 3)
        assert learning.facts() == []
        learning.learn()
        assert learning.receipt(given["receipt_id"]) == ("OK", ["completed"] * 3)
        assert sorted(learning.found()) == [f"Ann did {at} at Acme" for at in range(3)]

    def test_facts_appear_soon_where_a_worker_runs(self, learning: Learning) -> None:
        worker = Worker(learning.nexus, learning.work, threads=1, poll_seconds=0.01)
        with worker:
            learning.add(says("e1"))
            deadline = time.monotonic() + 20
            while not learning.facts() and time.monotonic() < deadline:
                pass
        assert learning.found() == ["Ann works at Acme"]

    @pytest.mark.parametrize("key", [None, "monday"])
    @pytest.mark.parametrize("uuid", [None, "e1"])
    def test_replays_duplicate_nothing_and_keep_the_order(
        self, learning: Learning, key: str | None, uuid: str | None
    ) -> None:
        edges = [("Ann", f"R{at}", f"Ann {at} Acme", "Acme") for at in range(4)]
        item = structured(uuid, *edges)
        first = learning.add(item, idempotency_key=key)
        learning.learn()
        before = learning.facts()
        assert len(before) == 4
        assert learning.add(item, idempotency_key=key) == first
        learning.learn()
        assert learning.facts() == before
        assert len(told(learning.service.get_episodes(group_id="g", last_n=9))["episodes"]) == 1

    def test_a_key_or_a_uuid_with_another_payload_is_a_conflict(self, learning: Learning) -> None:
        learning.add(text("e1"), idempotency_key="k")
        for items, key in (([text("e2")], "k"), ([text("e1", "Other")], None)):
            answer: Any = learning.service.add_episodes(
                group_id="g",
                items=items,
                idempotency_key=key,  # type: ignore[arg-type]
            )
            assert refused(answer) == "CONFLICT"

    def test_messages_are_taken_in_once_under_their_key(self, learning: Learning) -> None:
        calls = [
            learning.service.add_messages(
                group_id="g",
                messages=[MESSAGE],
                idempotency_key="k",  # type: ignore[list-item]
            )
            for _ in range(2)
        ]
        assert [one["status"] for one in calls] == ["ACCEPTED", "ACCEPTED"]
        assert told(calls[0]) == told(calls[1])
        learning.learn()
        assert learning.receipt(told(calls[0])["receipt_id"]) == ("OK", ["completed"])

    def test_what_cannot_be_extracted_parks_after_its_retries_and_leaves_nothing(
        self, learning: Learning
    ) -> None:
        given = learning.add(BAD, says("e1"))
        statuses = []
        for seconds in RETRIES:
            learning.learn(seconds)
            statuses.append(learning.receipt(given["receipt_id"]))
        assert statuses == [
            *[("ACCEPTED", ["extract_failed", "completed"])] * 3,
            ("PARKED", ["parked", "completed"]),
        ]
        (parked,) = told(learning.service.list_parked(group_id="g"))["items"]
        assert (parked["episode_uuid"], parked["attempts"]) == ("bad", 4)
        assert "edges[0].name" in parked["error"]
        assert {one["source_episode_uuid"] for one in learning.facts("Zoe Acme")} == {"e1"}
        nodes = told(learning.service.search_nodes(group_ids=["g"], query="Zoe Ann Acme"))["nodes"]
        assert {one["name"] for one in nodes} == {"Ann", "Acme"}
        assert told(learning.service.retry_parked(group_id="g")) == {"retried": 1}
        assert learning.receipt(given["receipt_id"])[0] == "ACCEPTED"


class TestRetrieval:
    def test_with_some_embedded_the_fused_ranks_are_the_same_each_time(
        self, learning: Learning, embedder: Meanings
    ) -> None:
        for uuid in ("ann", "acme"):
            told(learning.service.add_entity_node(group_id="g", uuid=uuid, name=uuid))
        ends = {"from": "ann", "to": "acme"}
        added_facts(
            learning.service, "g", {"uuid": "near", "name": "R1", "fact": "employed", **ends}
        )
        embedder.is_away = True
        for uuid in ("b", "a"):
            added_facts(
                learning.service, "g", {"uuid": uuid, "name": f"R{uuid}", "fact": "works", **ends}
            )
        embedder.is_away = False
        answers = [[(one["uuid"], one["rrf"]) for one in learning.facts("works")] for _ in range(3)]
        assert answers[0] == answers[1] == answers[2]
        assert answers[0] == [("a", FIRST), ("near", FIRST), ("b", SECOND)]

    def test_one_modality_alone_answers(self, learning: Learning, embedder: Meanings) -> None:
        learning.add(says("e1"))
        learning.learn()
        assert [one["rrf"] for one in learning.facts("employed")] == [FIRST]  # meaning alone
        embedder.is_away = True
        assert [one["rrf"] for one in learning.facts("at")] == [FIRST]  # words alone

    def test_what_is_not_true_now_or_has_expired_does_not_appear(self, learning: Learning) -> None:
        learning.add(says("e1", "Ann is an engineer at Acme"))
        learning.add(says("e2", "Ann leads Acme", reference_time="2026-06-01T00:00:00Z"))
        past = says("e3", "Ann was at Acme")
        past["body"] = past["body"].replace(
            '"source_ref"', '"invalid_at":"2020-01-01T00:00:00Z","source_ref"'
        )
        learning.add(past | {"body": past["body"].replace("WORKS_AT", "WAS_AT")})
        learning.learn()
        assert learning.found("Ann engineer leads was at Acme") == ["Ann leads Acme"]
        assert learning.found("Ann was", valid_as_of="2019-01-01T00:00:00Z") != []

    def test_get_memory_is_search_facts_on_the_composed_query(self, learning: Learning) -> None:
        learning.add(says("e1"))
        learning.learn()
        memory: Any = learning.service.get_memory(group_id="g", messages=[MESSAGE])  # type: ignore[list-item]
        assert told(memory)["facts"] == learning.facts("user(Ann): I work at Acme\n") != []


class TestMaintenance:
    def test_a_deleted_group_is_empty_and_what_is_queued_never_comes_back(
        self, learning: Learning
    ) -> None:
        learning.add(says("e1"))
        learning.learn()
        given = learning.add(says("e2"), BAD)
        for _ in range(2):
            assert told(learning.service.delete_group(group_id="g"))["success"] is True
        for seconds in RETRIES:
            learning.learn(seconds)
        assert learning.facts() == []
        assert told(learning.service.get_episodes(group_id="g", last_n=9))["episodes"] == []
        receipt: Any = {"group_id": "g", "receipt_id": given["receipt_id"]}
        assert refused(learning.service.get_receipt(**receipt)) == "NOT_FOUND"
        assert learning.found("Ann", group_ids=["decoy"]) == ["Ann leads Acme"]

    def test_deleting_a_fact_again_is_ok(self, learning: Learning) -> None:
        learning.add(says("e1"))
        learning.learn()
        (fact,) = learning.facts()
        for _ in range(3):
            done: Any = learning.service.delete_entity_edge(uuid=fact["uuid"], group_id="g")
            assert (done["status"], told(done)["success"]) == ("OK", True)
        assert learning.facts() == []


class TestErrors:
    def test_what_the_schema_forbids_is_an_invalid_argument(self, learning: Learning) -> None:
        for items in ([], [{}], [text("e1") | {"colour": "red"}], "text", [text("e1", source="x")]):
            answer: Any = learning.service.add_episodes(group_id="g", items=items)  # type: ignore[arg-type]
            assert refused(answer) == "INVALID_ARGUMENT"

    def test_a_name_under_another_uuid_is_a_conflict(self, learning: Learning) -> None:
        learning.add(says("e1"))
        learning.learn()
        node: Any = learning.service.add_entity_node(group_id="g", uuid="other", name="ANN")
        assert refused(node) == "CONFLICT"

    def test_what_is_not_there_is_not_found(self, learning: Learning) -> None:
        assert refused(learning.service.get_entity_edge(uuid="nothing")) == "NOT_FOUND"
