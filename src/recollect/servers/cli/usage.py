"""Commands and their groups: loaded when they are used, and misuse told in this program's words.

The rule: naming commands, in help or for a shell's completion, loads none of them.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, ClassVar, Concatenate, Final, NoReturn, Protocol, cast, get_args

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from recollect.errors import nearest, refused
from recollect.node import dataclass
from recollect.servers.cli.options import Invocation, ParamT, Shared, takes

NOT_UNDERSTOOD: Final = 2
"""The exit code of a command line that means nothing."""

_USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What the parser raises: the class that BadParameter is a kind of."""

_HELP: Final = ("-h", "--help")
_FOR_THIS_SHELL = ("--show-completion", "--install-completion")
_THREE: Final = "--fact takes three: SUBJECT PREDICATE OBJECT"
_IN_OWN_WORDS = (
    (re.compile(r"Invalid value for '?([^:']+)'?: "), r"\1: "),
    (re.compile(r"^Invalid value: "), ""),
    (re.compile(r"\. Choose from:\s+"), ": "),
    (re.compile(r",\s+"), ", "),
    (re.compile(r"Value error, "), ""),
    (re.compile(r"Input should be a valid integer.*", re.DOTALL), "it must be a whole number"),
    (re.compile(r"Input should be "), "it must be "),
    (re.compile(r"^Missing argument '(.+?)'"), r"\1 is missing"),
    (re.compile(r"^Got unexpected extra argument(?:\(s\)|s)? \((.+)\)"), r"\1: nothing takes it"),
    (re.compile(r"^Option '--fact' requires 3 arguments"), _THREE),
    (re.compile(r"^No such "), "there is no "),
    (re.compile(r"\. Did you mean (.+)\?$"), r"; did you mean \1?"),
    (re.compile(r"\.$"), ""),
)
_CHOICE: Final = re.compile(r"'(.+?)' is not one of (.+)")


@dataclass(frozen=True, slots=True)
class Row:
    """What help says of a command, and the module of `commands` that has it."""

    name: str
    module: str
    help: str


def panels(text: str) -> dict[str, tuple[Row, ...]]:
    r"""Return the commands by what they are for: a line of each, with more of its help below.

    >>> panels("Ask\n  why asking Show what a row stands on,\n    and whence.")["Ask"][0].help
    'Show what a row stands on, and whence.'
    """
    found: dict[str, tuple[Row, ...]] = {}
    for part in re.split(r"^(?=\S)", text.strip("\n"), flags=re.MULTILINE)[1:]:
        purpose, *rows = re.split(r"\n  (?=\S)", part.strip())
        found[purpose] = tuple(Row(*re.sub(r"\s+", " ", one).split(" ", 2)) for one in rows)
    return found


class _Paper(Protocol):
    """What help is written on."""

    def section(self, name: str) -> AbstractContextManager[None]: ...
    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class Commands(TyperGroup):
    """A group of commands, with errors of usage told like every other error; exit code 2."""

    default: ClassVar[str | None] = None
    """The command that is meant where none is named."""

    def parse_args(self, ctx: object, args: list[str]) -> list[str]:
        """Take the words before the command; Ctrl-C is told as in a command."""
        context = cast(typer.Context, ctx)
        try:
            _settle_options(self, context)
            if not (isinstance(self, LazyCommands) or (context.resilient_parsing and not args)):
                args = self._with_command_first(context, args)
            return super().parse_args(context, args)
        except KeyboardInterrupt:
            raise _stopped() from None

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | None:
        """Return the command of that name, if there is one."""
        context = cast(typer.Context, ctx)
        command = cast("TyperCommand | None", super().get_command(context, cmd_name))
        if command is not None:
            _settle_options(command, context)
        return command

    def format_commands(self, ctx: object, formatter: object) -> None:
        """Write the names of the commands, and in full what each does."""
        paper, context = cast("_Paper", formatter), cast(typer.Context, ctx)
        found = {name: self.get_command(context, name) for name in self.commands}
        meant = "" if self.default is None else f"; without one, {self.default}"
        with paper.section(f"Commands{meant}"):
            paper.write_dl([(name, one.help or "") for name, one in found.items() if one])

    def invoke(self, ctx: object) -> object:
        """Run a command; Ctrl-C before it has an output, or after, is told as in between."""
        context = cast(typer.Context, ctx)
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            raise _stopped() from None
        except _USAGE_ERROR as error:
            option = getattr(error, "option_name", None)
            if error.ctx is not None and error.ctx.parent is context and option is not None:
                self._tell_whose(context, option)
            raise

    def _tell_whose(self, context: typer.Context, option: str) -> None:
        """Refuse an option that another command takes by the name of that command."""
        for name in () if isinstance(self, LazyCommands) else self.commands:
            command = self.get_command(context, name)
            if command is not None and any(option in one.opts for one in command.params):
                whose = f"{context.command_path} {name}"
                raise typer.BadParameter(f"{option} is for: {whose}", ctx=context)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: object,
    ) -> object:
        """Run the command line and leave with its exit code."""
        words = list(sys.argv[1:] if args is None else args)
        if words[:1] == ["help"] and "help" not in self.commands:
            args = words = [*words[1:], _HELP[1]]
        if not standalone_mode or not words:
            return super().main(
                args, prog_name, complete_var, standalone_mode, windows_expand_args, **extra
            )
        try:
            _refuse_shell_names(words)
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except _USAGE_ERROR as error:
            at = next((at for at, one in enumerate(words) if one in self.commands), len(words))
            is_option = words[0].startswith("-") and words[0] not in _HELP
            if at < len(words) and is_option:  # the options of a command stand before it
                rest = shlex.join([words[at], *words[:at], *words[at + 1 :]])
                _tell(error, hint=f"recollect {rest}", as_json="--json" in words)
            named = [one for one in words[:1] if error.ctx is None and not at]
            _tell(error, " ".join(["recollect", *named]), as_json="--json" in words)
        sys.exit(code if isinstance(code, int) else 0)

    def _with_command_first(self, context: typer.Context, words: list[str]) -> list[str]:
        """Return words with the command before its options, or with the one that is meant."""
        commands = [self.get_command(context, name) for name in self.commands]
        valued = {
            spelling
            for command in commands
            for one in (command.params if command is not None else ())
            if isinstance(one, TyperOption) and not one.is_flag
            for spelling in one.opts
        }
        meant = [] if self.default is None else [self.default]
        rest = iter(enumerate(words))
        for at, word in rest:
            if word in _HELP:  # of the group; after an option, of the command that has it
                return [word] if at == 0 or not meant else [*meant, *words]
            if word in valued:
                next(rest, None)
            elif word == "-" or not word.startswith("-"):
                return [word, *words[:at], *words[at + 1 :]]
        return [*meant, *words] if meant or words else [_HELP[1]]


class LazyCommands(Commands):
    """The commands of the program by what they are for, each loaded once it is used."""

    panels: ClassVar[Mapping[str, tuple[Row, ...]]] = {}

    def __init__(self, **settings: object) -> None:
        super().__init__(**cast("Any", settings))
        self.commands = cast("Any", _Loaded(self._rows()))

    def format_commands(self, ctx: object, formatter: object) -> None:
        """Write the names of the commands and what each does, below what they are for."""
        paper = cast("_Paper", formatter)
        widest = max(map(len, self.list_commands(ctx)))
        for purpose, rows in self.panels.items():
            with paper.section(purpose):
                paper.write_dl([(row.name.ljust(widest), row.help) for row in rows])

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002
        """Return the names of the commands, without loading any."""
        return list(self.commands)

    def shell_complete(self, ctx: object, incomplete: str) -> list[Any]:
        """Return what a word may become; no command is loaded for its name."""
        loaded = self.commands
        named = {one.name: TyperCommand(one.name, help=one.help) for one in self._rows()}
        self.commands = cast("Any", named)
        try:
            return super().shell_complete(cast("Any", ctx), incomplete)
        finally:
            self.commands = loaded

    def _rows(self) -> tuple[Row, ...]:
        return tuple(row for rows in self.panels.values() for row in rows)


class _Loaded(Mapping[str, TyperCommand]):
    """Commands by their names; looking one up loads it, and listing the names does not."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = {row.name: row for row in rows}

    def __getitem__(self, name: str) -> TyperCommand:
        module = import_module(f"recollect.servers.cli.commands.{self._rows[name].module}")
        own = vars(module).get(name)  # a noun that shares its file with others
        group = typer.main.get_group(own if isinstance(own, Verbs) else module.app)
        return cast(TyperCommand, group if group.name == name else group.commands[name])

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Verbs(typer.Typer):
    """Commands that take some of the shared options beside their own."""

    def verb(
        self, name: str, *shared: Shared
    ) -> Callable[[Callable[Concatenate[Invocation, ParamT], None]], Callable[..., None]]:
        """Make a command of a function, which gets one value for the shared options."""
        return lambda function: self.command(name)(takes(*shared)(function))


def verbs() -> Verbs:
    """Return an empty list of commands that are no noun's."""
    return Verbs(rich_markup_mode=None)


def noun(name: str, help: str, *, default: str | None = None) -> Verbs:
    """Return a noun without verbs yet; `default` is the verb that is meant where none is named."""
    group = cast("type[Commands]", type("Noun", (Commands,), {"default": default}))
    return Verbs(name=name, cls=group, help=help, rich_markup_mode=None)


def check_facts(facts: Sequence[Sequence[str]]) -> None:
    """Refuse the name of an option, which was taken for a word of a fact that has too few."""
    for words in facts:
        for at, word in enumerate(words):
            if word.startswith("--") or word == "-e":
                got = " ".join(words[:at]) or "none"
                raise typer.BadParameter(f"{_THREE}; got {got}, then {word}")


def _stopped() -> typer.Exit:
    from recollect.servers.cli.output import STOPPED, Output

    Output(as_json=False).stopped()
    return typer.Exit(STOPPED)


def _settle_options(command: TyperCommand | TyperGroup, context: typer.Context) -> None:
    """Let help show flags without the type of a value, and let what is repeated take several words.

    Typer has no list of tuples; it reads one of what is named word by word, once it takes so many.
    """
    for one in command.get_params(context):
        if isinstance(one, TyperOption):
            one.metavar = "" if one.is_flag else one.metavar
            for item in get_args(one.type_descriptor.annotation):
                one.nargs = len(getattr(item, "_fields", "1"))


def _refuse_shell_names(words: list[str]) -> None:
    """Refuse the name of a shell where the shell at hand would be taken without a word."""
    if len(words) > 1 and words[0] in _FOR_THIS_SHELL:
        raise typer.BadParameter(
            "it is for the shell that runs it; for another: _RECOLLECT_COMPLETE="
            f"source_{words[1]} recollect",
            param_hint=words[0],
        )


def _tell(
    error: typer.BadParameter, command: str = "", *, hint: str = "", as_json: bool
) -> NoReturn:
    from recollect.servers.cli.output import Output

    message = error.format_message()
    for pattern, words in _IN_OWN_WORDS:
        message = pattern.sub(words, message)
    if found := _CHOICE.search(message):
        near = nearest(found[1], re.findall("'(.+?)'", found[2]), limit=1)
        message += "".join(f"; did you mean {one}?" for one in near)
    message = f"{message} before the command" if hint else message
    command = command if error.ctx is None else error.ctx.command_path
    given = getattr(error, "option_name", "").removeprefix("--").replace("-", "_")
    for one in () if error.ctx is None else error.ctx.command.params:
        if one.name in (given, f"{given}s"):  # by the name that it has in Python and in JSON
            meant = one.opts[0] if isinstance(one, TyperOption) else f"{command} {given.upper()}"
            message = f"there is no option: --{given.replace('_', '-')}; did you mean {meant}?"
    Output(as_json=as_json).error(refused(message, hint or f"{command} --help"))
    sys.exit(NOT_UNDERSTOOD)
