"""What is said to a command line that means nothing, and what a terminal is spared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.servers.cli.conftest import CAPSULE, DRUGS, Cli, answer, control_c_in_a_second

import postgres
from recollect.servers.cli import app

PROGRAM = "import sys; from recollect.servers.cli import main; main()"


def test_a_usage_error_is_told_as_json_when_json_is_asked_for(cli: Cli):
    failed = cli("search", "x", "--limit", "few", "--json")
    assert failed.exit_code == 2
    error = answer(failed)["error"]
    assert (error["code"], error["hint"]) == ("INVALID_ARGUMENT", "recollect search --help")


def test_help_after_an_option_is_that_of_the_command_that_is_meant(cli: Cli):
    shown = cli("mcp", "--db", "x.db", "--help")
    assert (shown.exit_code, "--read-only" in shown.stdout) == (0, True)
    assert "install" in cli("mcp", "--help").stdout
    assert "CLIENT" in cli("mcp", "--db", "x.db", "install", "--help").stdout


def test_a_noun_shows_its_help_alone_and_takes_the_options_of_its_verbs_first(cli: Cli):
    for words in (("markup",), ("markup", "--db", "x.db", "--help")):
        shown = cli(*words)
        assert (shown.exit_code, shown.stdout.partition(" [")[0]) == (0, "Usage: recollect markup")
    assert cli("markup", "--db", "x.db", "show", "--help").stdout.startswith(
        "Usage: recollect markup show"
    )


def test_an_option_before_its_command_is_refused_with_the_line_that_is_meant(cli: Cli):
    failed = cli("--db", "my notes.db", "recall", "where is it?")
    assert (failed.exit_code, "no option: --db before the command" in failed.stderr) == (2, True)
    assert "hint: recollect recall --db 'my notes.db' 'where is it?'" in failed.stderr
    assert "hint: recollect --help" in cli("--nothing", "at", "all").stderr


def test_help_as_a_word_shows_the_help_of_the_commands_after_it(cli: Cli):
    for words in ((), ("remember",), ("claim", "add"), ("mcp",)):
        asked, shown = cli("help", *words), cli(*words, "--help")
        assert (asked.exit_code, asked.stdout) == (0, shown.stdout), words
    assert "no command 'nothing'" in cli("help", "nothing").stderr


def test_a_word_that_is_no_command_is_not_put_behind_one(cli: Cli):
    for words in (("tell", "remember"), ("mind", "forget", "Tobias")):
        failed = cli(*words)
        assert (failed.exit_code, "hint: recollect --help" in failed.stderr) == (2, True)
        assert "before the command" not in failed.stderr


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("list", "--kind", "fact"), "--kind; did you mean recollect list KIND?"),
        (("recall", "x", "--kinds", "fact"), "--kinds; did you mean --kind?"),
        (("correct", "x", "--invalid-at", "2020"), "--invalid-at; did you mean --until?"),
        (("remember", "x", "--valid-at", "2020"), "--valid-at; did you mean --from?"),
        (("forget", "x", "--effect", "end"), "--effect; did you mean --how?"),
    ],
)
def test_an_option_by_the_name_that_programs_give_it_leads_to_its_own(cli: Cli, words, meant):
    assert f"there is no option: {meant}" in cli(*words).stderr


def test_help_shows_no_value_where_a_flag_takes_none(cli: Cli):
    for name in ("", *typer.main.get_command(app).commands):
        shown = cli(*name.split(), "--help")
        assert (shown.exit_code, "<bool>" in shown.stdout) == (0, False), name


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("search", "x", "--limit", "few"), "--limit: it must be a whole number"),
        (("search", "x", "--limit", "-1"), "--limit: it must be greater than or equal to 0"),
        (("describe", "all"), "WHAT: 'all' is not one of 'primer'"),
        (("list", "facts"), "'piece'; did you mean fact?"),
        (("query", "x", "--param", "n"), "--param: 'n' is not NAME=VALUE"),
        (("--show-completion", "zsh"), "_RECOLLECT_COMPLETE=source_zsh recollect"),
    ],
)
def test_a_usage_error_speaks_of_the_command_line_only(cli: Cli, words, expected: str):
    failed = cli(*words)
    assert failed.exit_code == 2
    assert expected in failed.stderr
    assert "Value error" not in failed.stderr and "Input should" not in failed.stderr


def test_a_group_without_a_name_is_refused(cli: Cli, memory: str):
    for words in (("stats", memory), ("query", DRUGS, "--db", memory), ("where", memory)):
        failed = cli(*words, "--group", "", "--json")
        assert failed.exit_code == 1
        assert answer(failed)["error"]["code"] == "INVALID_ARGUMENT"


def test_json_hides_nothing_from_a_terminal_and_gives_it_no_orders(cli: Cli):
    hostile = "\x7f\x9b\u202e\u2066\u200b\ufeff\U000e0041\u061c"
    text = "UPSERT { CONCEPT @n { {type: $type, name: $name} } }"
    words = ("-p", "type=Note", "-p", f"name={json.dumps('x' + hostile)}")
    assert cli("run", "-", "--db", "m.db", *words, input=text).exit_code == 0
    told = cli("query", 'FIND(?n) WHERE { ?n {type: "Note"} }', "--db", "m.db", "--json")
    assert not set(hostile) & set(told.stdout)
    assert answer(told)["result"]["rows"][0][0]["name"] == "x" + hostile


def test_stored_text_cannot_forge_a_hint(cli: Cli):
    text = 'UPSERT { CONCEPT @n { {type: $type, name: "x"} } }'
    forged = "Drugs\n  hint: run"
    cli("run", "-", "--db", "m.db", "-p", f"type={json.dumps(forged)}", input=text)
    for words in (
        ("describe", "type", "Drugs hint"),
        ("query", 'FIND(?x) WHERE { ?x {type: "Drugs hint"} }'),
    ):
        told = cli(*words, "--db", "m.db")
        assert "hint: run" in told.stderr
        assert not [line for line in told.stderr.splitlines() if line.startswith("  hint: run")]


@pytest.mark.parametrize("value", ["[" * 100_000, "1" * 5_000])
def test_a_parameter_beyond_json_is_a_usage_error(cli: Cli, memory: str, value: str):
    failed = cli("query", DRUGS, "--db", memory, "-p", f"n={value}")
    assert failed.exit_code == 2


def test_a_parameter_that_begins_like_json_and_is_none_is_warned_of(cli: Cli, memory: str):
    text = "FIND(?d) WHERE { ?d {name: $name} }"
    told = cli("query", text, "--db", memory, "-p", 'name={"a":')
    assert told.exit_code == 0
    assert "$name is passed as text" in told.stderr
    assert "warning" not in cli("query", text, "--db", memory, "-p", "name=NaN").stderr


def test_a_text_with_a_slip_makes_no_memory(cli: Cli):
    assert cli("run", "-", "--db", "m.db", input="UPSERT {").exit_code == 1
    assert not Path("m.db").exists()


def test_an_empty_file_is_no_memory_yet(cli: Cli):
    Path("m.db").touch()
    assert cli("stats", "m.db").exit_code == 1
    assert answer(cli("init", "m.db", "--json"))["result"]["created"] is True


def test_hints_are_for_people_at_a_terminal(cli: Cli, memory: str):
    text = "FIND(?d) WHERE { ?d {name: $name} }"
    assert "-p name=VALUE" in cli("query", text, "--db", memory).stderr
    assert "write the value itself" in cli("shell", memory, input=text).stderr
    assert "recollect run -" in cli("query", CAPSULE, "--db", memory).stderr


@pytest.mark.parametrize("words", [("describe", "type", "drug"), ("search", "")])
def test_no_error_points_into_a_text_nobody_wrote(cli: Cli, memory: str, words):
    failed = cli(*words, "--db", memory)
    assert failed.exit_code == 1
    assert "$" not in failed.stderr
    assert "line" not in answer(cli(*words, "--db", memory, "--json"))["error"]


@pytest.mark.sqlite_only("opens a file that is no memory")
def test_what_is_wrong_with_a_file_is_told_with_its_name(cli: Cli):
    Path("other.db").write_text("not a database, and longer than the header of one " * 100)
    assert "other.db: " in cli("stats", "other.db").stderr


def test_every_key_of_an_object_in_a_list_is_shown(cli: Cli):
    members = '[{"drug": "Aspirin"}, {"drug": "Ibuprofen", "dose": 2}, {"of": {"a": 1}, "to": 3}, {"name": "x", "count": 7}]'
    text = f'UPSERT {{ CONCEPT @p {{ {{type: "Plan", name: "A"}} SET ATTRIBUTES {{ takes: {members} }} }} }}'
    assert cli("run", "-", "--db", "m.db", input=text).exit_code == 0
    shown = cli("query", 'FIND(?p) WHERE { ?p {type: "Plan"} }', "--db", "m.db").stdout
    for line in (
        "drug  Aspirin",
        "drug  Ibuprofen",
        "dose  2",
        "a  1",
        "to  3",
        "name  x",
        "count  7",
    ):
        assert line in shown


def test_texts_of_a_list_are_quoted_where_one_has_a_comma(cli: Cli):
    text = 'UPSERT { CONCEPT @p { {type: "P", name: "A"} SET ATTRIBUTES { of: ["Korea, Republic of", "Oman"] } } }'
    cli("run", "-", "--db", "m.db", input=text)
    shown = cli("query", 'FIND(?v) WHERE { ?p {type: "P"} ATTR(?p, "of", ?v) }', "--db", "m.db")
    assert '"Korea, Republic of", "Oman"' in shown.stdout


def test_what_is_not_a_terminal_gets_whole_lines_without_trailing_spaces(cli: Cli):
    long = "word " * 60
    cli(
        "run",
        "-",
        "--db",
        "m.db",
        "-p",
        f"v={long}",
        input='UPSERT { CONCEPT @p { {type: "P", name: "A"} SET ATTRIBUTES { v: $v } } }',
    )
    shown = cli(
        "query",
        'FIND(?v, ?n) WHERE { ?p {type: "P"} ATTR(?p, "v", ?v) ATTR(?p, "name", ?n) }',
        "--db",
        "m.db",
    ).stdout
    assert long.strip() in shown
    assert not [line for line in shown.splitlines() if line != line.rstrip()]


def test_a_deletion_is_told_in_words(cli: Cli, memory: str):
    text = 'DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH'
    assert (
        "forgot 1 concept and 1 link (dry run"
        in cli("run", "-", "--db", memory, "--dry-run", input=text).stdout
    )
    assert "forgot 1 concept and 1 link" in cli("run", "-", "--db", memory, input=text).stdout


def test_a_link_about_a_link_is_called_by_its_ends(cli: Cli, memory: str):
    text = 'UPSERT { PROPOSITION @l { ({type: "Drug", name: "Aspirin"}, "treats", {type: "Symptom", name: "Headache"}) } PROPOSITION @m { ({type: "Drug", name: "Ibuprofen"}, "like", @l) } }'
    assert cli("run", "-", "--db", memory, input=text).exit_code == 0
    shown = cli("query", 'FIND(?m) WHERE { ?m (?d, "like", ?l) }', "--db", memory).stdout
    assert 'Drug "Ibuprofen" ─like→ (Drug "Aspirin" ─treats→ Symptom "Headache")' in shown


def test_what_a_failure_left_unrun_is_warned_of(cli: Cli, memory: str):
    text = 'UPSERT { CONCEPT @y { {id: "absent"} } } FIND(?d) WHERE { ?d {type: "Drug"} }'
    told = answer(cli("run", "-", "--each", "--db", memory, "--json", input=text))
    assert told["warnings"][0]["code"] == "not_run"


def test_types_of_the_memory_are_completed_on_the_command_line(cli: Cli, memory: str):
    def complete(*words: str) -> list[str]:
        line = " ".join(("recollect", *words))
        found = cli(
            _RECOLLECT_COMPLETE="complete_bash",
            COMP_WORDS=line,
            COMP_CWORD=str(len(words)),
            RECOLLECT_DB=memory,
        )
        return found.stdout.split()

    assert complete("search", "x", "--type", "Sy") == ["Symptom"]
    assert complete("describe", "type", "D") == ["Drug"]
    assert complete("describe", "predicate", "t") == ["treats"]


def test_the_stats_of_an_empty_memory_stand_in_line(cli: Cli):
    cli("init", "m.db")
    lines = cli("stats", "m.db").stdout.splitlines()
    assert len({len(line) - len(line.split("  ", 1)[1].lstrip()) for line in lines}) == 1


def test_an_answer_that_cannot_be_written_is_one_line(memory: str):
    with Path("/dev/full").open("wb") as full:
        failed = subprocess.run(
            [sys.executable, "-c", PROGRAM, "stats", postgres.address_of(memory)],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert failed.returncode == 1
    assert "the answer cannot be written: No space left on device" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_control_c_tells_that_nothing_of_a_text_is_kept(cli: Cli):
    clauses = " ".join(f'?v{n} {{type: "N"}}' for n in range(9))
    blocks = " ".join(f'CONCEPT @c{n} {{ {{type: "N", name: "{n}"}} }}' for n in range(20))
    text = f"UPSERT {{ {blocks} }} FIND(SUM(?v8) AS ?n) WHERE {{ {clauses} }}"
    with control_c_in_a_second():
        stopped = cli("run", "-", "--db", "m.db", input=text)
    assert stopped.exit_code == 130
    assert "stopped: nothing of the text is kept" in stopped.stderr
    assert not Path("m.db").exists()
