"""Commands are listed by what they are for, loaded when they are used, and found when misspelt."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import ClassVar

import pytest
import typer
from tests.servers.cli.conftest import Cli
from typer.testing import CliRunner

from recollect.servers.cli import app, commands
from recollect.servers.cli.app import PANELS
from recollect.servers.cli.usage import LazyCommands, Row

ROWS = [row for rows in PANELS.values() for row in rows]
COMMANDS = typer.main.get_command(app).commands
NOUNS = [name for name in COMMANDS if hasattr(COMMANDS[name], "commands")]

LOADED = """
import sys
from recollect.servers.cli import main
try:
    main()
except SystemExit:
    pass
print(*sorted(sys.modules), file=sys.stderr)
"""


def loaded(*words: str, **environment: str) -> set[str]:
    """The modules that a command line loads."""
    command = [sys.executable, "-c", LOADED, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return set(done.stderr.split())


def test_help_says_what_the_commands_are_for(cli: Cli):
    told = cli("--help").stdout
    assert [told.index(f"\n{purpose}:\n") for purpose in PANELS] == sorted(
        told.index(f"\n{purpose}:\n") for purpose in PANELS
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_list_says_of_a_command_what_its_own_help_says(row):
    command = COMMANDS[row.name]
    assert inspect.cleandoc(command.help) == row.help


def test_naming_the_commands_loads_none_of_them():
    words = {"COMP_WORDS": "recollect ", "COMP_CWORD": "1"}
    for found in (loaded("--help"), loaded(_RECOLLECT_COMPLETE="complete_bash", **words)):
        assert not [one for one in found if one.startswith("recollect.servers.cli.commands.")]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_loads_no_kernel_and_no_other_noun(name: str):
    found = loaded(name, "--help")
    assert not found & {"recollect.kernel", "recollect.model", "rich.markdown", "rich.console"}
    own = [one for one in found if one.startswith("recollect.servers.cli.commands.")]
    assert len(own) == 1


@pytest.mark.parametrize("name", NOUNS)
def test_each_verb_of_a_noun_has_a_help_of_its_own(cli: Cli, name: str):
    for verb in COMMANDS[name].commands:
        told = cli(name, verb, "--help").stdout
        assert told.startswith("Usage: ") and f" {name} {verb} " in told


@pytest.mark.parametrize("name", NOUNS)
def test_a_noun_stands_in_the_file_that_its_row_names(name: str):
    (row,) = (one for one in ROWS if one.name == name)
    module = import_module(f"recollect.servers.cli.commands.{row.module}")
    assert (vars(module).get(name) or module.app).info.name == name


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("clame", "list"), "claim"),
        (("claim", "verifi", "c1"), "verify"),
        (("markup", "aply"), "apply"),
        (("index", "lst"), "list"),
        (("mcp", "instal", "cursor"), "install"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_one_that_was_meant(cli: Cli, words, meant: str):
    failed = cli(*words)
    assert failed.exit_code == 2
    assert f"did you mean '{meant}'" in failed.stderr


def test_the_verb_may_come_after_options_and_may_be_left_out(cli: Cli, memory: str):
    assert cli("index", "--db", memory, "add", "Drug.risk_level").stdout == "Drug.risk_level\n"
    for words in (("index",), ("index", "list"), ("index", "--group", "default", "list")):
        assert cli(*words, "--db", memory).stdout == "Drug.risk_level\n"


def test_an_option_of_another_verb_is_refused_with_its_name(cli: Cli, memory: str):
    failed = cli("schema", "open", "--force", "--db", memory)
    assert (failed.exit_code, "--force is for: " in failed.stderr) == (2, True)
    assert " schema strict" in failed.stderr
    assert "no option" in cli("schema", "show", "--nothing").stderr


TOY = """
from recollect.servers.cli.options import Invocation, takes
from recollect.servers.cli.usage import verbs

app = verbs()


@app.command("greet")
@takes("group", "json")
def greet(on: Invocation, name: str) -> None:
    \"\"\"Greet somebody.\"\"\"
    print(f"hello {name} of {on.group}")
"""


def test_a_command_is_a_row_and_a_function_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])

    class Toys(LazyCommands):
        panels: ClassVar = {"Play": (Row("greet", "toy", "Greet somebody."),)}

    toys = typer.Typer(cls=Toys, rich_markup_mode=None)
    toys.callback()(lambda: None)
    assert "Play:\n  greet  Greet somebody." in CliRunner().invoke(toys, ["--help"]).stdout
    said = CliRunner().invoke(toys, ["greet", "Ann", "--group", "team"])
    assert said.stdout == "hello Ann of team\n"
