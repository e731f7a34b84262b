"""Graphiti's nodes and edges keep their uuids, their clocks and their episodes."""

from __future__ import annotations

import pytest
from tests.integrations.exchange.conftest import Write, asked, rows, twice_is_once, words_found

from recollect.errors import RecollectError
from recollect.faces.operations import Operations
from recollect.integrations.exchange import take_in
from recollect.kernel import Nexus

GROUP = {"group_id": "g"}
EPISODE = {
    "uuid": "e1",
    "name": "chat",
    **GROUP,
    "labels": [],
    "created_at": "2024-02-01T00:00:00Z",
    "source": "message",
    "source_description": "a chat",
    "content": "ann: I left Acme for Initech",
    "valid_at": "2024-01-31T09:30:00Z",
    "entity_edges": ["f1", "f2"],
}


def node(uuid: str, name: str, **more: object) -> dict[str, object]:
    said = {"labels": ["Entity", "Person"], "created_at": "2024-02-01T00:00:00Z", "summary": ""}
    return {
        "uuid": uuid,
        "name": name,
        **GROUP,
        **said,
        "name_embedding": None,
        "attributes": {},
        **more,
    }


def edge(uuid: str, start: str, end: str, fact: str, **more: object) -> dict[str, object]:
    ends = {"source_node_uuid": start, "target_node_uuid": end}
    said = {"name": "WORKS_AT", "fact": fact, "fact_embedding": None, "episodes": ["e1"]}
    times = {"created_at": "2024-02-01T00:00:00Z", "expired_at": None, "valid_at": None}
    return {
        "uuid": uuid,
        **GROUP,
        **ends,
        **said,
        **times,
        "invalid_at": None,
        "attributes": {},
        **more,
    }


FILE = [
    edge("f1", "n1", "n2", "Ann worked at Acme", valid_at="2020-01-01T00:00:00Z",
         invalid_at="2024-01-31T09:30:00Z", expired_at="2024-02-01T00:00:00Z"),
    edge("f2", "n1", "n3", "Ann works at Initech", valid_at="2024-01-31T09:30:00Z"),
    edge("f3", "n1", "n3", "Ann leads research at Initech", valid_at="2024-03-01T00:00:00Z"),
    {"uuid": "m1", **GROUP, "source_node_uuid": "e1", "target_node_uuid": "n1", "created_at": "2024-02-01T00:00:00Z"},
    EPISODE,
    node("n1", "Ann", summary="A researcher", attributes={"age": 40}),
    node("n2", "Acme"),
    node("n3", "Initech"),
    node("n4", "ACME"),
    edge("f4", "n1", "n4", "Ann still visits Acme", name="VISITS"),
    {"uuid": "c1", "name": "Firms", **GROUP, "labels": [], "created_at": "2024-02-01T00:00:00Z", "summary": "firms", "name_embedding": None},
]  # fmt: skip


def test_facts_have_their_clocks_and_are_found_like_own_ones(nexus: Nexus, write: Write) -> None:
    report = twice_is_once(nexus, write("graph.jsonl", FILE))
    assert report.format == "graphiti"
    assert [one.reason for one in report.skipped] == [
        "a community, which is computed from the graph"
    ]
    operations = Operations(nexus)
    facts = asked(operations, "SearchFacts", query="where does Ann work at Initech")["facts"]
    assert {one["uuid"] for one in facts} == {"f2", "f3", "f4"}
    then = asked(operations, "SearchFacts", query="work Acme", valid_as_of="2022-01-01T00:00:00Z")
    assert {"f1"} <= {one["uuid"] for one in then["facts"]}
    (fact,) = (one for one in facts if one["uuid"] == "f2")
    assert fact["source_episode_uuids"] == ["e1"]
    edge = operations.call("GetEntityEdge", {"uuid": "f1"})["output"]
    assert edge["invalid_at"] == "2024-01-31T09:30:00.000Z"


def test_nodes_of_one_name_become_one(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("graph.jsonl", FILE))
    found = 'FIND(?f.name) WHERE { ({type: "Entity", name: "Ann"}, "VISITS", ?f) }'
    assert rows(nexus, found) == [("Acme",)]
    names = 'FIND(?n.name) WHERE { ?n {type: "Entity"} } ORDER BY ?n.name'
    assert rows(nexus, names) == [("Acme",), ("Ann",), ("Initech",)]


def test_episodes_and_what_they_mention_are_there(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("graph.jsonl", FILE))
    operations = Operations(nexus)
    given = {"group_id": "team", "last_n": 5}
    (episode,) = operations.call("GetEpisodes", given)["output"]["episodes"]
    assert (episode["uuid"], episode["body"]) == ("e1", EPISODE["content"])
    assert episode["reference_time"] == "2024-01-31T09:30:00.000Z"
    assert nexus.elements.look_up(["n1"])["n1"].element.metadata["sources"] == ["e1"]
    assert nexus.elements.look_up(["n1"])["n1"].element.attributes["summary"] == "A researcher"


def test_a_fact_told_later_ends_an_imported_one(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("graph.jsonl", FILE))
    operations = Operations(nexus)
    fact = {
        "group_id": "team",
        "name": "VISITS",
        "fact": "Ann never visits Acme",
        "source_node_uuid": "n1",
        "target_node_uuid": "n2",
        "valid_at": "2025-01-01T00:00:00Z",
    }
    assert operations.call("AddFact", fact)["status"] == "OK"
    assert operations.call("GetEntityEdge", {"uuid": "f4"})["output"]["expired_at"] is not None
    again = take_in(nexus, write("again.jsonl", FILE))
    assert (again.created, again.updated) == (0, 0)
    assert "it is in the memory, and was closed there since" in [
        one.reason for one in again.skipped
    ]
    assert "Ann still visits Acme" not in words_found(nexus, "visits")


def test_an_edge_that_graphiti_ended_since_ends(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("graph.jsonl", FILE))
    later = [
        {**one, "invalid_at": "2024-06-01T00:00:00Z"} if one["uuid"] == "f2" else one
        for one in FILE
    ]
    report = twice_is_once(nexus, write("later.jsonl", later))
    assert (report.created, report.updated) == (0, 1)
    edge = Operations(nexus).call("GetEntityEdge", {"uuid": "f2"})["output"]
    assert edge["invalid_at"] == "2024-06-01T00:00:00.000Z"


def test_what_has_no_end_or_is_never_true_is_left_out_and_told(nexus: Nexus, write: Write) -> None:
    file = [
        node("n1", "Ann"),
        edge("f1", "n1", "absent", "Ann works nowhere"),
        edge(
            "f2",
            "n1",
            "n1",
            "Ann is",
            valid_at="2024-01-01T00:00:00Z",
            invalid_at="2023-01-01T00:00:00Z",
        ),
    ]
    report = twice_is_once(nexus, write("graph.jsonl", file), format="graphiti")
    assert {one.lines for one in report.skipped} == {(2,), (3,)}
    assert nexus.stats().links == 0


def test_groups_are_not_mixed(nexus: Nexus, write: Write) -> None:
    path = write("graph.jsonl", [node("n1", "Ann"), {**node("n2", "Bob"), "group_id": "other"}])
    with pytest.raises(RecollectError, match=r"line 2 .*another group_id"):
        take_in(nexus, path)
