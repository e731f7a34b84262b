r"""What the shell does with each text and each `\` command, however they came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.errors import INVALID_ARGUMENT, RecollectError, nearest
from recollect.faces.kip import execute_kip
from recollect.kernel import Nexus, parse
from recollect.servers.cli.ask import DESCRIPTIONS
from recollect.servers.cli.naming import known_names, names_of
from recollect.servers.cli.output import Output
from recollect.servers.cli.render import counted
from recollect.servers.cli.shell.completion import Vocabulary

COMMANDS: Mapping[str, str] = {
    "\\help": "show this",
    "\\describe [WHAT [NAME]]": "primer, domains, types, type NAME, predicates, predicate NAME",
    "\\group [NAME]": "show the groups, or change to one",
    "\\json": "switch between tables and JSON",
    "\\q": "leave (so does Ctrl-D)",
}
"""The commands of the shell and what they do."""

NAMES = tuple(usage.partition(" ")[0] for usage in COMMANDS)


@dataclass
class Conversation:
    """One person, one memory, one group at a time."""

    nexus: Nexus
    group: str
    out: Output
    is_over: bool = False
    _vocabulary: Vocabulary | None = field(default=None, repr=False)

    def hear(self, text: str) -> None:
        r"""Run one text: a `\` command, or the statements of a KIP text one by one."""
        try:
            if text.lstrip().startswith("\\"):
                self._obey(text.split())
            else:
                self._run(text)
        except RecollectError as error:
            self.out.error(error)

    def vocabulary(self) -> Vocabulary:
        """Return the types and predicates in use, asked for again after each write."""
        if self._vocabulary is None:
            self._vocabulary = Vocabulary(
                types=known_names(self.nexus, DESCRIPTIONS["types"]),
                predicates=known_names(self.nexus, DESCRIPTIONS["predicates"]),
            )
        return self._vocabulary

    def _run(self, text: str) -> None:
        for statement in parse(text).statements:
            self._ask(text[statement.span.start : statement.span.end])
        self._vocabulary = None

    def _ask(self, text: str, parameters: Mapping[str, str] | None = None) -> None:
        response = execute_kip(self.nexus, text, parameters=parameters)
        names = {} if self.out.as_json else names_of(self.nexus, response)
        self.out.response(response, source=text, names=names)

    def _obey(self, words: list[str]) -> None:
        match words:
            case ["\\help"]:
                self._help()
            case ["\\q"]:
                self.is_over = True
            case ["\\json"]:
                self.out.as_json = not self.out.as_json
                self.out.say("tables from here on")
            case ["\\group"]:
                for name in self.nexus.groups():
                    self.out.say(f"{'*' if name == self.group else ' '} {name}")
            case ["\\group", *rest]:
                self.group = " ".join(rest)
                self.nexus = self.nexus.group(self.group)
                self._vocabulary = None
            case ["\\describe", *rest]:
                self._describe(rest)
            case _:
                raise _unknown(words[0])

    def _describe(self, words: list[str]) -> None:
        what, name = (words or ["primer"])[0], " ".join(words[1:])
        text = DESCRIPTIONS.get(what)
        if text is None or ("$name" in text) != bool(name):
            raise RecollectError(
                INVALID_ARGUMENT,
                f"\\describe {' '.join(words)} is not a description",
                hint=COMMANDS["\\describe [WHAT [NAME]]"],
            )
        self._ask(text, {"name": name} if name else None)

    def _help(self) -> None:
        for usage, purpose in COMMANDS.items():
            self.out.say(f"  {usage:<26}{purpose}")
        self.out.say(
            "\nEnter runs a text that is whole, and else begins a new line, as Esc Enter always\n"
            "does; an empty line runs what is there. Tab completes. Each statement is a\n"
            "transaction of its own."
        )


def _unknown(command: str) -> RecollectError:
    known = nearest(command, NAMES) or NAMES
    return RecollectError(
        INVALID_ARGUMENT, f"{command} is not a command", hint=f"use {known[0]}", known=known
    )


def greeting(conversation: Conversation, path: str, *, is_new: bool) -> str:
    """Return the first line of a conversation at a prompt."""
    types = len(conversation.vocabulary().types)
    what = "a new memory" if is_new else f"a memory of {counted(types, 'type')}"
    return f"{path}: {what}. \\help for help, \\q to leave."
