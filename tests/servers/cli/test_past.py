"""history, changes, audit and purge: what is printed for programs and for people."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.cli.conftest import Cli, answer

import behind
import postgres
import recollect
from behind import BYTES
from recollect.model import Delete, PutConcept

SOURCES = Path(recollect.__file__).parents[1]
RISK = 'UPSERT { CONCEPT @d { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk_level: 3 } } }'
GONE = 'DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH'
ASPIRIN = ("--type", "Drug", "--name", "Aspirin")


@pytest.fixture
def changed(cli: Cli, memory: str) -> str:
    """The memory after a second and a third transaction."""
    for text in (RISK, GONE):
        ran = cli("run", "-", "--db", memory, input=text)
        assert ran.exit_code == 0, ran.output
    return memory


def test_a_history_is_told_step_by_step(cli: Cli, changed: str):
    lines = [line.split() for line in cli("history", *ASPIRIN, "--db", changed).stdout.splitlines()]
    assert lines[0][:2] == ["Drug", '"Aspirin"']
    assert [line[1:3] for line in lines if line[0] in ("├──", "└──")] == [
        ["1", "create"], ["2", "update"], ["2", "close"]
    ]  # fmt: skip
    assert ["│", "├──", "risk_level", "2"] in lines
    assert ["│", "└──", "risk_level", "2", "→", "3"] in lines


def test_a_history_as_json_has_the_content_before_and_after(cli: Cli, changed: str):
    (life,) = answer(cli("history", *ASPIRIN, "--db", changed, "--json"))["result"]["lives"]
    assert (life["type"], life["name"]) == ("Drug", "Aspirin")
    first, second, closed = life["versions"]
    assert first["before"] is None
    assert first["after"] == second["before"]
    assert second["after"]["attributes"] == {"risk_level": 3, "chinese": "阿司匹林"}
    assert (closed["after"], closed["until"], closed["version"]) == (None, None, 2)
    assert first["since"] == {**first["since"], "transaction": 1, "actor": None, "request_id": None}
    assert first["since"]["at"].endswith("Z")
    assert first["until"] == second["since"]
    again = answer(cli("history", life["id"], "--db", changed, "--json"))["result"]["lives"]
    assert again == [life]


def test_a_history_ends_at_what_was_known(cli: Cli, changed: str):
    def steps(*more: str) -> list[str]:
        result = answer(cli("history", *ASPIRIN, "--db", changed, "--json", *more))["result"]
        return [step["operation"] for life in result["lives"] for step in life["versions"]]

    assert steps("--transaction", "2") == ["create", "update"]
    assert steps("--known", "2000") == []
    assert steps("--valid", "2000") == ["create", "update", "close"]
    assert steps("--valid", "now") == steps("--valid", "now", "--known", "now") != []
    shown = cli("history", *ASPIRIN, "--db", changed, "--known", "2000").stdout
    assert shown.strip() == "nothing was known of it then"


@pytest.mark.parametrize(
    "words",
    [
        ("history",),
        ("history", "--type", "Drug"),
        ("history", "an-id", *ASPIRIN),
        ("history", "an-id", "--known", "2000", "--transaction", "1"),
        ("purge",),
        ("purge", "--name", "Aspirin"),
        ("purge", "an-id", "--query", "FIND(?x) WHERE { ?x {} }"),
        ("purge", "--drop-group", "default", *ASPIRIN),
        ("purge", "an-id", "-p", "type=Drug"),
        ("export", "-p", "type=Drug"),
        ("audit", "repair"),
        ("audit", "--head", "nonsense"),
    ],
)
def test_what_names_nothing_or_too_much_is_not_understood(cli: Cli, memory: str, words):
    assert cli(*words, "--db", memory).exit_code == 2


def test_what_never_was_fails_with_a_hint(cli: Cli, memory: str):
    failed = cli("history", "nix", "--db", memory)
    assert failed.exit_code == 1
    assert 'no element has or had the id "nix"' in failed.stderr
    assert answer(cli("history", "nix", "--db", memory, "--json"))["error"]["code"] == "KIP_3002"


def test_the_log_is_a_table_and_tells_how_to_go_on(cli: Cli, changed: str):
    shown = cli("changes", "--db", changed).stdout
    assert 'Drug "Aspirin" ─treats→ Symptom "Headache"' in shown
    assert shown.strip().endswith("3 transactions")
    page = cli("changes", "--db", changed, "--limit", "1").stdout
    assert page.strip().endswith(f"go on with: recollect changes --db {changed} --since 1")
    rest = answer(cli("changes", "--since", "1", "--db", changed, "--json"))["result"]
    assert [one["transaction"] for one in rest["transactions"]] == [2, 3]
    assert [one["operation"] for one in rest["transactions"][1]["changes"]] == ["close", "close"]
    assert cli("changes", "--since", "9", "--db", changed).stdout.strip() == "0 transactions"


def test_a_log_of_no_transactions_is_empty(cli: Cli, changed: str):
    asked = cli("changes", "--limit", "0", "--db", changed)
    assert (asked.exit_code, asked.stdout, asked.stderr) == (0, "0 transactions\n", "")


def test_control_characters_of_a_memory_are_pictures(cli: Cli, memory: str):
    text = 'UPSERT { CONCEPT @d { {type: "T", name: "a\\u001b[31mb"} SET ATTRIBUTES { x: "\\u001b" } } }'
    assert cli("run", "-", "--db", memory, input=text).exit_code == 0
    assert "\x1b[31m" not in cli("changes", "--db", memory).stdout
    shown = cli("history", "--type", "T", "--name", "a\x1b[31mb", "--db", memory).stdout
    assert "a␛[31mb" in shown
    assert "\x1b" not in shown


# The audit


def test_an_audit_prints_the_head_to_keep(cli: Cli, changed: str):
    shown = cli("audit", "verify", "--db", changed)
    head = shown.stdout.split()[-1]
    assert shown.exit_code == 0
    told = answer(cli("audit", "--head", head, "--db", changed, "--json"))["result"]
    assert (told["is_whole"], told["head"], told["breach"]) == (True, head, None)


def test_a_head_that_is_in_no_log_is_a_breach(cli: Cli, changed: str):
    for head in (f"2:{64 * '0'}", f"9:{64 * '0'}"):
        broken = cli("audit", "--head", head, "--db", changed)
        assert broken.exit_code == 1
        assert broken.stdout.startswith("broken at transaction ")


def test_a_broken_log_is_told_with_its_place_and_exit_code(cli: Cli, changed: str):
    behind.tampered(changed, "UPDATE tx SET actor = 'you' WHERE number = 2")
    broken = cli("audit", "--db", changed)
    assert broken.exit_code == 1
    assert broken.stdout.startswith("broken at transaction 2 of the group default: ")
    told = cli("audit", "--db", changed, "--json")
    assert told.exit_code == 1
    assert answer(told)["result"]["breach"]["transaction"] == 2


# Erasure


def test_a_purge_wants_to_be_confirmed(cli: Cli, changed: str):
    refused = cli("purge", *ASPIRIN, "--db", changed)
    assert refused.exit_code == 1
    assert "there is no terminal to ask on" in refused.stderr
    assert cli("history", *ASPIRIN, "--db", changed).exit_code == 0


def test_an_id_that_was_given_again_is_to_be_named_by_type_and_name(cli: Cli, changed: str):
    with recollect.open(changed) as nexus:
        for name in ("one", "two"):
            nexus.write([PutConcept("Herb", name, id="again")])
            nexus.write([Delete("again")])
    refused = cli("purge", "again", "--db", changed, "--yes")
    assert refused.exit_code == 1
    assert '{type: "Herb", name: "one"} and of {type: "Herb", name: "two"}' in refused.stderr
    assert "name one of them by --type and --name" in refused.stderr


def test_a_dry_run_tells_what_would_go(cli: Cli, changed: str):
    told = cli("purge", *ASPIRIN, "--db", changed, "--dry-run")
    dry = answer(cli("purge", *ASPIRIN, "--db", changed, "--dry-run", "--json"))["result"]
    assert (dry["is_dry_run"], dry["is_complete"]) == (True, None)
    assert told.stdout.startswith(
        "would erase from the group default: 1 concept, 1 link, 1 past content"
    )
    assert cli("history", *ASPIRIN, "--db", changed).exit_code == 0


@pytest.mark.parametrize(
    ("option", "is_dry_run", "is_complete"), [("--dry-run", True, None), ("--yes", False, True)]
)
def test_a_receipt_of_nothing_says_whether_it_was_dry(
    cli: Cli, changed: str, option: str, is_dry_run: bool, is_complete: bool | None
):
    none = ("purge", "--query", 'FIND(?x) WHERE { ?x {name: "None"} }', option, "--json")
    told = answer(cli(*none, "--db", changed))["result"]
    assert (told["is_dry_run"], told["is_complete"]) == (is_dry_run, is_complete)


def test_a_purge_answers_with_its_receipt(cli: Cli, changed: str):
    receipt = answer(cli("purge", *ASPIRIN, "--db", changed, "--yes", "--json"))["result"]
    assert (receipt["concepts"], receipt["links"], receipt["transaction"]) == (1, 1, 4)
    assert len(receipt["ids"]) == 2
    assert receipt["is_complete"]
    assert cli("history", *ASPIRIN, "--db", changed).exit_code == 1
    assert f"{receipt['ids'][0]} (purged)" in cli("changes", "--db", changed).stdout
    assert cli("audit", "--db", changed).exit_code == 0


@BYTES
def test_a_purge_leaves_no_byte(cli: Cli, changed: str):
    cli("purge", *ASPIRIN, "--db", changed, "--yes")
    assert b"aspirin" not in Path(changed).read_bytes().lower()


def test_a_query_says_what_goes(cli: Cli, memory: str):
    text = "FIND(?d) WHERE { ?d {type: $type} }"
    words = ("purge", "--query", text, "-p", "type=Drug", "--db", memory, "--yes")
    assert cli(*words).stdout.startswith("erased from the group default: 2 concepts, 1 link")
    assert cli(*words).stdout.strip() == "nothing to erase in the group default"


def test_a_purge_in_a_group_that_is_not_there_warns_of_it(cli: Cli, memory: str):
    text = 'FIND(?d) WHERE { ?d {type: "Drug"} }'
    asked = cli("purge", "--query", text, "--db", memory, "--group", "defualt", "--yes")
    assert asked.stdout.strip() == "nothing to erase in the group defualt"
    assert 'no group is named "defualt"' in asked.stderr
    assert "use --group default" in asked.stderr
    dropped = cli("purge", "--drop-group", "default", "--db", memory, "--group", "x", "--dry-run")
    assert dropped.stderr == ""


def test_a_purge_of_a_type_that_is_not_there_warns_as_a_query_does(cli: Cli, memory: str):
    text = 'FIND(?d) WHERE { ?d {type: "Durg"} }'
    erased = cli("purge", "--query", text, "--db", memory, "--dry-run")
    assert erased.stderr == cli("query", text, "--db", memory).stderr != ""


def test_a_group_is_dropped(cli: Cli, memory: str):
    assert cli("run", "-", "--db", memory, "--group", "trial", input=RISK).exit_code == 0
    dropped = cli("purge", "--drop-group", "trial", "--db", memory, "--yes")
    assert dropped.stdout.startswith("erased from the group trial: 1 concept, 0 links")
    again = cli("purge", "--drop-group", "trial", "--db", memory, "--yes")
    assert 'no group is named "trial"' in again.stderr


@pytest.mark.parametrize(("reply", "is_erased"), [("y", True), ("n", False)])
def test_a_person_is_asked_on_a_terminal(cli: Cli, changed: str, reply: str, is_erased: bool):
    keyboard, terminal = pty.openpty()
    os.write(keyboard, f"{reply}\n".encode())
    code = "from recollect.servers.cli import main; main()"
    asked = subprocess.run(
        [sys.executable, "-c", code, "purge", *ASPIRIN, "--db", postgres.address_of(changed)],
        stdin=terminal,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SOURCES), "PYTHONIOENCODING": "utf-8", "TERM": "dumb"},
        check=False,
    )
    os.close(keyboard)
    os.close(terminal)
    assert "would erase from the group default: 1 concept" in asked.stderr
    assert "Erase this for good?" in asked.stderr
    assert ("erased from the group" in asked.stdout) is is_erased
    assert (cli("history", *ASPIRIN, "--db", changed).exit_code == 1) is is_erased


@pytest.mark.parametrize("words", [("export", "out"), ("purge", "--yes")])
def test_the_warnings_of_a_query_stand_in_the_json(cli: Cli, memory: str, words: tuple[str, ...]):
    text = 'FIND(?d) WHERE { ?d {type: "Durg"} }'
    asked = answer(cli("query", text, "--db", memory, "--json"))
    told = answer(cli(*words, "--query", text, "--db", memory, "--json"))
    assert told["warnings"] == asked["warnings"]
    assert [one["code"] for one in told["warnings"]] == ["unknown_type"]


def test_the_warnings_of_a_history_stand_in_the_json(cli: Cli, memory: str):
    words = ("history", "--type", "Drug", "--name", "Aspirin", "--db", memory, "--json")
    told = answer(cli(*words, "--transaction", "99"))
    assert [one["code"] for one in told["warnings"]] == ["future_transaction"]
    assert "warnings" not in answer(cli(*words))


def test_what_an_export_leaves_out_stands_in_the_json(cli: Cli, memory: str):
    Path("t.csv").write_text("subject,predicate,object,valid_at\nAnn,knows,Bob,2020\n")
    assert cli("import", "t.csv", "--db", memory).exit_code == 0
    (told,) = answer(cli("export", "out", "--db", memory, "--json"))["warnings"]
    assert told["code"] == "links_left_out"
    assert "--format jsonl" in told["hint"]


def test_an_index_of_a_type_that_is_not_there_warns_in_the_json(cli: Cli, memory: str):
    (told,) = answer(cli("index", "add", "Durg.x", "--db", memory, "--json"))["warnings"]
    assert (told["code"], told["hint"]) == ("unknown_type", 'use "Drug"')
