"""The state machine: each step by itself, failures, retries on the clock, parking, coming back."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from functools import partial

import orjson
import pytest
from tests.faces.operations.calls import refused, told
from tests.faces.operations.pipeline.rig import Rig, Scripted, rig, says, structured, text
from tests.kernel.care.test_dump import altered
from tests.reference.copies import dumped, restored

import recollect
from recollect.errors import INVALID_VALUE, RecollectError
from recollect.faces.claims import Claim, NexusKnowledgeStore, from_file
from recollect.faces.operations.pipeline import (
    Episode,
    Extracted,
    Extraction,
    Known,
    Refused,
    Rejected,
)
from recollect.kernel import Nexus
from recollect.model import PutConcept

NEVER = [Refused("it says nothing")] * 99


def test_an_episode_goes_through_every_state(nexus: Nexus) -> None:
    one = rig(nexus)
    given = one.add("g", says("e1"))
    assert one.receipt("g", given["receipt_id"]) == ("ACCEPTED", ["accepted"])
    assert one.facts("g") == []
    assert one.drain() == 1
    assert one.states("e1") == ["extracted", "embedded", "upserted", "completed"]
    assert one.receipt("g", given["receipt_id"]) == ("OK", ["completed"])
    assert one.facts("g") == ["Ann works at Acme"]


def test_every_state_is_durable_before_the_next_step_begins(nexus: Nexus) -> None:
    one = rig(nexus)
    given = one.add("g", says("e1"))
    seen = []
    while one.receipt("g", given["receipt_id"])[0] == "ACCEPTED":
        one.work.run_once(nexus, partial(next, iter([True, False])))
        (state,) = one.receipt("g", given["receipt_id"])[1]
        seen.append((state, one.facts("g")))
    written = ["Ann works at Acme"]
    assert seen == [
        ("extracted", []),
        ("embedded", []),
        ("upserted", written),
        ("completed", written),
    ]


@pytest.mark.parametrize("body", ["Hello", "{", "[]", '{"a": 1}', '{"Nodes": []}', "null"])
@pytest.mark.parametrize("source", ["text", "json", "message"])
def test_what_states_nothing_completes_with_no_facts(nexus: Nexus, source: str, body: str) -> None:
    one = rig(nexus)
    given = one.add("g", text("e1", body, source=source))
    one.drain()
    assert one.receipt("g", given["receipt_id"]) == ("OK", ["completed"])


@pytest.mark.parametrize(
    "body",
    [
        '{"nodes": 1}',
        '{"edges": [{}]}',
        '{"nodes": [{"name": "A", "a\\u0000b": 1}]}',
        '{"nodes": [{"name": "A", "attributes": {"a": ' + "[" * 252 + "]" * 252 + "}}]}",
        '{"nodes": [{"name": ""}], "edges": []}',
        '{"nodes": [{"name": "A", "color": "red"}], "edges": []}',
        '{"nodes": [], "edges": [], "more": 1}',
        '{"nodes": [{"name": "A", "tmp_ref": "a"}, {"name": "B", "tmp_ref": "a"}]}',
        '{"edges": [{"name": "N", "fact": "F", "source_ref": "a", "target_ref": "b"}]}',
        '{"nodes": [{"tmp_ref": "a", "name": "A"}], "edges": [{"name": "N", "fact": "F",'
        ' "source_ref": "a", "target_ref": "a", "valid_at": "2026-01-02"}]}',
        '{"nodes": [{"tmp_ref": "a", "name": "A"}], "edges": [{"name": "N", "fact": "F",'
        ' "source_ref": "a", "target_ref": "a", "valid_at": "2026-01-02T00:00:00Z",'
        ' "invalid_at": "2026-01-01T00:00:00Z"}]}',
    ],
)
def test_a_body_that_fails_the_schema_parks_and_writes_nothing(nexus: Nexus, body: str) -> None:
    one = rig(nexus)
    given = one.add("g", text("e1", body, source="json"))
    for seconds in (0, 1, 2, 4):
        one.clock.pass_seconds(seconds)
        assert one.drain() == 1
    assert one.states("e1") == ["extract_failed"] * 3 + ["parked"]
    assert one.receipt("g", given["receipt_id"]) == ("PARKED", ["parked"])
    (parked,) = told(one.service.list_parked(group_id="g"))["items"]
    assert (parked["episode_uuid"], parked["attempts"]) == ("e1", 4)
    assert parked["error"]
    (node,) = nexus.group("g").read('FIND(?n) WHERE { ?n {type: "Entity"} }').results
    assert node.rows == []  # type: ignore[union-attr]


def test_an_extracted_fact_that_only_a_call_may_write_is_a_fault_of_the_extraction(
    nexus: Nexus,
) -> None:
    in_group = nexus.group("g")
    asyncio.run(NexusKnowledgeStore(in_group).write_claim(Claim("x", [from_file("a")], id="c")))
    in_group.write([PutConcept("Tag", "t", id="t")])
    forged = {"name": "tagged", "fact": "c is t", "source_ref": "c", "target_ref": "t"}
    body = orjson.dumps({"edges": [forged]}).decode()
    one = rig(nexus)
    one.add("g", text("e1", body, source="json"), says("e2"))
    for seconds in (0, 1, 2, 4):
        one.clock.pass_seconds(seconds)
        one.drain()
    assert one.states("e1") == ["extract_failed"] * 3 + ["parked"]
    (parked,) = told(one.service.list_parked(group_id="g"))["items"]
    assert parked["error"] == 'edges[0].name "tagged" is not told of a Claim as a fact'
    assert one.states("e2")[-1] == "completed"


def test_retries_wait_one_then_two_then_four_seconds(nexus: Nexus) -> None:
    one = rig(nexus, Scripted({"e1": list(NEVER)}))
    one.add("g", text("e1"))
    for wait in (0, 1, 2, 4):
        if wait:
            one.clock.pass_seconds(wait - 0.001)
            assert one.drain() == 0
            one.clock.pass_seconds(0.001)
        assert one.drain() == 1
    one.clock.pass_seconds(10_000)
    assert one.drain() == 0
    assert one.states("e1") == ["extract_failed"] * 3 + ["parked"]


def test_a_longer_wait_that_is_asked_for_is_kept(nexus: Nexus) -> None:
    one = rig(nexus, Scripted({"e1": [Refused("slow down", retry_seconds=30)]}))
    one.add("g", says("e1"))
    one.drain()
    one.clock.pass_seconds(29)
    assert one.drain() == 0
    one.clock.pass_seconds(1)
    one.drain()
    assert one.states("e1")[-1] == "completed"


def test_each_step_has_its_own_retries(nexus: Nexus) -> None:
    scripted = Scripted({"e1": [Refused("no")] * 3})
    embedding = Failing(3)
    one = rig(nexus, scripted, embedding=embedding)
    one.add("g", says("e1"))
    for seconds in (0, 1, 2, 4, 1, 2, 4):
        one.clock.pass_seconds(seconds)
        one.drain()
    assert one.states("e1") == [
        *["extract_failed"] * 3,
        "extracted",
        *["embed_failed"] * 3,
        "embedded",
        "upserted",
        "completed",
    ]
    assert one.facts("g") == ["Ann works at Acme"]


class Failing:
    """An embedding that fails so many times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def is_needed(self, nexus: Nexus) -> bool:
        del nexus
        return True

    def prepare(self, nexus: Nexus, extractions: Sequence[Extraction]) -> None:
        del nexus, extractions
        if self.left:
            self.left -= 1
            raise RecollectError(INVALID_VALUE, "the model is away")


class Raising:
    """An extractor and an embedding with faults of their own."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        del known, rejected
        if episode.uuid == "bad":
            raise self.error
        return Extracted({})

    def is_needed(self, nexus: Nexus) -> bool:
        del nexus
        raise self.error

    def prepare(self, nexus: Nexus, extractions: Sequence[Extraction]) -> None:
        del nexus, extractions


@pytest.mark.parametrize(
    ("error", "told_as"),
    [
        (KeyError("nodes"), "KeyError: 'nodes'"),
        (MemoryError(), "MemoryError: "),
        (RecollectError(INVALID_VALUE, "it is odd", "mend it"), "it is odd; mend it"),
        (ValueError("\ud800\0" + "x" * 5_000), "ValueError: ?\ufffdxx"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_whatever_an_extractor_raises_parks_its_episode_and_no_other(
    nexus: Nexus, error: Exception, told_as: str
) -> None:
    one = rig(nexus, Raising(error))
    one.add("g", text("bad"), text("good"))
    for seconds in (0, 1, 2, 4):
        one.clock.pass_seconds(seconds)
        one.drain()
    assert one.states("bad") == ["extract_failed"] * 3 + ["parked"]
    assert one.states("good")[-1] == "completed"
    (parked,) = told(one.service.list_parked(group_id="g"))["items"]
    assert parked["error"].startswith(told_as)


@pytest.mark.parametrize("given", [None, "text", Extracted({"nodes": [{"nom": 1}]}), Extracted(7)])  # type: ignore[arg-type]
def test_what_is_no_extraction_is_a_failure_of_the_extractor(nexus: Nexus, given: object) -> None:
    one = rig(nexus, Scripted({"e1": [given]}))  # type: ignore[list-item]
    one.add("g", says("e1"))
    one.drain()
    assert one.states("e1") == ["extract_failed"]
    one.clock.pass_seconds(1)
    one.drain()
    assert one.states("e1")[-1] == "completed"


def test_whatever_an_embedding_raises_is_tried_again(nexus: Nexus) -> None:
    one = rig(nexus, embedding=Raising(OSError("the disk is gone")))
    given = one.add("g", says("e1"))
    one.drain()
    assert one.states("e1") == ["extracted", "embed_failed"]
    (item,) = told(one.service.get_receipt(group_id="g", receipt_id=given["receipt_id"]))["items"]
    assert item["error"] == "OSError: the disk is gone"


def test_an_embedding_that_always_fails_parks_and_can_be_tried_again(nexus: Nexus) -> None:
    embedding = Failing(4)
    scripted = Scripted()
    one = rig(nexus, scripted, embedding=embedding)
    given = one.add("g", says("e1"))
    for seconds in (0, 1, 2, 4):
        one.clock.pass_seconds(seconds)
        one.drain()
    assert one.receipt("g", given["receipt_id"])[0] == "PARKED"
    assert one.facts("g") == []
    assert told(one.service.retry_parked(group_id="g", episode_uuids=["other"])) == {"retried": 0}
    assert told(one.service.retry_parked(group_id="g")) == {"retried": 1}
    assert one.receipt("g", given["receipt_id"]) == ("ACCEPTED", ["extracted"])
    one.drain()
    assert one.receipt("g", given["receipt_id"])[0] == "OK"
    assert scripted.order == ["e1"]  # what was extracted is not extracted again
    assert one.facts("g") == ["Ann works at Acme"]


def test_a_node_whose_uuid_has_another_name_fails_to_be_written_and_writes_nothing(
    nexus: Nexus,
) -> None:
    one = rig(nexus)
    told(one.service.add_entity_node(group_id="g", uuid="u1", name="Acme"))
    body = (
        '{"nodes": [{"name": "New"}, {"uuid": "u1", "name": "Globex", "tmp_ref": "x"}],'
        ' "edges": [{"name": "N", "fact": "F", "source_ref": "x", "target_ref": "u1"}]}'
    )
    one.add("g", text("e1", body, source="json"))
    for seconds in (0, 1, 2, 4):
        one.clock.pass_seconds(seconds)
        one.drain()
    assert one.states("e1") == ["extracted", "embedded", *["upsert_failed"] * 3, "parked"]
    found = told(one.service.search_nodes(group_ids=["g"], query="New Globex"))
    assert found["nodes"] == []


def test_a_ref_is_a_tmp_ref_first_then_a_uuid_of_the_group(nexus: Nexus) -> None:
    one = rig(nexus)
    for uuid, name in (("u1", "Acme"), ("ann", "Somebody")):
        told(one.service.add_entity_node(group_id="g", uuid=uuid, name=name))
    body = (
        '{"nodes": [{"tmp_ref": "ann", "name": "Ann"}, {"uuid": "u2", "name": "Paris"}],'
        ' "edges": [{"name": "WORKS_AT", "fact": "Ann works", "source_ref": "ann", "target_ref": "u1"},'
        ' {"name": "IN", "fact": "Acme is in Paris", "source_ref": "u1", "target_ref": "u2"}]}'
    )
    one.add("g", text("e1", body, source="json"))
    one.drain()
    facts = told(one.service.search_facts(group_ids=["g"], query="works Paris"))["facts"]
    ends = {fact["name"]: (fact["source_node_name"], fact["target_node_name"]) for fact in facts}
    assert ends == {"WORKS_AT": ("Ann", "Acme"), "IN": ("Acme", "Paris")}
    assert {fact["source_episode_uuid"] for fact in facts} == {"e1"}


def test_nodes_are_found_by_their_normalised_name_and_keep_all_their_episodes(nexus: Nexus) -> None:
    one = rig(nexus)
    told(one.service.add_entity_node(group_id="g", uuid="own", name="ACME  Corp"))
    one.add("g", structured("e1", ("Ann", "WORKS_AT", "Ann works there", "acme corp")))
    one.add("g", structured("e2", ("ann", "LEFT", "Ann left", "Acme corp")))
    one.drain()
    (ann,) = told(one.service.search_nodes(group_ids=["g"], query="Ann"))["nodes"]
    assert (ann["name"], ann["source_episode_uuid"]) == ("Ann", "e1")
    facts = told(one.service.search_facts(group_ids=["g"], query="Ann"))["facts"]
    assert {fact["target_node_uuid"] for fact in facts} == {"own"}
    assert nexus.group("g").elements.look_up([ann["uuid"]])[ann["uuid"]].element.metadata[
        "sources"
    ] == [
        "e1",
        "e2",
    ]


def test_made_uuids_are_the_same_in_every_memory(nexus: Nexus) -> None:
    one = rig(nexus)
    one.add("g", says("e1"))
    one.drain()
    with recollect.open(":memory:") as other:
        two = rig(other)
        told(two.service.add_entity_node(group_id="g", uuid="x", name="First"))
        two.add("g", says("e1"))
        two.drain()
        for query in ("Ann", "Acme"):
            asked = {"group_ids": ["g"], "query": query}
            mine, theirs = (told(r.service.search_nodes(**asked))["nodes"] for r in (one, two))
            assert [n["uuid"] for n in mine] == [n["uuid"] for n in theirs]
        asked = {"group_ids": ["g"], "query": "works"}
        mine, theirs = (told(r.service.search_facts(**asked))["facts"] for r in (one, two))
        assert [f["uuid"] for f in mine] == [f["uuid"] for f in theirs]


def test_a_newer_episode_ends_what_an_older_one_said(nexus: Nexus) -> None:
    one = rig(nexus)
    one.add("g", says("e1", "Ann works at Acme"))
    one.add("g", says("e2", "Ann leads Acme", reference_time="2026-02-01T00:00:00Z"))
    one.add("g", says("e3", "Ann leads Acme", reference_time="2026-03-01T00:00:00Z"))
    one.drain()
    (fact,) = told(one.service.search_facts(group_ids=["g"], query="Ann"))["facts"]
    assert (fact["fact"], fact["source_episode_uuids"]) == ("Ann leads Acme", ["e2", "e3"])


def test_an_episode_that_was_deleted_may_say_something_else(nexus: Nexus) -> None:
    one = rig(nexus)
    one.add("g", says("e1"))
    one.drain()
    told(one.service.delete_episode(uuid="e1", group_id="g"))
    one.add("g", structured("e1", ("Bob", "KNOWS", "Bob knows Eve", "Eve")))
    one.drain()
    assert one.states("e1")[-1] == "completed"
    assert one.facts("g", "Ann Bob") == ["Ann works at Acme", "Bob knows Eve"]


def test_pages_of_states_are_those_of_the_specification(nexus: Nexus) -> None:
    one = rig(nexus, Scripted({"e2": list(NEVER)}))
    given = one.add("g", says("e1"), text("e2"))
    for _ in range(4):
        one.drain()
        one.clock.pass_seconds(5)
    assert one.receipt("g", given["receipt_id"]) == ("PARKED", ["completed", "parked"])
    assert refused(one.service.get_receipt(group_id="g", receipt_id="other")) == "NOT_FOUND"
    assert refused(one.service.get_receipt(group_id="x", receipt_id="r")) == "NOT_FOUND"


def test_a_receipt_is_accepted_while_one_item_runs(nexus: Nexus) -> None:
    one: Rig = rig(nexus, Scripted({"e1": list(NEVER)}))
    given = one.add("g", text("e1"), says("e2"))
    statuses = []
    for seconds in itertools.chain((0,), (1, 2, 4)):
        one.clock.pass_seconds(seconds)
        one.drain()
        statuses.append(one.receipt("g", given["receipt_id"])[0])
    assert statuses == ["ACCEPTED"] * 3 + ["PARKED"]


FORGED: dict[str, tuple[dict[str, object], str]] = {
    "an unknown state": ({"state": "x"}, "parked"),
    "a rest that is due": ({"state": "parked"}, "parked"),
    "an end that is due": ({"state": "completed"}, "parked"),
    "what is not JSON": ({"state": "embedded", "payload": {"extraction": "not json"}}, "parked"),
    "what is no extraction": ({"state": "extracted", "payload": {"extraction": "[1]"}}, "parked"),
    "nothing to be written": ({"state": "upsert_failed", "payload": {}}, "parked"),
    "texts for numbers": ({"payload": {"usage": {"calls": "x"}}}, "completed"),
    "a number too many": ({"payload": {"usage": {"calls": 2**63 - 1}}}, "completed"),
    "members for texts": ({"payload": {"rejected": {"why": 1}, "error": 1}}, "completed"),
}


@pytest.mark.parametrize("what", list(FORGED))
def test_an_item_of_a_changed_dump_stops_neither_the_others_nor_its_receipt(what: str) -> None:
    changes, state = FORGED[what]
    with recollect.open(":memory:") as nexus:
        given = rig(nexus).add("g", says("e1"), says("e2", "Ann leads Acme"))
        dump = dumped(nexus, all_groups=True)
    with restored(altered(dump, "work", lambda line: line.update(changes))) as nexus:
        one = rig(nexus)
        told(one.service.get_receipt(group_id="g", receipt_id=given["receipt_id"]))
        one.drain()
        assert one.receipt("g", given["receipt_id"])[1] == [state, "completed"]
        assert "Ann leads Acme" in one.facts("g")
        parked = told(one.service.list_parked(group_id="g"))["items"]
        assert all(item["error"] for item in parked)
        retried = told(one.service.retry_parked(group_id="g"))
        one.drain()
        assert retried == {"retried": len(parked)}
        assert one.receipt("g", given["receipt_id"]) == ("OK", ["completed"] * 2)


def test_an_episode_that_says_nothing_of_an_episode_is_parked(nexus: Nexus) -> None:
    nexus.group("g").write([PutConcept("Episode", "e1", {"body": 1}, id="e1")])
    nexus.group("g").queue.put(["e1"], "accepted", "r")
    one = rig(nexus)
    given = one.add("g", says("e2"))
    one.drain()
    assert one.receipt("g", "r") == ("PARKED", ["parked"])
    assert one.receipt("g", given["receipt_id"]) == ("OK", ["completed"])
