"""The documentation names every command and option, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from recollect.servers.cli import app

TEXT = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
ROOT = typer.main.get_command(app)
COMMANDS = ROOT.commands


def section(command: str) -> str:
    """The part of the page below the heading of a command."""
    return TEXT.split(f"\n## recollect {command}\n", 1)[1].split("\n## ", 1)[0]


def parameters(name: str) -> list:
    """What a command takes; of a group of commands, what any of them takes."""
    command = COMMANDS[name]
    parts = getattr(command, "commands", {})
    return [*command.params, *(one for part in parts.values() for one in part.params)]


def options(name: str | None) -> set[str]:
    """The spellings of the options of a command, or of those before any command."""
    params = parameters(name) if name else ROOT.params
    options = [one for one in params if one.param_type_name == "option"]
    return {spelling for option in options for spelling in option.opts} - {"--help", "-h"}


def test_every_command_has_a_section_and_every_section_a_command():
    assert set(re.findall(r"^## recollect (\w+)$", TEXT, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_options_of_a_command_are_all_in_its_table(name: str):
    rows = re.findall(r"^\| (`-.*?) \|", section(name), re.MULTILINE)
    documented = {word for row in rows for word in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", row)}
    assert documented == options(name)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_arguments_of_a_command_are_in_its_section(name: str):
    for parameter in parameters(name):
        if parameter.param_type_name == "argument":
            assert (parameter.metavar or parameter.name or "").strip("[]").upper() in section(name)


def test_the_options_before_a_command_are_documented():
    for option in options(None):
        assert f"recollect {option}" in TEXT


@pytest.mark.parametrize("name", [one for one in COMMANDS if hasattr(COMMANDS[one], "commands")])
def test_every_command_of_a_group_is_in_its_section(name: str):
    for part in COMMANDS[name].commands:
        assert f"recollect {name} {part}" in section(name)


SPEAKS_TO_EDITORS = "lsp"  # over standard output, in a protocol of its own


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {SPEAKS_TO_EDITORS}))
def test_every_command_takes_json(name: str):
    assert "--json" in options(name)
