"""What is deleted is gone at every point in time, and deleting it again is no error."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from tests.faces.operations.calls import TIME, Service, added_facts, edge, found, refused, told

import recollect
from recollect.faces.operations import Caller, Operations
from recollect.kernel import Nexus

DONE = {"message", "success"}


def test_a_deleted_fact_is_gone_at_every_point_in_time(furnished: Service) -> None:
    created = edge(furnished, "f1")["created_at"]
    for _ in range(2):
        done = told(furnished.delete_entity_edge(uuid="f1", group_id="g"))
        assert set(done) == DONE
        assert done["success"] is True
    for more in ({}, {"known_as_of": created}):
        assert refused(furnished.get_entity_edge(uuid="f1", group_id="g", **more)) == "NOT_FOUND"  # type: ignore[arg-type]
        assert "f1" not in found(furnished, "Ann works at Acme", **more)
    assert told(furnished.get_entity_edge(uuid="f1", group_id="decoy"))["uuid"] == "f1"


def test_a_deleted_uuid_is_free_again(furnished: Service) -> None:
    told(furnished.delete_entity_edge(uuid="f1", group_id="g"))
    added_facts(
        furnished,
        "g",
        {"uuid": "f1", "name": "OWNS", "fact": "Bob owns Globex", "from": "bob", "to": "globex"},
    )
    assert found(furnished, "owns") == ["f1"]


def test_only_what_it_names_is_deleted(furnished: Service) -> None:
    told(furnished.delete_entity_edge(uuid="ann", group_id="g"))
    told(furnished.delete_episode(uuid="f1", group_id="g"))
    assert found(furnished, "Ann works") == ["f1", "f2"]
    assert refused(furnished.delete_entity_edge(uuid="")) == "INVALID_ARGUMENT"


def test_deleting_an_episode_keeps_what_was_learnt_from_it(furnished: Service) -> None:
    item = {"uuid": "e", "source": "text", "body": "secret", "reference_time": TIME}
    told(furnished.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
    added_facts(
        furnished,
        "g",
        {
            "uuid": "x",
            "name": "R",
            "fact": "learnt",
            "from": "ann",
            "to": "acme",
            "source_episode_uuid": "e",
        },
    )
    for _ in range(2):
        assert told(furnished.delete_episode(uuid="e", group_id="g"))["success"] is True
    assert told(furnished.get_episodes(group_id="g", last_n=9)) == {"episodes": []}
    assert edge(furnished, "x")["source_episode_uuid"] == "e"
    told(furnished.add_episodes(group_id="g", items=[item | {"body": "other"}]))  # type: ignore[list-item]


def test_a_deleted_group_is_empty_and_its_neighbour_is_not(furnished: Service) -> None:
    for _ in range(2):
        assert told(furnished.delete_group(group_id="g"))["success"] is True
    assert found(furnished, "Ann") == []
    assert told(furnished.get_episodes(group_id="g", last_n=9)) == {"episodes": []}
    assert told(furnished.search_nodes(group_ids=["g"], query="Ann"))["nodes"] == []
    assert sorted(found(furnished, "Ann", group_ids=["decoy"])) == ["f1", "f2"]


def test_clearing_all_leaves_nothing(nexus: Nexus, furnished: Service) -> None:
    for _ in range(2):
        assert told(furnished.clear_all())["success"] is True
    assert nexus.groups() == []
    assert found(furnished, "Ann", group_ids=["decoy", "g"]) == []


def test_how_many_groups_were_cleared_is_told(furnished: Service) -> None:
    told(furnished.delete_group(group_id="decoy"))
    messages = [told(furnished.clear_all())["message"] for _ in range(2)]
    assert messages == ["1 group is deleted", "0 groups are deleted"]


@pytest.mark.parametrize("delete", ["delete_entity_edge", "delete_episode"])
def test_no_word_of_what_is_deleted_stays_in_the_file(tmp_path: Path, delete: str) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        service = Operations(nexus)
        for uuid in ("a", "b"):
            told(service.add_entity_node(group_id="g", uuid=uuid, name=f"Node {uuid}"))
        item = {"uuid": "e", "source": "text", "body": "xylophone", "reference_time": TIME}
        told(service.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
        added_facts(
            service, "g", {"uuid": "f", "name": "R", "fact": "zeppelin", "from": "a", "to": "b"}
        )
        uuid, word = ("f", b"zeppelin") if delete == "delete_entity_edge" else ("e", b"xylophone")
        told(getattr(service, delete)(uuid=uuid))
        assert nexus.group("g").verify().is_whole
    assert word not in b"".join(one.read_bytes() for one in tmp_path.iterdir())


def test_a_caller_reaches_its_own_groups_alone(furnished: Service) -> None:
    mine = furnished.on_behalf_of(Caller(frozenset({"g"}), is_admin=False))
    assert told(mine.get_entity_edge(uuid="f1"))["group_id"] == "g"
    assert found(mine, "Ann works") == ["f1", "f2"]
    refusals = [
        mine.search_facts(group_ids=["g", "decoy"], query="Ann"),
        mine.get_entity_edge(uuid="f1", group_id="decoy"),
        mine.add_entity_node(group_id="decoy", uuid="n", name="N"),
        mine.get_episodes(group_id="nowhere", last_n=1),
        mine.delete_group(group_id="decoy"),
        mine.clear_all(),
    ]
    assert [refused(one) for one in refusals] == ["PERMISSION_DENIED"] * 6
    assert told(mine.delete_entity_edge(uuid="f1"))["success"] is True
    assert told(furnished.get_entity_edge(uuid="f1"))["group_id"] == "decoy"


@pytest.mark.parametrize("name", ["DeleteEntityEdge", "DeleteEpisode"])
def test_of_those_who_delete_at_once_none_fails(tmp_path: Path, name: str) -> None:
    with recollect.open(tmp_path / "memory.db") as nexus, ThreadPoolExecutor(8) as threads:
        service = Operations(nexus)
        for uuid in ("ann", "bob"):
            told(service.add_entity_node(group_id="g", uuid=uuid, name=uuid))
        for turn in range(8):
            fact = {"uuid": f"f{turn}", "name": f"R{turn}", "fact": "x", "from": "ann", "to": "bob"}
            added_facts(service, "g", fact)
            item = {"uuid": f"e{turn}", "source": "text", "body": "x", "reference_time": TIME}
            told(service.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
            given = {"uuid": f"f{turn}" if name == "DeleteEntityEdge" else f"e{turn}"}
            answers = threads.map(partial(service.call, name), [given] * 8)
            assert {told(one)["success"] for one in answers} == {True}
