"""What is accepted once is done once: uuids, contents, idempotency keys, and deletions."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.faces.operations.calls import TIME, found, refused, told
from tests.faces.operations.pipeline.rig import Scripted, rig, says, structured, text

import recollect
from behind import BYTES
from recollect import Found
from recollect.faces.operations import OPERATIONS
from recollect.faces.operations.envelope import checked
from recollect.faces.operations.episodes import EpisodeDraft, keep_episodes
from recollect.faces.operations.pipeline import Episode, Extracted, Known, Refused, Rejected
from recollect.kernel import Nexus

DAY = 24 * 60 * 60
MESSAGE = {"role_type": "user", "role": "Ann", "content": "Hi", "timestamp": TIME}


def test_a_replay_is_done_once_and_has_the_same_receipt(nexus: Nexus) -> None:
    scripted = Scripted()
    one = rig(nexus, scripted)
    first = one.add("g", says("e1"), text("e2"))
    one.drain()
    again = one.add("g", says("e1"), text("e2"))
    assert (again, one.drain()) == (first, 0)
    assert one.receipt("g", again["receipt_id"]) == ("OK", ["completed", "completed"])
    assert scripted.order == ["e1", "e2"]


def test_episodes_without_a_uuid_are_told_apart_by_their_content(nexus: Nexus) -> None:
    one = rig(nexus)
    others = [
        text(None, "hello"),
        text(None, "Hello", name="n"),
        text(None, "Hello", source="json"),
        text(None, "Hello", reference_time="2026-01-31T09:30:00.001Z"),
        text("own", "Hello"),
    ]
    same = [text(None, "Hello"), text(None, "Hello"), text(None, "Hello", source_description="x")]
    given = one.add("g", *same, *others)
    assert given["accepted"] == 8
    assert one.drain() == 6
    episodes = told(one.service.get_episodes(group_id="g", last_n=10))["episodes"]
    assert len(episodes) == 6


def test_another_payload_under_a_uuid_is_a_conflict_and_takes_nothing_in(nexus: Nexus) -> None:
    one = rig(nexus)
    one.add("g", text("e1"))
    items = [text("e2"), text("e1", "Other")]
    assert refused(one.service.add_episodes(group_id="g", items=items)) == "CONFLICT"  # type: ignore[arg-type]
    assert one.drain() == 1
    episodes = told(one.service.get_episodes(group_id="g", last_n=10))["episodes"]
    assert [one["uuid"] for one in episodes] == ["e1"]


def test_messages_are_episodes_and_have_receipts(nexus: Nexus) -> None:
    one = rig(nexus)
    given = told(one.service.add_messages(group_id="g", messages=[MESSAGE]))  # type: ignore[list-item]
    one.drain()
    assert one.receipt("g", given["receipt_id"]) == ("OK", ["completed"])


def test_uniqueness_ends_with_deletion(nexus: Nexus) -> None:
    one = rig(nexus)
    given = one.add("g", text("e1"), text(None, "Hello"))
    one.drain()
    episodes = told(one.service.get_episodes(group_id="g", last_n=2))["episodes"]
    for episode in episodes:
        told(one.service.delete_episode(uuid=episode["uuid"], group_id="g"))
    assert refused(one.service.get_receipt(group_id="g", receipt_id=given["receipt_id"])) == (
        "NOT_FOUND"
    )
    one.add("g", text("e1", "Other"), text(None, "Hello"))
    assert one.drain() == 2


class TestKeys:
    def test_a_key_gives_the_first_answer_again(self, nexus: Nexus) -> None:
        one = rig(nexus)
        item = text(None, "Hello")
        first = one.add("g", item, idempotency_key="k")
        one.drain()
        assert one.add("g", item, idempotency_key="k") == first
        assert one.drain() == 0

    def test_a_key_with_another_payload_is_a_conflict(self, nexus: Nexus) -> None:
        one = rig(nexus)
        one.add("g", text("e1"), idempotency_key="k")
        items: Any = [text("e2")]
        again = one.service.add_episodes(group_id="g", items=items, idempotency_key="k")
        assert refused(again) == "CONFLICT"
        assert one.drain() == 1

    def test_a_key_belongs_to_its_group_and_operation(self, nexus: Nexus) -> None:
        one = rig(nexus)
        one.add("g", text("e1"), idempotency_key="k")
        one.add("h", text("e2"), idempotency_key="k")
        named = {"group_id": "g", "uuid": "u1", "name": "Ann", "idempotency_key": "k"}
        told(one.service.add_entity_node(**named))  # type: ignore[arg-type]

    def test_a_key_lives_a_day(self, nexus: Nexus) -> None:
        one = rig(nexus)
        one.add("g", text("e1"), idempotency_key="k")
        items: Any = [text("e2")]
        one.clock.pass_seconds(DAY - 0.001)
        again = one.service.add_episodes(group_id="g", items=items, idempotency_key="k")
        assert refused(again) == "CONFLICT"
        one.clock.pass_seconds(0.001)
        told(one.service.add_episodes(group_id="g", items=items, idempotency_key="k"))

    def test_a_call_that_failed_is_not_remembered(self, nexus: Nexus) -> None:
        one = rig(nexus)
        told(one.service.add_entity_node(group_id="g", uuid="u1", name="Ann"))
        named: Any = {"group_id": "g", "uuid": "u2", "name": "ANN", "idempotency_key": "k"}
        assert refused(one.service.add_entity_node(**named)) == "CONFLICT"
        named["name"] = "Bob"
        told(one.service.add_entity_node(**named))

    def test_every_write_answers_the_same_under_its_key(self, nexus: Nexus) -> None:
        one = rig(nexus)
        for uuid, name in (("a", "Ann"), ("b", "Acme")):
            named: Any = {"group_id": "g", "uuid": uuid, "name": name, "idempotency_key": uuid}
            first = told(one.service.add_entity_node(**named))
            one.clock.pass_seconds(5)
            assert told(one.service.add_entity_node(**named)) == first
        fact: Any = {"name": "W", "fact": "F", "source_node_uuid": "a", "target_node_uuid": "b"}
        calls = [
            lambda: one.service.add_fact(group_id="g", idempotency_key="k", **fact),
            lambda: one.service.add_facts(
                group_id="g", facts=[fact | {"fact": "G"}], idempotency_key="k"
            ),
            lambda: one.service.add_messages(
                group_id="g",
                messages=[MESSAGE],  # type: ignore[list-item]
                idempotency_key="k",
            ),
            lambda: one.service.retry_parked(group_id="g", idempotency_key="k"),
        ]
        for call in calls:
            before = nexus.group("g").stats().transactions
            first = told(call())
            after = nexus.group("g").stats().transactions
            assert told(call()) == first
            assert nexus.group("g").stats().transactions == after >= before

    def test_what_is_erased_stands_in_no_kept_answer(self, nexus: Nexus) -> None:
        one = rig(nexus)
        for uuid, name in (("a", "Ann"), ("b", "Acme")):
            told(one.service.add_entity_node(group_id="g", uuid=uuid, name=name))
        fact: Any = {
            "name": "W",
            "fact": "Secret",
            "source_node_uuid": "a",
            "target_node_uuid": "b",
        }
        made = told(one.service.add_fact(group_id="g", idempotency_key="k", **fact))
        told(one.service.delete_entity_edge(uuid=made["uuid"], group_id="g"))
        again = told(one.service.add_fact(group_id="g", idempotency_key="k", **fact))
        assert again["created_at"] > made["created_at"]


class Deleting:
    """An extractor during whose work something is deleted."""

    def __init__(self) -> None:
        self.action = lambda: None

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        self.action()
        return Scripted().extract(episode, known, rejected)


@pytest.mark.parametrize("what", ["episode", "group", "all"])
def test_what_is_deleted_while_it_is_worked_on_does_not_come_back(nexus: Nexus, what: str) -> None:
    deleting = Deleting()
    one = rig(nexus, deleting)
    one.add("g", says("e1"))
    deletions: Any = {
        "episode": lambda: told(one.service.delete_episode(uuid="e1", group_id="g")),
        "group": lambda: told(one.service.delete_group(group_id="g")),
        "all": lambda: told(one.service.clear_all()),
    }
    deleting.action = deletions[what]
    assert one.drain() == 1
    assert one.drain() == 0
    assert one.seen == []
    assert one.facts("g") == []
    assert told(one.service.get_episodes(group_id="g", last_n=5))["episodes"] == []
    if what != "episode":
        assert "g" not in nexus.groups()


def test_what_waits_for_a_deleted_episode_is_dropped(nexus: Nexus) -> None:
    one = rig(nexus)
    one.add("g", says("e1"), says("e2", "Ann left Acme"))
    told(one.service.delete_episode(uuid="e1", group_id="g"))
    one.drain()
    assert one.facts("g") == ["Ann left Acme"]


@BYTES
def test_the_uuid_of_an_episode_leaves_the_file_with_all_that_was_learnt_of_it(
    tmp_path: Path,
) -> None:
    with recollect.open(tmp_path / "m.db") as nexus:
        one = rig(nexus)
        one.add("g", says("call with zebra"))
        one.drain()
        assert one.facts("g") == ["Ann works at Acme"]
        told(one.service.delete_episode(uuid="call with zebra", group_id="g"))
        assert nexus.group("g").purge(Found('FIND(?x) WHERE { ?x {type: "Entity"} }')).is_complete
        assert b"zebra" not in (tmp_path / "m.db").read_bytes()


def test_a_group_and_its_queue_go_into_a_dump_and_come_back(nexus: Nexus, tmp_path: Any) -> None:
    one = rig(nexus, Scripted({"e1": [Refused("later", "{")]}))
    given = one.add("g", says("e1"), says("e2", "Ann left Acme"))
    one.work.run_once(nexus, partial(next, iter([True, False])))
    nexus.group("g").dump(tmp_path / "dump")
    with recollect.open(tmp_path / "other.db") as other:
        other.restore(tmp_path / "dump")
        two = rig(other)
        two.clock.pass_seconds(10)
        assert two.receipt("g", given["receipt_id"]) == (
            "ACCEPTED",
            ["extract_failed", "extracted"],
        )
        two.drain()
        assert two.receipt("g", given["receipt_id"])[0] == "OK"
        assert other.doctor().findings == ()


def test_episodes_kept_without_being_queued_are_learnt_from_when_they_come_again(
    nexus: Nexus,
) -> None:
    items: Any = [says("e1")]
    given: Any = checked(OPERATIONS["AddEpisodes"].adapter, {"group_id": "g", "items": items})
    draft = EpisodeDraft.of_item("g", given["items"][0])
    keep_episodes(nexus.group("g"), [draft], "r", None)
    one = rig(nexus)
    assert one.drain() == 0
    one.add("g", *items)
    assert one.drain() == 1
    assert found(one.service, "Ann") != []


def test_under_a_key_null_is_the_same_as_left_out(nexus: Nexus) -> None:
    service = rig(nexus).service
    plain: dict[str, Any] = {"group_id": "g", "uuid": "a", "name": "A", "idempotency_key": "k"}
    first = told(service.add_entity_node(**plain, summary=None))
    assert told(service.add_entity_node(**plain)) == first
    assert refused(service.add_entity_node(**plain, attributes={"a": None})) == "CONFLICT"


def test_a_receipt_names_what_a_name_may_mean_where_several_fit(nexus: Nexus) -> None:
    """An entity of its own is made, and told of once; a name that fits one thing is that one."""
    group = nexus.group("g")
    group.write(
        """UPSERT {
          CONCEPT { {type: "Person", name: "Apollo"} }
          CONCEPT { {type: "Project", name: "Apollo"} }
          CONCEPT { {type: "Person", name: "HERMES"} SET ATTRIBUTES { aliases: ["The herald"] } }
          CONCEPT { {type: "Ship", name: "hermes"} }
          CONCEPT { {type: "City", name: "Rome"} }
        }"""
    )
    apollo = [one.element.id for one in group.elements.named("Apollo")]
    hermes = [one.element.id for one in group.elements.named("Hermes")]
    one = rig(nexus)
    for uuid, warned in (("e1", 2), ("e2", 0)):
        facts = (
            ("Apollo", "NEEDS", "Apollo needs Rome", "Rome"),
            ("Hermes", "SEES", "Hermes sees the herald", "The herald"),
        )
        given = one.add("g", structured(uuid, *facts))
        one.drain()
        receipt = told(one.service.get_receipt(group_id="g", receipt_id=given["receipt_id"]))
        (item,) = receipt["items"]
        assert (item["state"], len(item["warnings"])) == ("completed", warned)
        for name, ids in (("Apollo", apollo), ("Hermes", hermes)):
            told_of = [words for words in item["warnings"] if f'"{name}"' in words]
            assert [all(id in words for id in ids) for words in told_of] == [True] * (warned // 2)
    types = [
        sorted(x.element.type for x in group.elements.named(name))
        for name in ("Apollo", "Hermes", "Rome")
    ]
    assert types == [["Entity", "Person", "Project"], ["Entity"], ["City"]]
