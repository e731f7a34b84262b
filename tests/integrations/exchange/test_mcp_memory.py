"""The official MCP memory server's file becomes nodes and facts that every face finds."""

from __future__ import annotations

import pytest
from tests.integrations.exchange.conftest import Write, asked, rows, twice_is_once, words_found

from recollect.errors import RecollectError
from recollect.faces.operations import Operations
from recollect.integrations.exchange import take_in
from recollect.kernel import Nexus

FILE = [
    {
        "type": "entity",
        "name": "John_Smith",
        "entityType": "person",
        "observations": ["Speaks fluent Spanish", "Graduated in 2019"],
    },
    {"type": "entity", "name": "Anthropic", "entityType": "organization", "observations": []},
    {"type": "relation", "from": "John_Smith", "to": "Anthropic", "relationType": "works_at"},
]


def test_recall_finds_each_observation_and_kip_each_relation(nexus: Nexus, write: Write) -> None:
    report = twice_is_once(nexus, write("memory.jsonl", FILE))
    assert (report.format, report.records, report.created) == ("mcp-memory", 5, 5)
    assert [one.name for one in report.links] == ["observation", "works_at"]
    assert all(one.is_new for one in (*report.concepts, *report.links))
    assert words_found(nexus, "who speaks Spanish?") == ["Speaks fluent Spanish"]
    assert "John_Smith works at Anthropic" in words_found(nexus, "where does John work at?")
    names = 'FIND(?a.name, ?b.name) WHERE { (?a, "works_at", ?b) }'
    assert rows(nexus, names) == [("John_Smith", "Anthropic")]
    kinds = [one.name for one in report.concepts]
    assert kinds == ["organization", "person"]
    assert [one.element.type for one in nexus.elements.named("John_Smith")] == ["person"]


def test_a_relation_before_its_ends_is_of_their_types(nexus: Nexus, write: Write) -> None:
    claim = {"type": "entity", "name": "It rains", "entityType": "Claim", "observations": []}
    take_in(nexus, write("memory.jsonl", [*reversed(FILE), claim]))
    ends = 'FIND(?a, ?b) WHERE { (?a, "works_at", ?b) }'
    assert [(a.type, b.type) for a, b in rows(nexus, ends)] == [("person", "organization")]
    kept = 'FIND(?c.attributes.entity_type) WHERE { ?c {type: "Entity", name: "It rains"} }'
    assert rows(nexus, kept) == [("Claim",)]  # whose own call writes claims


def test_the_operations_find_them_as_their_own(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("memory.jsonl", FILE), source="the old server")
    operations = Operations(nexus)
    facts = asked(operations, "SearchFacts", query="Spanish")["facts"]
    assert [one["source_node_name"] for one in facts] == ["John_Smith"]
    assert operations.call("GetEntityEdge", {"uuid": facts[0]["uuid"]})["status"] == "OK"
    nodes = asked(operations, "SearchNodes", query="Anthropic")
    assert [one["name"] for one in nodes["nodes"]] == ["Anthropic"]
    held = nexus.elements.look_up([facts[0]["uuid"]])[facts[0]["uuid"]].element
    assert held.metadata["source"] == "the old server"


def test_an_extended_file_adds_only_what_is_new(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("memory.jsonl", FILE))
    longer = [{**FILE[0], "observations": [*FILE[0]["observations"], "Plays chess"]}, *FILE[1:]]
    report = twice_is_once(nexus, write("longer.jsonl", longer))
    assert (report.created, report.updated) == (1, 0)
    assert words_found(nexus, "chess") == ["Plays chess"]


def test_spellings_of_one_thing_are_one_and_do_not_alternate(nexus: Nexus, write: Write) -> None:
    ann = {"type": "entity", "name": "Ann", "entityType": "p", "observations": ["Tea", " tea "]}
    acme = {**ann, "name": "Acme", "observations": []}
    knows = {"type": "relation", "from": "Ann", "to": "Acme", "relationType": "knows"}
    lines = [ann, {**ann, "name": "ANN"}, acme, knows, {**knows, "from": "ANN"}]
    report = twice_is_once(nexus, write("memory.jsonl", lines))
    assert (report.created, report.updated) == (4, 0)


def test_what_is_observed_of_one_thing_does_not_end_the_rest(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("memory.jsonl", FILE))
    operations = Operations(nexus)
    (fact,) = asked(operations, "SearchFacts", query="Spanish")["facts"]
    operations.call(
        "AddFact",
        {
            "group_id": "team",
            "name": "observation",
            "fact": "Speaks French",
            "source_node_uuid": fact["source_node_uuid"],
            "target_node_uuid": fact["target_node_uuid"],
        },
    )
    assert set(words_found(nexus, "speaks")) == {"Speaks fluent Spanish", "Speaks French"}


def test_a_bad_line_is_named_and_changes_nothing(nexus: Nexus, write: Write) -> None:
    bad = [*FILE, {"type": "relation", "from": "John_Smith", "relationType": "knows"}]
    path = write("memory.jsonl", bad)
    with pytest.raises(RecollectError, match=r"line 4 cannot be imported: to is missing"):
        take_in(nexus, path)
    assert nexus.stats().concepts == 0
    report = take_in(nexus, path, skip_bad=True)
    assert report.created == 5
    assert [(one.reason, one.lines) for one in report.skipped] == [("to is missing or blank", (4,))]


def test_what_only_the_memory_refuses_is_named_too(nexus: Nexus, write: Write) -> None:
    bad = [*FILE, {"type": "relation", "from": "A", "to": "B", "relationType": "a|b"}]
    path = write("memory.jsonl", bad)
    with pytest.raises(RecollectError, match=r"line 4 .*path operator"):
        take_in(nexus, path)
    assert nexus.stats().concepts == 0
    report = take_in(nexus, path, skip_bad=True)
    assert report.created == 5
    assert report.skipped[0].lines == (4,)
