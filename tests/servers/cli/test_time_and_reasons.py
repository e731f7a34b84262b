"""Other times and reasons on the command line: --known and its kind, explain, why, and the shell."""

from __future__ import annotations

import json

import pytest
from tests.servers.cli.conftest import CAPSULE, DRUGS, Cli, answer

import recollect
from behind import STEPS
from recollect.servers.cli.output import Output
from recollect.servers.cli.shell.conversation import Conversation

TREATED = 'FIND(?n) WHERE { (?d, "treats", {type: "Symptom"}) ATTR(?d, "name", ?n) }'
RISKIER = 'UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES {risk_level: 4} } }'


def test_a_search_can_be_of_another_time(cli: Cli, memory: str):
    deleted = 'DELETE CONCEPT {type: "Drug", name: "Ibuprofen"} DETACH'
    assert cli("run", "-", "--db", memory, input=deleted).exit_code == 0
    found = [
        answer(cli("search", "ibuprofen", "--db", memory, "--json", *when))["result"]["hits"]
        for when in ((), ("--transaction", "1"), ("--known", "2020"), ("--valid", "2020"))
    ]
    assert [len(hits) for hits in found] == [0, 1, 0, 0]


def test_only_one_point_of_the_same_clock_can_be_named(cli: Cli, memory: str):
    said = cli("search", "x", "--db", memory, "--known", "2020", "--transaction", "1")
    assert said.exit_code == 2


def test_explain_shows_the_stages(cli: Cli, memory: str):
    shown = cli("explain", TREATED, "--db", memory).stdout
    for stage in ("query", "plan", "counts", "parameters", "sql", "engine"):
        assert stage in shown.splitlines()
    assert "rows: 1" in shown
    result = answer(cli("explain", TREATED, "--db", memory, "--json"))["result"]
    assert result["rows"] == 1
    assert any(line.startswith("link ") for line in result["plan"])


@STEPS
def test_explain_tells_the_steps_beside_the_rows(cli: Cli, memory: str):
    assert "rows: 1 · " in cli("explain", TREATED, "--db", memory).stdout


def test_explain_shows_the_place_of_an_error(cli: Cli, memory: str):
    failed = cli("explain", "FIND(?x) WHERE { }", "--db", memory)
    assert failed.exit_code == 1
    assert "variable ?x is not bound" in failed.stderr


def test_why_shows_what_a_row_stands_on(cli: Cli, memory: str):
    shown = cli("why", TREATED, "--db", memory).stdout
    assert 'Drug "Aspirin" ─treats→ Symptom "Headache"' in shown
    assert "confidence  0.9" in shown
    assert "source  a test" in shown
    result = answer(cli("why", TREATED, "--db", memory, "--json"))["result"]
    assert result["row"] == ["Aspirin"]
    assert [one["version"] for one in result["grounds"]] == [1, 1, 1]


@pytest.mark.parametrize("command", ["explain", "why"])
def test_reasons_warn_of_what_the_answer_warns_of(cli: Cli, memory: str, command: str):
    asked = (
        'FIND(?n, COUNT(?s)) WHERE { ?d {type: "Drug"} (?d, "treats", ?s) ATTR(?s, "naem", ?n) }'
    )
    warned = cli("query", asked, "--db", memory)
    shown = cli(command, asked, "--db", memory)
    assert shown.stderr == warned.stderr != ""
    told = answer(cli(command, asked, "--db", memory, "--json"))
    assert told["warnings"] == answer(cli("query", asked, "--db", memory, "--json"))["warnings"]


def test_why_counts_rows_from_one(cli: Cli, memory: str):
    assert "Ibuprofen" in cli("why", DRUGS, "--db", memory, "--row", "2").stdout
    beyond = cli("why", DRUGS, "--db", memory, "--row", "3")
    assert (beyond.exit_code, "no such row" in beyond.stderr) == (1, True)
    assert cli("why", DRUGS, "--db", memory, "--row", "0").exit_code == 2


def test_the_shell_reads_another_time_until_it_is_switched_off(cli: Cli, memory: str):
    cli("run", "-", "--db", memory, input=RISKIER)
    told = f"\\asof transaction 1\n{DRUGS}\n\n\\asof off\n{DRUGS}\n"
    said = cli("shell", memory, "--json", input=told)
    risks = [json.loads(line)["result"]["rows"][0] for line in said.stdout.splitlines()]
    assert risks == [["Aspirin", 2], ["Aspirin", 4]]


def test_the_shell_writes_nothing_while_it_looks_back(cli: Cli, memory: str):
    said = cli("shell", memory, input=f"\\asof known 2030\n{RISKIER}\n")
    assert said.exit_code == 1
    assert "a text cannot write while \\asof is known 2030" in said.stderr
    assert "hint: write \\asof off first" in said.stderr


@pytest.mark.parametrize(
    "words",
    ["nonsense", "known", "transaction x", "known 2020 2021", f"transaction {'9' * 5_000}"],
)
def test_a_time_that_is_none_is_refused(cli: Cli, memory: str, words: str):
    said = cli("shell", memory, input=f"\\asof {words}\n")
    assert said.exit_code == 1
    assert "names no time" in said.stderr


def test_the_prompt_shows_the_time_that_is_read():
    with recollect.open(":memory:") as nexus:
        nexus.write(CAPSULE)
        conversation = Conversation(nexus, "default", Output(as_json=False))
        assert conversation.prompt == "default> "
        for command, prompt in (
            ("\\asof valid 2024", "default [valid 2024]> "),
            ("\\asof transaction 1", "default [valid 2024, transaction 1]> "),
            ("\\asof known 2026-01", "default [valid 2024, known 2026-01]> "),
            ("\\asof known soon", "default [valid 2024, known 2026-01]> "),
            ("\\asof off", "default> "),
        ):
            conversation.hear(command)
            assert conversation.prompt == prompt


def test_the_shell_explains(cli: Cli, memory: str):
    said = cli("shell", memory, "--json", input=f"\\explain {TREATED}\n")
    assert json.loads(said.stdout)["result"]["rows"] == 1


@pytest.mark.parametrize(
    "words",
    [
        ("query", DRUGS),
        ("search", "Aspirin"),
        ("history", "--type", "Drug", "--name", "Aspirin"),
        ("export",),
        ("explain", DRUGS),
        ("why", DRUGS),
    ],
)
def test_a_transaction_that_has_not_been_is_warned_of(
    cli: Cli, memory: str, words: tuple[str, ...]
):
    asked = cli(*words, "--db", memory, "--transaction", "99")
    now = cli(*words, "--db", memory, "--transaction", "1")
    assert (asked.exit_code, asked.stdout, now.stderr) == (0, now.stdout, "")
    assert asked.stderr == (
        "warning: transaction 99 does not exist yet; the answer is as of 1, the latest"
        " (use --transaction 1)\n"
    )
