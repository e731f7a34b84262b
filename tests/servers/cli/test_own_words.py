"""Hints of the library are told as options, or as commands of the shell."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer
from tests.servers.cli.conftest import DRUGS, Cli, answer

from recollect.servers.cli import app
from recollect.servers.cli.own_words import APART, GROUPLESS, NOUNS, PLACED


def test_a_transaction_that_has_not_been_is_named_by_the_option(cli: Cli, memory: str):
    asked = ("query", DRUGS, "--db", memory, "--transaction", "9")
    assert "use --transaction 1)" in cli(*asked).stderr
    (warning,) = answer(cli(*asked, "--json"))["warnings"]
    assert warning["hint"] == "use --transaction 1"


def test_a_transaction_that_has_not_been_is_named_as_the_shell_has_it(cli: Cli, memory: str):
    told = cli("shell", memory, input=f"\\asof transaction 9\n{DRUGS}\n")
    assert "use \\asof transaction 1)" in told.stderr


def test_a_whole_number_for_an_instant_is_taken_for_a_transaction(cli: Cli, memory: str):
    asked = ("query", DRUGS, "--db", memory, "--known")
    assert "hint: use --transaction 1\n" in cli(*asked, "1").stderr
    assert 'hint: write it like "2024-01-31"' in cli(*asked, "soon").stderr
    assert 'hint: write it like "2024-01-31"' in cli(*asked, "9" * 5_000).stderr
    told = cli("shell", memory, input="\\asof known 1\n")
    assert "hint: use \\asof transaction 1\n" in told.stderr


def test_a_text_that_writes_is_not_explained_but_run(cli: Cli, memory: str):
    refused = cli("explain", 'UPSERT { CONCEPT @a { {type: "T", name: "a"} } }', "--db", memory)
    assert refused.exit_code == 1
    assert "hint: run it: recollect run -" in refused.stderr


def test_a_text_in_the_place_of_a_file_is_told_how_to_run(cli: Cli):
    text = 'UPSERT { CONCEPT @a { {type: "T", name: "it\'s"} } }'
    refused = cli("run", text, "--db", "new.db", "--json")
    error = answer(refused)["error"]
    assert (refused.exit_code, error["code"]) == (1, "INVALID_ARGUMENT")
    piped = error["hint"].removeprefix("pipe it: ")
    new = ("--db", "new.db")
    assert shlex.split(piped) == ["printf", "%s", text, "|", "recollect", "run", *new, "-"]
    for long in (text.replace(" ", "\n"), text.replace("it", "i" * 5_000 + "\n")):
        assert "hint: pipe it into: recollect run -\n" in cli("run", long).stderr
    assert not Path("new.db").exists()
    Path("FIND (1).kip").write_text(text)
    assert cli("run", "FIND (1).kip", "--db", "new.db").exit_code == 0
    assert "No such file" in cli("run", "FINDINGS.kip").stderr


def test_the_groups_are_named_by_a_command(cli: Cli, memory: str):
    refused = cli("purge", "--drop-group", "zzzzzz", "--db", memory, "--yes")
    assert "hint: recollect groups" in refused.stderr


def test_an_element_that_is_not_there_is_looked_for_by_a_command(cli: Cli, memory: str):
    for words in (("history", "nobody"), ("purge", "nobody", "--yes")):
        refused = cli(*words, "--db", memory)
        assert refused.exit_code == 1
        assert f"hint: look for it: recollect search --db {memory} WORDS\n" in refused.stderr


def test_a_purged_element_is_told_with_its_transaction(cli: Cli, memory: str):
    words = ("purge", "--type", "Drug", "--name", "Aspirin", "--db", memory, "--yes", "--json")
    (gone, *_) = answer(cli(*words))["result"]["ids"]
    told = cli("history", gone, "--db", memory)
    assert told.exit_code == 1
    assert f'"{gone}" was purged in transaction 2' in told.stderr
    assert f"hint: recollect changes --db {memory} --since 1 --limit 1" in told.stderr
    assert cli("changes", "--since", "1", "--limit", "1", "--db", memory).exit_code == 0


def test_a_claim_that_cannot_be_verified_is_told_with_the_commands_that_move_it(
    cli: Cli, memory: str
):
    words = ("it may be so", "--evidence", "file=a.py", "--status", "hypothesis", "--id", "h")
    assert cli("claim", "add", *words, "--db", memory).exit_code == 0
    refused = cli("claim", "verify", "h", "--db", memory)
    assert refused.exit_code == 1
    ways = (f"recollect claim {one} --db {memory}" for one in ("dispute", "supersede"))
    assert f"hint: {' or '.join(ways)}\n" in refused.stderr
    assert cli("claim", "dispute", "h", "--reason", "no", "--db", memory).exit_code == 0
    refused = cli("claim", "dispute", "h", "--reason", "no", "--db", memory)
    ways = (f"recollect claim {one} --db {memory}" for one in ("verify", "supersede"))
    assert f"hint: {' or '.join(ways)}\n" in refused.stderr


def test_query_and_run_name_each_other(cli: Cli) -> None:
    Path("tour.kip").write_text("DESCRIBE PRIMER")
    asked = answer(cli("query", "tour.kip", "--json"))["error"]
    assert (asked["code"], asked["hint"]) == ("INVALID_ARGUMENT", "recollect run tour.kip")
    ran = answer(cli("run", "DESCRIBE PRIMER", "--json"))["error"]
    assert (ran["code"], ran["hint"]) == ("INVALID_ARGUMENT", "recollect query 'DESCRIBE PRIMER'")


@pytest.mark.parametrize("text", ["ASSERT (Ann, knows, Bob)", "LIST CONCEPTS", "HISTORY ?x"])
def test_a_text_of_kip_2_in_the_place_of_a_file_is_known(cli: Cli, text: str):
    error = answer(cli("run", text, "--json"))["error"]
    assert "is KIP 2.0" in error["message"]
    assert error["hint"].startswith("here, ")
    for missing in ("MY CAPSULE.kip", "list.kip", "list of drugs.kip", "history"):
        assert "No such file" in answer(cli("run", missing, "--json"))["error"]["message"]
    Path(text).write_text('UPSERT { CONCEPT @d { {type: "Drug", name: "a"} } }', encoding="utf-8")
    assert cli("run", text).exit_code == 0


def test_hints_know_what_each_command_takes() -> None:
    taken: dict[str, set[str]] = {}
    for name, command in typer.main.get_group(app).commands.items():
        verbs = getattr(command, "commands", None)
        assert (name in NOUNS) == (verbs is not None), name
        for verb, one in {"": command}.items() if verbs is None else verbs.items():
            taken[f"{name} {verb}".strip()] = {each.name for each in one.params}
    assert {one for one, names in taken.items() if "db" not in names} == APART
    assert {one for one, names in taken.items() if "place" in names} == PLACED
    grouped = {one for one, names in taken.items() if "group" in names}
    assert {one.partition(" ")[0] for one in taken.keys() - APART - grouped} == GROUPLESS


def test_an_id_of_several_words_is_quoted_where_two_are_to_be_one(cli: Cli):
    boss = 'UPSERT { CONCEPT ?a { {type: "Person", name: "Max Weber", id: "the boss"} } }'
    assert cli("run", "-", "--db", "me.db", input=boss).exit_code == 0
    told = cli("remember", "--fact", "Max", "likes", "tea", "--db", "me.db").stderr
    assert " --same-as 'the boss')" in told
