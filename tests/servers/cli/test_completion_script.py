"""What a user's own shell is given to complete commands and options."""

from __future__ import annotations

import pytest
from tests.servers.cli.conftest import Cli


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_for_each_shell(cli: Cli, name: str):
    printed = cli(_RECOLLECT_COMPLETE=f"source_{name}")
    assert printed.exit_code == 0
    assert "_RECOLLECT_COMPLETE" in printed.stdout


def test_commands_and_options_are_completed(cli: Cli):
    def complete(line: str, at: int) -> list[str]:
        words = {"COMP_WORDS": line, "COMP_CWORD": str(at)}
        return cli(_RECOLLECT_COMPLETE="complete_bash", **words).stdout.split()

    assert complete("recollect de", 1) == ["describe", "demo", "decay"]
    assert "--each" in complete("recollect run --ea", 2)
    assert complete("recollect describe pri", 2) == ["primer"]


def test_the_version_is_printed(cli: Cli):
    assert cli("--version").stdout.startswith("recollect")


def test_help_names_every_command(cli: Cli):
    told = cli("--help")
    assert told.exit_code == 0
    for name in ("init", "run", "query", "search", "describe", "shell", "stats", "where", "demo"):
        assert f" {name} " in told.stdout
