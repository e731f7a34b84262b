"""`recollect check`: texts are examined without a memory, all of them at once."""

from __future__ import annotations

from tests.servers.cli.conftest import CAPSULE, Cli, answer

import postgres

WRONG = "FIND(?drg)\nWHERE {\n  ?drug {type: Drug}\n}\n"


def test_a_text_that_is_well_ends_with_success_and_makes_no_memory(cli: Cli, tmp_path):
    (tmp_path / "capsule.kip").write_text(CAPSULE, encoding="utf-8")
    checked = cli("check", "capsule.kip")
    assert (checked.exit_code, checked.stdout) == (0, "0 errors, 0 warnings in 1 file\n")
    assert [one.name for one in tmp_path.iterdir()] == ["capsule.kip"]


def test_all_that_is_wrong_is_shown_with_its_place(cli: Cli, tmp_path):
    (tmp_path / "wrong.kip").write_text(WRONG, encoding="utf-8")
    checked = cli("check", "wrong.kip")
    assert checked.exit_code == 1
    assert (
        checked.stdout
        == """\
wrong.kip:1:6
KIP_3001 ReferenceError: variable ?drg is not bound
   1 | FIND(?drg)
     |      ^^^^
  hint: use ?drug
wrong.kip:3:16
KIP_1001 InvalidSyntax: `Drug` is not quoted, expected a string
   3 |   ?drug {type: Drug}
     |                ^^^^
  hint: use "Drug"
2 errors, 0 warnings in 1 file
"""
    )


def test_several_files_are_examined_and_one_that_is_wrong_is_enough(cli: Cli, tmp_path):
    (tmp_path / "wrong.kip").write_text(WRONG, encoding="utf-8")
    checked = cli("check", "-", "wrong.kip", "--json", input=CAPSULE)
    assert checked.exit_code == 1
    good, wrong = answer(checked)["result"]["files"]
    assert good == {"file": "-", "valid": True, "diagnostics": []}
    assert (wrong["file"], wrong["valid"]) == ("wrong.kip", False)
    assert [one["fix"]["text"] for one in wrong["diagnostics"]] == ["?drug", '"Drug"']
    assert [(one["line"], one["column"]) for one in wrong["diagnostics"]] == [(1, 6), (3, 16)]


def test_a_warning_alone_is_no_failure(cli: Cli):
    checked = cli("check", "-", input='FIND(?x) WHERE { ?x {type: "A"} ATTR(?x, "k", ?v) }')
    assert checked.exit_code == 0
    assert "warning unused_variable: ?v is read and not used" in checked.stdout


def test_parameters_are_checked_where_some_are_given(cli: Cli):
    text = "FIND(?x) WHERE { ?x {type: $type, name: $name} }"
    assert cli("check", "-", input=text).exit_code == 0
    checked = cli("check", "-", "-p", "type=Drug", input=text)
    assert checked.exit_code == 1
    assert "hint: give it: -p name=VALUE" in checked.stdout
    assert cli("check", "-", "-p", "type=Drug", "-p", "name=Aspirin", input=text).exit_code == 0


def test_a_file_that_is_not_there_is_told(cli: Cli):
    checked = cli("check", "nothing.kip")
    assert checked.exit_code == 1
    assert "nothing.kip" in checked.stderr


def test_a_text_cannot_give_orders_to_the_terminal(cli: Cli):
    checked = cli("check", "-", input='FIND(?x) WHERE { ?x {type: "\x1b[31m" A} }')
    assert checked.exit_code == 1
    assert "\x1b" not in checked.stdout


def test_the_language_server_needs_a_memory_that_is_there_where_one_is_named(cli: Cli):
    served = cli("lsp", "--db", "nothing.db")
    assert served.exit_code == 1
    assert f"there is no memory at {postgres.address_of('nothing.db')}" in served.stderr
