"""The shell without a terminal, and what it does with each text."""

from __future__ import annotations

import json

import pytest
from tests.servers.cli.conftest import CAPSULE, DRUGS, Cli

from recollect.servers.cli.shell.completion import TextState, state_of
from recollect.servers.cli.shell.loop import texts_in


def responses(stdout: str) -> list[dict]:
    return [json.loads(line) for line in stdout.splitlines()]


def test_piped_texts_are_answered_in_order(cli: Cli):
    said = cli("shell", "m.db", "--json", input=f"{CAPSULE}\n{DRUGS}\nDESCRIBE CONCEPT TYPES\n")
    assert said.exit_code == 0, said.output
    upsert, rows, types = responses(said.stdout)
    assert upsert["result"]["created"] == 4
    assert rows["result"]["rows"] == [["Aspirin", 2], ["Ibuprofen", None]]
    assert {item["name"] for item in types["result"]["items"]} == {"Drug", "Symptom"}


def test_a_new_memory_is_created_and_kept(cli: Cli):
    cli("shell", "m.db", input=CAPSULE)
    assert "Aspirin" in cli("query", DRUGS, "--db", "m.db").stdout


def test_an_error_does_not_end_the_conversation_but_shows_in_the_exit_code(cli: Cli, memory: str):
    said = cli("shell", memory, input=f"FIND(?x) WHERE {{\n}} nonsense\n\n\\help\n{DRUGS}\n")
    assert said.exit_code == 1
    assert "KIP_1001" in said.stderr
    assert "Aspirin" in said.stdout


def test_a_semicolon_ends_a_piped_text(cli: Cli, memory: str):
    said = cli("shell", memory, "--json", input=f"{DRUGS};\n{DRUGS};\nexit\n{DRUGS}\n")
    assert [len(one["result"]["rows"]) for one in responses(said.stdout)] == [2, 2]


def test_commands_answer_in_json_too(cli: Cli, memory: str):
    said = cli("shell", memory, "--json", input="\\help\n\\group\n")
    help_, groups = responses(said.stdout)
    assert "\\q" in help_["result"]["commands"]
    assert groups["result"] == {"group": "default", "groups": ["default"]}


def test_no_error_of_a_description_points_into_a_text_nobody_wrote(cli: Cli, memory: str):
    said = cli("shell", memory, input="\\describe type drug\n")
    assert "$name" not in said.stderr
    assert 'use "Drug"' in said.stderr


def test_leaving_leaves_the_rest_unread(cli: Cli, memory: str):
    said = cli("shell", memory, input=f"\\q\n{DRUGS}\n")
    assert said.exit_code == 0
    assert said.stdout == ""


def test_help_lists_every_command(cli: Cli, memory: str):
    said = cli("shell", memory, input="\\help\n").stdout
    for command in ("\\help", "\\describe", "\\group", "\\json", "\\q"):
        assert command in said


def test_json_can_be_switched_on_and_off(cli: Cli, memory: str):
    said = cli("shell", memory, input=f"\\json\n{DRUGS}\n\\json\n{DRUGS}\n").stdout
    first, *rest = said.splitlines()
    assert json.loads(first)["result"]["columns"] == ["name", "risk"]
    assert rest[-1] == "2 rows"


def test_describe_takes_a_name(cli: Cli, memory: str):
    said = cli("shell", memory, input="\\describe type Drug\n\\describe\n")
    assert "risk_level" in said.stdout
    assert "domain_map" in said.stdout


def test_the_group_can_be_changed(cli: Cli, memory: str):
    said = cli(
        "shell", memory, "--json", input=f"\\group other\n{DRUGS}\n\\group default\n{DRUGS}\n"
    )
    assert [len(one["result"]["rows"]) for one in responses(said.stdout)] == [0, 2]


def test_the_groups_can_be_listed(cli: Cli, memory: str):
    assert "* default" in cli("shell", memory, input="\\group\n").stdout


def test_an_unknown_command_names_the_nearest(cli: Cli, memory: str):
    said = cli("shell", memory, input="\\halp\n\\describe nothing\n")
    assert said.exit_code == 1
    assert "\\halp is not a command" in said.stderr
    assert "use \\help" in said.stderr
    assert "\\describe nothing is not a description" in said.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", TextState.EMPTY),
        ("  // only a comment", TextState.EMPTY),
        ("FIND(?d", TextState.PARTIAL),
        ("FIND(?d)", TextState.PARTIAL),
        ("FIND(?d) WHERE {", TextState.PARTIAL),
        ('FIND(?d) WHERE { ?d {type: "{"}', TextState.PARTIAL),
        ('FIND(?d) WHERE { ?d {type: "}"} }', TextState.OPEN),
        ('FIND(?d) WHERE { ?d {type: "D"} } // {', TextState.OPEN),
        ('FIND(?d) WHERE { ?d {type: "D"} };', TextState.WHOLE),
        ('FIND(?d) WHERE { ?d {type: "D"} } // ;', TextState.OPEN),
        ('UPSERT { CONCEPT @a { {type: "D", name: "a"} } }', TextState.OPEN),
        ('UPSERT { CONCEPT @a { {type: "D", name: "a"} } } WITH METADATA {}', TextState.WHOLE),
        ('DELETE CONCEPT {type: "D", name: "a"} DETACH', TextState.WHOLE),
        ("DESCRIBE", TextState.PARTIAL),
        ("DESCRIBE PRIMER", TextState.WHOLE),
        ("nonsense", TextState.WHOLE),
        ("FIND ) WHERE", TextState.WHOLE),
    ],
)
def test_a_text_is_whole_when_no_further_line_is_wanted(text: str, expected: TextState):
    assert state_of(text) is expected


def test_piped_lines_are_cut_where_a_text_is_whole():
    lines = [
        "FIND(?d)\n",
        "\n",
        'WHERE { ?d {type: "D"} }\n',
        "ORDER BY ?d\n",
        "\n",
        "\\json\n",
        "DESCRIBE PRIMER\n",
        "\\q\n",
        "// the end\n",
    ]
    assert list(texts_in(lines)) == [
        'FIND(?d)\n\nWHERE { ?d {type: "D"} }\nORDER BY ?d\n',
        "\\json",
        "DESCRIBE PRIMER\n",
        "\\q",
    ]
