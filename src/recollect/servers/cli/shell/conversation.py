r"""What the shell does with each text and each `\` command, however they came in.

The time a conversation reads, set with `\asof`: one instant on each clock, or now.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from recollect.errors import INVALID_SYNTAX, RecollectError, not_among, refused
from recollect.faces.kip import answer_kip
from recollect.kernel import Nexus, parse, parse_text, read_as_of
from recollect.node import dataclass, field
from recollect.servers.cli.answers import AskedText, show_answer, without_place
from recollect.servers.cli.ask import DESCRIPTIONS
from recollect.servers.cli.cells import counted
from recollect.servers.cli.naming import known_names
from recollect.servers.cli.output import Output
from recollect.servers.cli.shell.completion import KnownNames, without_end

_MOST_DIGITS: Final = 19
"""Of a number of a transaction; Python refuses to read one of some thousands."""

CLOCKS: Mapping[str, str] = {"known": "known", "transaction": "known", "valid": "valid"}
"""The words for a clock, and the member of `as_of` that each of them sets."""


@dataclass(frozen=True, slots=True)
class AskedTime:
    """What was asked for, in the words it was asked in."""

    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def wire(self) -> dict[str, str | int] | None:
        """What a request's `as_of` is; None for now."""
        members: dict[str, str | int] = {}
        for clock, when in self.words.items():
            members[CLOCKS[clock]] = int(when) if clock == "transaction" else when
        return members or None

    def moved(self, words: Sequence[str]) -> AskedTime:
        r"""Return the time after `\asof` with these words; INVALID_ARGUMENT if they name none.

        >>> str(AskedTime().moved(["valid", "2024"]).moved(["transaction", "12"]))
        'valid 2024, transaction 12'
        """
        match words:
            case []:
                return self
            case ["off"]:
                return AskedTime()
            case [clock, when] if clock in CLOCKS and (clock != "transaction" or _is_number(when)):
                kept = {
                    name: said for name, said in self.words.items() if CLOCKS[name] != CLOCKS[clock]
                }
                time = AskedTime({**kept, clock: when})
                read_as_of(time.wire)  # refuses what is not an instant
                return time
            case _:
                raise refused(
                    f"\\asof {' '.join(words)} names no time",
                    "write \\asof known 2026-01-31, \\asof transaction 12, \\asof valid 2024"
                    " or \\asof off",
                )

    def unchangeable(self) -> RecollectError:
        """Return the error for a text that writes while another time is read."""
        return INVALID_SYNTAX.error(
            f"a text cannot write while \\asof is {self}", "write \\asof off first"
        )

    def __str__(self) -> str:
        return ", ".join(f"{clock} {when}" for clock, when in self.words.items())


def _is_number(when: str) -> bool:
    return when.isdecimal() and len(when) <= _MOST_DIGITS


COMMANDS: Mapping[str, str] = {
    "\\help": "show this",
    "\\describe [WHAT [NAME]]": "primer, domains, types, type NAME, predicates, predicate NAME",
    "\\asof [CLOCK INSTANT]": "known INSTANT, transaction N, valid INSTANT, or off: read then",
    "\\explain QUERY": "show how a query is answered",
    "\\group [NAME]": "show the groups, or change to one",
    "\\json": "switch between tables and JSON",
    "\\q": "leave (so does Ctrl-D)",
}
"""The commands of the shell and what they do."""

WORDS: Mapping[str, str] = {"help": "\\help", "?": "\\help", "exit": "\\q", "quit": "\\q"}
"""What people type in any shell, and the command they mean; no KIP text can begin so."""

LATE = re.compile(r"(WITH|ORDER|LIMIT|OFFSET)\b")
"""How a clause begins that came after its statement had run."""

NAMES = tuple(usage.partition(" ")[0] for usage in COMMANDS)


@dataclass(frozen=False, slots=False)
class Conversation:
    """One person, one memory, one group at a time."""

    nexus: Nexus
    group: str
    out: Output
    actor: str | None = None
    is_over: bool = False
    as_of: AskedTime = field(default_factory=AskedTime)
    _vocabulary: KnownNames | None = field(default=None, repr=False)

    def hear(self, text: str) -> None:
        r"""Run one text: a `\` command, or the statements of a KIP text one by one."""
        try:
            if is_command_line(text):
                command = WORDS.get(text.strip(), text)
                self._obey(command.split(), command.strip().partition(" ")[2])
            else:
                self._run(without_end(text))
        except RecollectError as error:
            self.out.error(error)

    @property
    def prompt(self) -> str:
        """What stands before the cursor: the group, and the time that is read unless it is now."""
        return f"{self.group} [{self.as_of}]> " if self.as_of.wire else f"{self.group}> "

    def vocabulary(self) -> KnownNames:
        """Return the types and predicates in use, asked for again after each write."""
        if self._vocabulary is None:
            self._vocabulary = KnownNames(
                types=known_names(self.nexus, DESCRIPTIONS["types"]),
                predicates=known_names(self.nexus, DESCRIPTIONS["predicates"]),
            )
        return self._vocabulary

    def _run(self, text: str) -> None:
        if LATE.match(text.lstrip()):
            raise INVALID_SYNTAX.error(
                "this is the end of a statement, and the statement before it has already run",
                "write the statement whole; an empty line or ; sends it",
            )
        for statement in parse(text).statements:
            self._ask(text[statement.span.start : statement.span.end])
        self._vocabulary = None

    def _ask(self, text: str) -> None:
        as_of = self.as_of.wire
        script = parse_text(text, self.nexus.limits)
        if as_of and not script.is_read_only:
            raise self.as_of.unchangeable()
        self.out.if_stopped = "nothing of this statement is kept"
        answer = answer_kip(self.nexus, script, as_of=as_of, actor=self.actor)
        self.out.if_stopped = "the statement has run"
        show_answer(self.out, self.nexus, answer, AskedText(text, read_as_of(as_of)))

    def _obey(self, words: list[str], rest_of_line: str) -> None:
        match words:
            case ["\\help"]:
                self._help()
            case ["\\q"]:
                self.is_over = True
            case ["\\json"]:
                self.out.as_json = not self.out.as_json
                self.out.say("tables from here on")
            case ["\\asof", *rest]:
                self.as_of = self.as_of.moved(rest)
                self.out.say(f"as of {self.as_of}" if self.as_of.wire else "as of now")
            case ["\\explain", *_]:
                self._ask(f"EXPLAIN {rest_of_line}")
            case ["\\group"]:
                self._groups()
            case ["\\group", *rest]:
                self.group = " ".join(rest)
                self.nexus = self.nexus.group(self.group)
                self._vocabulary = None
            case ["\\describe", *rest]:
                self._describe(rest)
            case _:
                raise not_among(f"{words[0]} is not a command", words[0], NAMES)

    def _describe(self, words: list[str]) -> None:
        what, name = (words or ["primer"])[0], " ".join(words[1:])
        text = DESCRIPTIONS.get(what)
        if text is None or ("$name" in text) != bool(name):
            raise refused(
                f"\\describe {' '.join(words)} is not a description",
                COMMANDS["\\describe [WHAT [NAME]]"],
            )
        try:
            answer = answer_kip(self.nexus, text, parameters={"name": name} if name else None)
        except RecollectError as error:
            raise without_place(error) from error
        show_answer(self.out, self.nexus, answer, AskedText())

    def _groups(self) -> None:
        groups = self.nexus.groups()
        self.out.give_json({"group": self.group, "groups": groups})
        for name in groups:
            self.out.say(f"{'*' if name == self.group else ' '} {name}")

    def _help(self) -> None:
        self.out.give_json({"commands": dict(COMMANDS)})
        for usage, purpose in COMMANDS.items():
            self.out.say(f"  {usage:<26}{purpose}")
        self.out.say(
            "\nAn empty line, or ; at the end of one, sends a text; so does Enter where nothing\n"
            "can follow. Esc Enter always begins a new line, Tab completes, Ctrl-C stops. Each\n"
            "statement is a transaction of its own."
        )


def is_command_line(text: str) -> bool:
    r"""Whether a text is a `\` command, or a word that means one."""
    return text.lstrip().startswith("\\") or text.strip() in WORDS


def greeting(conversation: Conversation, path: str, *, is_new: bool) -> str:
    """Return the first line of a conversation at a prompt."""
    types = len(conversation.vocabulary().types)
    what = "a new memory" if is_new else f"a memory of {counted(types, 'type')}"
    return f"{path}: {what}. An empty line or ; sends, \\help for help, \\q to leave."
