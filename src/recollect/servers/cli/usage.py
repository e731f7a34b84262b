"""Say what is wrong with a command line, in this program's words and, with `--json`, as JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.servers.cli.output import STOPPED, Output

NOT_UNDERSTOOD = 2
"""The exit code of a command line that means nothing."""

_USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What the parser raises: the class that BadParameter is a kind of."""

_FOR_THIS_SHELL = ("--show-completion", "--install-completion")
_IN_OWN_WORDS = (
    (re.compile(r"Invalid value for '?([^:']+)'?: "), r"\1: "),
    (re.compile(r"^Invalid value: "), ""),
    (re.compile(r"\. Choose from:\s+"), ": "),
    (re.compile(r",\s+"), ", "),
    (re.compile(r"Value error, "), ""),
    (re.compile(r"Input should be a valid integer.*", re.DOTALL), "it must be a whole number"),
    (re.compile(r"Input should be "), "it must be "),
    (re.compile(r"\.$"), ""),
)


class Commands(TyperGroup):
    """The commands, with errors of usage told like every other error; exit code 2."""

    def parse_args(self, ctx: object, args: list[str]) -> list[str]:
        """Take the words before the command; Ctrl-C is told as in a command."""
        context = cast(typer.Context, ctx)
        try:
            _show_flags_alone(self, context)
            return super().parse_args(context, args)
        except KeyboardInterrupt:
            raise _stopped() from None

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | None:
        """Return the command of that name, if there is one."""
        context = cast(typer.Context, ctx)
        command = cast("TyperCommand | None", super().get_command(context, cmd_name))
        if command is not None:
            _show_flags_alone(command, context)
        return command

    def invoke(self, ctx: object) -> object:
        """Run a command; Ctrl-C before it has an output, or after, is told as in between."""
        try:
            return super().invoke(cast(typer.Context, ctx))
        except KeyboardInterrupt:
            raise _stopped() from None

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
        if not standalone_mode or not words:
            return super().main(
                args, prog_name, complete_var, standalone_mode, windows_expand_args, **extra
            )
        try:
            _refuse_shell_names(words)
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except _USAGE_ERROR as error:
            _tell(error, as_json="--json" in words)
        sys.exit(code if isinstance(code, int) else 0)


def _stopped() -> typer.Exit:
    Output(as_json=False).stopped()
    return typer.Exit(STOPPED)


def _show_flags_alone(command: TyperCommand | TyperGroup, context: typer.Context) -> None:
    """Let help show flags as they are given: without the type of a value."""
    for one in command.get_params(context):
        if isinstance(one, TyperOption) and one.is_flag:
            one.metavar = ""


def _refuse_shell_names(words: list[str]) -> None:
    """Refuse the name of a shell where the shell at hand would be taken without a word."""
    match words:
        case [option, shell, *_] if option in _FOR_THIS_SHELL:
            raise typer.BadParameter(
                f"it is for the shell that runs it; for another: _RECOLLECT_COMPLETE=source_{shell}"
                " recollect",
                param_hint=option,
            )


def _tell(error: typer.BadParameter, *, as_json: bool) -> NoReturn:
    message = error.format_message()
    for pattern, words in _IN_OWN_WORDS:
        message = pattern.sub(words, message)
    command = "recollect" if error.ctx is None else error.ctx.command_path
    Output(as_json=as_json).error(
        RecollectError(INVALID_ARGUMENT, message, hint=f"{command} --help")
    )
    sys.exit(NOT_UNDERSTOOD)
