"""What is the same thing, and what is a conflict."""

from __future__ import annotations

from typing import Any

import pytest
from tests.faces.operations.calls import TIME, Service, added_facts, edge, fact_item, refused, told


def test_a_node_merges_summary_and_attributes_key_by_key(service: Service) -> None:
    first = told(
        service.add_entity_node(
            group_id="g", uuid="n", name="N", summary="s", attributes={"a": 1, "b": 1}
        )
    )
    again = told(
        service.add_entity_node(group_id="g", uuid="n", name="N", attributes={"b": 2, "c": 3})
    )
    assert again == first | {"attributes": {"a": 1, "b": 2, "c": 3}}
    assert (
        told(service.add_entity_node(group_id="g", uuid="n", name="N", summary="t"))["summary"]
        == "t"
    )


def test_a_node_keeps_its_first_spelling(service: Service) -> None:
    told(service.add_entity_node(group_id="g", uuid="n", name="Acme Corp"))
    node = told(service.add_entity_node(group_id="g", uuid="n", name="  ACME\tcorp"))
    assert node["name"] == "Acme Corp"


@pytest.mark.parametrize("name", ["Acme Corp", "ACME  corp", "\uff21cme Corp"])  # a wide letter
def test_a_name_that_belongs_to_another_uuid_is_a_conflict(service: Service, name: str) -> None:
    told(service.add_entity_node(group_id="g", uuid="n", name="Acme Corp"))
    assert refused(service.add_entity_node(group_id="g", uuid="m", name=name)) == "CONFLICT"


def test_a_uuid_with_another_name_is_a_conflict(service: Service) -> None:
    told(service.add_entity_node(group_id="g", uuid="n", name="Acme"))
    assert refused(service.add_entity_node(group_id="g", uuid="n", name="Globex")) == "CONFLICT"
    told(service.add_entity_node(group_id="h", uuid="n", name="Globex"))


def test_uuids_are_unique_over_nodes_facts_and_episodes(furnished: Service) -> None:
    fact = {"name": "R", "fact": "f", "source_node_uuid": "ann", "target_node_uuid": "acme"}
    told(
        furnished.add_episodes(
            group_id="g",
            items=[{"uuid": "e", "source": "text", "body": "b", "reference_time": TIME}],
        )
    )
    for taken in ("f1", "e"):
        assert (
            refused(furnished.add_entity_node(group_id="g", uuid=taken, name="New")) == "CONFLICT"
        )
    for taken in ("ann", "e"):
        assert refused(furnished.add_fact(group_id="g", uuid=taken, **fact)) == "CONFLICT"  # type: ignore[arg-type]
    for taken in ("ann", "f1"):
        item = {"uuid": taken, "source": "text", "body": "b", "reference_time": TIME}
        assert refused(furnished.add_episodes(group_id="g", items=[item])) == "CONFLICT"  # type: ignore[list-item]


def test_a_fact_uuid_with_other_ends_is_a_conflict(furnished: Service) -> None:
    for ends in (("ann", "globex"), ("bob", "acme"), ("acme", "ann")):
        given = {
            "uuid": "f1",
            "name": "WORKS_AT",
            "fact": "x",
            "source_node_uuid": ends[0],
            "target_node_uuid": ends[1],
        }
        assert refused(furnished.add_fact(group_id="g", **given)) == "CONFLICT"  # type: ignore[arg-type]


def test_a_replayed_fact_changes_nothing_even_once_it_is_expired(furnished: Service) -> None:
    first = {
        "uuid": "old",
        "name": "LEADS",
        "fact": "Ann leads Acme",
        "from": "ann",
        "to": "acme",
        "valid_at": "2020-01-01T00:00:00Z",
    }
    added_facts(furnished, "g", first)
    added_facts(
        furnished,
        "g",
        first | {"uuid": "new", "fact": "Ann led Acme", "valid_at": "2021-01-01T00:00:00Z"},
    )
    expired = edge(furnished, "old")
    assert expired["expired_at"] is not None
    assert added_facts(furnished, "g", first) == [expired]
    assert edge(furnished, "new")["expired_at"] is None
    other = first | {"to": "globex"}
    given = {key: value for key, value in other.items() if key not in ("from", "to")}
    ends = {"source_node_uuid": "ann", "target_node_uuid": "globex"}
    assert refused(furnished.add_fact(group_id="g", **given, **ends)) == "CONFLICT"  # type: ignore[arg-type]
    assert refused(furnished.add_entity_node(group_id="g", uuid="old", name="Old")) == "CONFLICT"


@pytest.mark.parametrize(
    "other",
    [
        {"body": "c"},
        {"name": "n"},
        {"source": "json"},
        {"reference_time": "2025-01-01T00:00:00Z"},
        {"source_description": "d"},
    ],
)
def test_another_payload_under_the_uuid_of_an_episode_is_a_conflict(
    service: Service, other: dict[str, Any]
) -> None:
    item = {"uuid": "e", "source": "text", "body": "b", "reference_time": TIME}
    told(service.add_episodes(group_id="g", items=[item, item]))  # type: ignore[list-item]
    told(service.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
    assert refused(service.add_episodes(group_id="g", items=[item | other])) == "CONFLICT"  # type: ignore[list-item]
    assert len(told(service.get_episodes(group_id="g", last_n=9))["episodes"]) == 1


def test_episodes_without_a_uuid_are_told_apart_by_their_content(service: Service) -> None:
    item = {"source": "text", "body": "Body", "reference_time": TIME}
    for one in (item, item, item | {"body": "body"}, item | {"name": "n"}, item | {"uuid": "e"}):
        told(service.add_episodes(group_id="g", items=[one]))  # type: ignore[list-item]
    assert len(told(service.get_episodes(group_id="g", last_n=9))["episodes"]) == 4


def test_a_message_is_an_episode_of_one_line(service: Service) -> None:
    messages = [
        {"uuid": "m1", "role_type": "user", "role": "Ann", "content": "Hello", "timestamp": TIME},
        {"uuid": "m2", "role_type": "assistant", "content": "Hi", "timestamp": TIME},
    ]
    answer = service.add_messages(group_id="g", messages=messages)  # type: ignore[arg-type]
    assert answer["status"] == "ACCEPTED"
    assert told(answer)["accepted"] == 2
    episodes = told(service.get_episodes(group_id="g", last_n=9))["episodes"]
    assert [(one["source"], one["body"]) for one in episodes] == [
        ("message", "user(Ann): Hello"),
        ("message", "assistant(): Hi"),
    ]


def test_episodes_come_oldest_first_and_the_newest_of_them(service: Service) -> None:
    times = {
        "b": "2026-01-02T00:00:00Z",
        "a": "2026-01-02T00:00:00Z",
        "c": "2026-01-01T00:00:00Z",
        "d": "2026-01-03T00:00:00Z",
    }
    items = [
        {"uuid": uuid, "source": "text", "body": "b", "reference_time": time}
        for uuid, time in times.items()
    ]
    told(service.add_episodes(group_id="g", items=items))  # type: ignore[arg-type]
    newest = told(service.get_episodes(group_id="g", last_n=3))["episodes"]
    assert [one["uuid"] for one in newest] == ["a", "b", "d"]


def test_a_uuid_in_several_groups_asks_for_the_group(furnished: Service) -> None:
    assert refused(furnished.get_entity_edge(uuid="f1")) == "INVALID_ARGUMENT"
    assert refused(furnished.delete_entity_edge(uuid="f1")) == "INVALID_ARGUMENT"
    added_facts(
        furnished, "g", {"uuid": "only", "name": "R", "fact": "f", "from": "ann", "to": "acme"}
    )
    assert told(furnished.get_entity_edge(uuid="only"))["group_id"] == "g"
    assert refused(furnished.get_entity_edge(uuid="only", group_id="decoy")) == "NOT_FOUND"
    assert refused(furnished.get_entity_edge(uuid="ann", group_id="g")) == "NOT_FOUND"


def test_an_end_that_is_no_node_is_not_found(furnished: Service) -> None:
    fact = {"name": "R", "fact": "f", "source_node_uuid": "ann"}
    for nobody in ("nobody", "f1"):
        assert (
            refused(furnished.add_fact(group_id="g", target_node_uuid=nobody, **fact))
            == "NOT_FOUND"
        )  # type: ignore[arg-type]


def test_a_fact_uuid_with_other_qualifiers_is_a_conflict(furnished: Service) -> None:
    plain = {"uuid": "q", "name": "OWNS", "fact": "Bob owns", "from": "bob", "to": "acme"}
    added_facts(furnished, "g", {**plain, "qualifiers": {"Share": "Half"}})
    added_facts(furnished, "g", {**plain, "qualifiers": {"share": "half"}}, plain)
    other = fact_item({**plain, "qualifiers": {"share": "all"}})
    assert refused(furnished.add_fact(group_id="g", **other)) == "CONFLICT"
    assert edge(furnished, "q")["qualifiers"] == {"share": "half"}


def test_a_fact_is_one_however_its_names_are_spelled(furnished: Service) -> None:
    episode = {"uuid": "\u00e9", "source": "text", "body": "b", "reference_time": TIME}
    told(furnished.add_episodes(group_id="g", items=[episode]))  # type: ignore[list-item]
    for e in ("e\u0301", "\u00e9"):
        names = {"uuid": f"f{e}", "name": f"\u00c9t{e}", "source_episode_uuid": e}
        plain = {"fact": "words", "qualifiers": {"caf\u00e9": e}, "from": "ann", "to": "acme"}
        (fact,) = added_facts(furnished, "g", names | plain)
        assert (fact["uuid"], fact["name"]) == ("f\u00e9", "\u00c9t\u00e9")
        assert fact["source_episode_uuids"] == ["\u00e9"]
    assert edge(furnished, "fe\u0301")["uuid"] == "f\u00e9"
