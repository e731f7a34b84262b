"""Groups are listed, and one that is not there does not look healthy."""

from __future__ import annotations

import pytest
from tests.servers.cli.conftest import CAPSULE, Cli, answer

import recollect


@pytest.fixture
def grouped(cli: Cli, memory: str) -> str:
    """The memory with a second group."""
    assert cli("run", "-", "--db", memory, "--group", "trial", input=CAPSULE).exit_code == 0
    return memory


def test_the_groups_are_listed(cli: Cli, grouped: str):
    assert cli("groups", grouped).stdout == "default\ntrial\n"
    assert answer(cli("groups", grouped, "--json")) == {"result": {"groups": ["default", "trial"]}}


def test_a_memory_that_nothing_was_written_to_has_no_groups_yet(cli: Cli):
    recollect.open("new.db").close()
    assert cli("groups", "new.db").stdout == "no groups yet\n"
    for command in ("audit", "export", "dump"):
        assert cli(command, "--db", "new.db").exit_code == 0
        assert cli(command, "--db", "new.db", "--group", "other").exit_code == 1


@pytest.mark.parametrize("command", ["audit", "export", "dump"])
def test_a_group_that_is_not_there_is_an_error(cli: Cli, grouped: str, command: str):
    near = cli(command, "--db", grouped, "--group", "trail")
    assert (near.exit_code, near.stdout) == (1, "")
    assert 'no group is named "trail"' in near.stderr
    assert "hint: use --group trial" in near.stderr
    far = cli(command, "--db", grouped, "--group", "zzzzzz")
    assert "(there are: default, trial)" in far.stderr
    assert "hint: recollect groups" in far.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("query", 'FIND(?x) WHERE { ?x {type: "Drug"} }'), "no rows\n"),
        (("search", "aspirin"), "nothing found\n"),
        (("describe", "types"), "nothing yet\n"),
        (("changes",), "0 transactions\n"),
        (("claim", "list"), "no claims\n"),
        (("index", "list"), "no indexes\n"),
        (("attention",), "nothing asks for attention\n"),
    ],
)
def test_a_group_that_is_not_there_is_read_as_empty_with_a_warning(
    cli: Cli, grouped: str, command: tuple[str, ...], said: str
):
    there = cli(*command, "--db", grouped, "--group", "trial")
    assert "no group is named" not in there.stderr
    absent = cli(*command, "--db", grouped, "--group", "trail")
    assert (absent.exit_code, absent.stdout) == (0, said)
    told = 'warning: no group is named "trail" (use --group trial)\n'
    assert absent.stderr.startswith(told)
    as_json = cli(*command, "--db", grouped, "--group", "trail", "--json")
    assert as_json.stdout.startswith("{")
    assert as_json.stderr == told


def test_a_claim_that_begins_a_group_warns_of_nothing(cli: Cli, grouped: str):
    claim = ("claim", "add", "It rains", "--evidence", "url=https://a.b")
    added = cli(*claim, "--db", grouped, "--group", "new")
    assert (added.exit_code, added.stderr) == (0, "")


def test_all_groups_are_dumped_whatever_the_group(cli: Cli, grouped: str):
    assert cli("dump", "--all", "--db", grouped, RECOLLECT_GROUP="nosuch").exit_code == 0
