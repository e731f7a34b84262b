"""--actor, --request-id and RECOLLECT_ACTOR: who asked for it, in the log."""

from __future__ import annotations

import pytest
from tests.servers.cli.conftest import CAPSULE, Cli, answer

ASPIRIN = ("--type", "Drug", "--name", "Aspirin")
ME = ("--actor", "ann", "--request-id", "r-7")


def last_writer(cli: Cli, path: str) -> tuple[str | None, str | None]:
    log = answer(cli("changes", "--db", path, "--json"))["result"]["transactions"]
    return log[-1]["actor"], log[-1]["request_id"]


@pytest.mark.parametrize("more", [(), ("--each",)])
def test_a_run_says_who(cli: Cli, more: tuple[str, ...]):
    assert cli("run", "-", "--db", "m.db", *ME, *more, input=CAPSULE).exit_code == 0
    assert last_writer(cli, "m.db") == ("ann", "r-7")


def test_the_table_of_changes_has_a_column_for_requests_if_there_are_any(cli: Cli, memory: str):
    assert "request" not in cli("changes", "--db", memory).stdout
    assert cli("purge", *ASPIRIN, "--db", memory, "--yes", *ME).exit_code == 0
    head, *rows = cli("changes", "--db", memory).stdout.splitlines()
    assert head.split() == ["#", "at", "actor", "request", "change", "element"]
    (last,) = [row for row in rows if "r-7" in row]
    assert last.index("r-7") == head.index("request")


def test_a_purge_says_who(cli: Cli, memory: str):
    assert last_writer(cli, memory) == (None, None)
    assert cli("purge", *ASPIRIN, "--db", memory, "--yes", *ME).exit_code == 0
    assert last_writer(cli, memory) == ("ann", "r-7")


def test_an_import_says_who(cli: Cli):
    assert cli("import", "-", "--db", "m.db", *ME, input=CAPSULE).exit_code == 0
    assert last_writer(cli, "m.db") == ("ann", "r-7")


def test_a_shell_says_who(cli: Cli):
    assert cli("shell", "m.db", "--actor", "ann", input=CAPSULE).exit_code == 0
    assert last_writer(cli, "m.db") == ("ann", None)


@pytest.mark.parametrize(
    "words", [("run", "-", "--db", "m.db"), ("import", "-", "--db", "m.db"), ("shell", "m.db")]
)
def test_the_environment_may_say_who(cli: Cli, words: tuple[str, ...]):
    assert cli(*words, input=CAPSULE, RECOLLECT_ACTOR="env").exit_code == 0
    assert last_writer(cli, "m.db") == ("env", None)


def test_the_option_comes_before_the_environment(cli: Cli):
    cli("run", "-", "--db", "m.db", "--actor", "ann", input=CAPSULE, RECOLLECT_ACTOR="env")
    assert last_writer(cli, "m.db") == ("ann", None)


def test_a_dropped_group_has_no_log_to_name_anyone_in(cli: Cli, memory: str):
    words = ("purge", "--drop-group", "default", "--db", memory, "--yes")
    assert cli(*words, "--actor", "ann").exit_code == 2
    assert cli(*words, RECOLLECT_ACTOR="env").exit_code == 0
    assert "no groups" in cli("groups", memory).stdout
