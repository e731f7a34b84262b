"""Groups are listed, and one that is not there does not look healthy."""

from __future__ import annotations

import pytest
from tests.servers.cli.conftest import CAPSULE, Cli, answer


@pytest.fixture
def grouped(cli: Cli, memory: str) -> str:
    """The memory with a second group."""
    assert cli("run", "-", "--db", memory, "--group", "trial", input=CAPSULE).exit_code == 0
    return memory


def test_the_groups_are_listed(cli: Cli, grouped: str):
    assert cli("groups", grouped).stdout == "default\ntrial\n"
    assert answer(cli("groups", grouped, "--json")) == {"result": {"groups": ["default", "trial"]}}


def test_a_new_memory_has_no_groups_yet(cli: Cli):
    cli("init", "new.db")
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


def test_all_groups_are_dumped_whatever_the_group(cli: Cli, grouped: str):
    assert cli("dump", "--all", "--db", grouped, RECOLLECT_GROUP="nosuch").exit_code == 0
