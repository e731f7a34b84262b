"""The demo, run once for all of these tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.servers.cli.conftest import Cli
from typer.testing import CliRunner

import postgres
from behind import FILES
from recollect.kernel import is_there
from recollect.servers.cli import app
from recollect.servers.cli.demo.show import entries


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict:
    home = tmp_path_factory.mktemp("demo")
    earlier = home / "recollect" / "demo.db"
    earlier.parent.mkdir()
    earlier.write_text("what an earlier run left")
    result = CliRunner().invoke(app, ["demo", "--json"], env={"XDG_DATA_HOME": str(home)})
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["result"]


def answers(told: dict, title: str) -> dict:
    return next(step["response"]["result"] for step in told["steps"] if title in step["title"])


def test_what_a_link_points_at_comes_before_it():
    seen = set()
    for entry in entries():
        assert all((link.type, link.name) in seen for link in entry.links)
        assert (entry.type, entry.name) not in seen
        seen.add((entry.type, entry.name))


def test_the_memory_holds_the_tables(told: dict):
    assert told["stats"]["concepts"] >= 5_000
    assert is_there(postgres.address_of(told["path"]))


@FILES
def test_the_demo_keeps_one_memory_and_makes_it_anew(told: dict):
    path = Path(told["path"])
    assert path.name == "demo.db"
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_no_text_of_the_demo_is_wider_than_a_terminal(told: dict):
    lines = [line for step in told["steps"] for line in step["command"].splitlines()]
    assert max(map(len, lines)) <= 100


def test_the_memory_knows_who_it_is(told: dict):
    identity = answers(told, "What is this memory about")["identity"]
    assert all(identity[part] for part in ("role", "objectives", "capabilities"))


def test_a_dozen_questions_are_asked_and_every_step_answered(told: dict):
    asked = [step for step in told["steps"] if not step["command"].lstrip().startswith("//")]
    assert len(asked) >= 12
    assert all("result" in step["response"] for step in told["steps"])
    assert not [step["title"] for step in told["steps"] if step["response"].get("warnings")]


def test_no_link_of_a_lesson_is_skipped(told: dict):
    assert not [
        step["title"] for step in told["steps"] if step["response"]["result"].get("skipped")
    ]


def test_the_answers_follow_from_the_tables(told: dict):
    countries = answers(told, "most places")
    parts: dict[str, int] = {}
    for entry in entries():
        if entry.source == "ISO 3166-2":
            parts[entry.name[:2]] = parts.get(entry.name[:2], 0) + 1
    assert [row[1] for row in countries["rows"]] == sorted(parts.values(), reverse=True)[:6]
    lies_in = answers(told, "Bas-Rhin")
    assert [row[0]["name"] for row in lies_in["rows"]] and lies_in["rows"][-1][0]["name"]
    assert {row[0]["name"] for row in lies_in["rows"]} == {"FR-67", "FR-6AE", "FR-GES", "France"}


def test_chinese_words_are_found(told: dict):
    best = answers(told, "Search in Chinese")["hits"][0]
    assert (best["name"], best["attributes"]["name_zh"]) == ("CN-SC", "四川省")


def test_a_statement_about_a_citation_of_a_fact_is_found(told: dict):
    (row,) = answers(told, "Who stated")["rows"]
    assert row[0]["name"] == "Zhang San"
    assert row[1:] == ["10.5555/clear-heads", "Cognizine", "Brain Fog"]


def test_a_correction_changes_the_answer_and_the_past_keeps_the_old_one(told: dict):
    def side_effects(title: str) -> list[str]:
        return [row[0]["name"] for row in answers(told, title)["rows"]]

    assert side_effects("What are the side effects") == ["Neural Bloom"]
    assert side_effects("after the correction") == ["Vivid Dreams"]
    assert side_effects("as of the moment before") == ["Neural Bloom"]


def test_a_memory_corrects_and_forgets_without_kip(told: dict):
    assert answers(told, "Where does Maria work?")["memories"][0]["text"] == "Maria works at BMW"
    assert answers(told, "Audi all along")["memory"]["text"] == "Maria works at Audi"
    brief = answers(told, "What do you know about Maria?")["text"]
    assert "Maria works at Audi" in brief
    assert "Rosenweg" not in brief.split("What holds no longer")[0]


@FILES
def test_the_demo_leaves_a_file_that_is_there_alone(cli: Cli, memory: str):
    before = Path(memory).read_bytes()
    refused = cli("demo", "--db", memory)
    assert refused.exit_code == 1
    assert "is there already" in refused.stderr
    assert Path(memory).read_bytes() == before
