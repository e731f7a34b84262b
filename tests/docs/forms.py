"""The lines of docs/cli.md that say how a command is called, with words to be put in.

`recollect claim show ID` cannot run: it names a place for a word. It is compared with the
program instead: there is such a command, and it has the options.
"""

from __future__ import annotations

import re

import typer

from recollect.servers.cli import app

COMMANDS = typer.main.get_command(app).commands
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
PLACE = re.compile(r"\[|(?<![\w$.-])[A-Z][A-Z_:]+(?![\w=])")


def is_form(command: str) -> bool:
    """Whether a line has a place for a word: one in capitals, one in brackets, or `...`."""
    return "..." in command or PLACE.search(QUOTED.sub("", command)) is not None


def check_form(command: str) -> None:
    """Assert that there is such a command, with such options."""
    program, name, *_ = command.split()
    assert program == "recollect", command
    assert name in COMMANDS, command
    options = options_of(name, command.split()[2:])
    said = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", QUOTED.sub("", command)))
    assert said <= options, command


def options_of(name: str, words: list[str]) -> set[str]:
    """The options of a command; of a noun, those of the verb that comes next, or of all."""
    found = COMMANDS[name]
    verbs = getattr(found, "commands", {})
    taken = [verbs[words[0]]] if words and words[0] in verbs else [found, *verbs.values()]
    return {one for command in taken for parameter in command.params for one in parameter.opts}
