"""The commands about schemas, capsules that come with the program, and the agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.servers.cli.conftest import Cli, answer


def test_a_memory_begins_with_capsules(cli: Cli):
    begun = answer(cli("init", "m.db", "--with", "core,memory", "--json"))["result"]
    assert begun["created"]
    assert begun["loaded"]["created"] > 40
    again = answer(cli("init", "m.db", "--with", "core, memory", "--json"))["result"]
    assert (again["created"], again["loaded"]["created"]) == (False, 0)
    assert "loaded 2 capsules: 0 created" in cli("init", "m.db", "--with", "core,memory").stdout


def test_a_wrong_capsule_makes_no_memory(cli: Cli, tmp_path: Path):
    for words in (("init", "m.db", "--with", "cor"), ("capsule", "load", "cor", "--db", "m.db")):
        refused = cli(*words)
        assert refused.exit_code == 1
        assert 'hint: use "core"' in refused.stderr
    assert list(tmp_path.glob("*.db")) == []


def test_capsules_are_listed_shown_and_loaded(cli: Cli):
    names = [one["name"] for one in answer(cli("capsule", "--json"))["result"]["capsules"]]
    assert names == ["core", "memory", "life"]
    assert "memory  Person, Event" in cli("capsule", "list").stdout
    text = cli("capsule", "show", "core").stdout
    assert cli("run", "-", "--db", "a.db", input=text).exit_code == 0
    loaded = answer(cli("capsule", "load", "core", "--db", "a.db", "--json"))["result"]
    assert loaded == {"capsules": 1, "created": 0, "updated": 0}
    assert "loaded 2 capsules" in cli("capsule", "load", "memory", "--db", "b.db").stdout


@pytest.mark.parametrize("words", [("capsule", "load"), ("capsule", "list", "core")])
def test_names_belong_to_the_actions_that_take_them(cli: Cli, words: tuple[str, ...]):
    assert cli(*words).exit_code == 2


def test_a_group_is_made_strict_and_open_again(cli: Cli, memory: str):
    shown = answer(cli("schema", "--db", memory, "--json"))["result"]
    assert shown["mode"] == "open"
    assert [one["code"] for one in shown["misfits"]] == ["KIP_2001"] * 3
    refused = cli("schema", "strict", "--db", memory)
    assert refused.exit_code == 1
    assert 'the concept type "Drug" is not declared, and 2 more such things' in refused.stderr
    assert "add --force" in refused.stderr
    forced = cli("schema", "strict", "--force", "--db", memory)
    assert forced.exit_code == 0
    assert 'KIP_2001 the concept type "Drug" is not declared (2 elements)' in forced.stdout
    asked = cli("query", 'FIND(?d) WHERE { ?d {type: "Drug"} }', "--db", memory)
    assert "KIP_2001" in asked.stderr
    assert answer(cli("schema", "open", "--db", memory, "--json"))["result"]["mode"] == "open"
    assert cli("query", 'FIND(?d) WHERE { ?d {type: "Drug"} }', "--db", memory).exit_code == 0


def test_a_schema_that_everything_conforms_to_says_so(cli: Cli):
    cli("init", "m.db", "--with", "memory")
    assert "everything conforms" in cli("schema", "strict", "--db", "m.db").stdout


def test_force_is_for_strict(cli: Cli, memory: str):
    assert cli("schema", "open", "--force", "--db", memory).exit_code == 2


def test_the_agent_is_told_who_it_is_and_says_so(cli: Cli, memory: str):
    assert "nothing is set" in cli("self", "--db", memory).stdout
    told = cli("self", "--role", "a helper", "--objective", "a", "--objective", "b", "--db", memory)
    assert "a helper" in told.stdout
    assert answer(cli("self", "--db", memory, "--json"))["result"] == {
        "role": "a helper",
        "objectives": ["a", "b"],
        "capabilities": None,
        "serves": None,
    }
    more = answer(cli("self", "--capability", "c", "--db", memory, "--json"))["result"]
    assert (more["role"], more["capabilities"]) == ("a helper", ["c"])
    primer = answer(cli("describe", "--db", memory, "--json"))["result"]
    assert primer["identity"]["objectives"] == ["a", "b"]


def test_a_search_goes_on_where_it_ended(cli: Cli, memory: str):
    words = ("search", "headache aspirin", "--db", memory, "--json", "--limit", "2")
    first = answer(cli(*words))["result"]
    second = answer(cli(*words, "--cursor", first["next_cursor"]))["result"]
    ids = [one["id"] for page in (first, second) for one in page["hits"]]
    assert len(ids) == len(set(ids)) == 3


def test_a_search_leaves_out_what_scores_little(cli: Cli, memory: str):
    asked = ("search", "aspirin", "--kind", "concept", "--db", memory, "--json")
    assert len(answer(cli(*asked, "--threshold", "1"))["result"]["hits"]) == 1
    refused = answer(cli(*asked, "--threshold", "7"))["error"]
    assert (refused["code"], refused["hint"]) == ("KIP_1001", "write THRESHOLD 0.5")


def test_a_search_by_meaning_says_that_it_is_by_words(cli: Cli, memory: str):
    told = cli("search", "aspirin", "--mode", "semantic", "--db", memory)
    assert told.exit_code == 0
    assert "no embedder is configured" in told.stderr


def test_a_list_is_described_page_by_page(cli: Cli, memory: str):
    words = ("describe", "types", "--limit", "1", "--db", memory, "--json")
    first = answer(cli(*words))["result"]
    second = answer(cli(*words, "--cursor", first["next_cursor"]))["result"]
    assert [one["name"] for one in first["items"] + second["items"]] == ["Drug", "Symptom"]
    assert cli("describe", "primer", "--limit", "1", "--db", memory).exit_code == 2
