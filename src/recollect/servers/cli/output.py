"""What a command says: one JSON text for programs, or a table or a tree for people.

Answers go to standard output, and everything else (errors, warnings, progress) to standard
error. With `--json` standard output holds the response and nothing else.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from recollect.errors import STORE_UNAVAILABLE, Notice, RecollectError, errors_with, in_words
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.own_words import at_memory, in_options, own_hint
from recollect.servers.cli.safe_text import escaped, one_line, plain, shown

if TYPE_CHECKING:
    from recollect.model import Progress as Told

UNWRAPPED = 10_000
"""The width of what is not a terminal: a table's lines are whole, for other programs."""

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""

NOTHING_KEPT = "nothing is kept"
CUT_SHORT = "what is written is cut short"
"""What Ctrl-C means for work that is whole or not at all, and for what others read meanwhile."""


_NOWHERE = Invocation()


class Output:
    """Where one command writes its answer and its troubles."""

    def __init__(
        self,
        on: Invocation = _NOWHERE,
        *,
        as_json: bool = False,
        takes_parameters: bool = False,
        is_shell: bool = False,
    ) -> None:
        self.as_json = as_json or on.as_json
        self._on = on
        self.failed = False
        self.if_stopped = ""  # what Ctrl-C would mean now
        self._warnings: list[Mapping[str, object]] = []  # for the JSON that comes next
        self._takes_parameters = takes_parameters
        self._is_shell = is_shell
        self.out = Console(highlight=False, markup=False, emoji=False)
        self.err = Console(stderr=True, highlight=False, markup=False, emoji=False)
        if not self.out.is_terminal:
            self.out.width = UNWRAPPED

    def json(self, response: Mapping[str, object]) -> None:
        """Print one JSON text on a line, as UTF-8 whatever the terminal's encoding.

        Characters that a terminal would obey, or not show, are escaped; the JSON means the same.
        """
        if self._warnings:
            response = {**response, "warnings": self._warnings}
            self._warnings = []
        text = escaped(json.dumps(response, ensure_ascii=False, separators=(",", ":")))
        typer.echo(text.encode("utf-8", "backslashreplace"))

    def give_json(self, result: object) -> bool:
        """Print the result if a program reads it; say whether one does, so that none is shown."""
        if self.as_json:
            self.json({"result": result})
        return self.as_json

    def show(self, renderable: RenderableType) -> None:
        """Print something for people; silent with `--json`."""
        if self.as_json:
            return
        if self.out.is_terminal:
            self.out.print(renderable)
            return
        with self.out.capture() as capture:
            self.out.print(renderable)
        lines = capture.get().split("\n")
        typer.echo("\n".join(line.rstrip() for line in lines), nl=False)

    def show_text(self, text: Text) -> None:
        """Print a text for people with its lines whole, so that it can be copied."""
        if not self.as_json:
            self.out.print(text, soft_wrap=True)

    def say(self, text: str, style: str = "") -> None:
        """Print one line for people; silent with `--json`."""
        if not self.as_json:
            self.out.print(shown(text, style), soft_wrap=True)

    def advise(self, hint: str, before: str = "") -> None:
        """Print a line with a command that can be given next; silent with `--json`."""
        self.say(before + self._own_hint(hint), "dim")

    def error(self, error: RecollectError) -> None:
        """Show a failure: JSON on standard output, or a caret and a hint on standard error."""
        self.failed = True
        error = self.own_error(error)
        if self.as_json:
            self.json({"error": error.to_wire()})
        else:
            self._trouble(error)

    def stopped(self) -> None:
        """Tell that Ctrl-C ended the work, and what became of it."""
        self.err.print(f"stopped: {self.if_stopped}" if self.if_stopped else "stopped")

    def progress(self, *, is_counted: bool = True) -> Progress:
        """Return a progress bar on standard error; it draws nothing without a terminal.

        What is not counted only shows that it goes on, and for how long.
        """
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            *([MofNCompleteColumn()] if is_counted else []),
            TimeElapsedColumn(),
            console=self.err,
            transient=True,
            disable=not self.err.is_terminal,
        )

    def _trouble(self, error: RecollectError) -> None:
        """Print an error with its lines whole, so that the caret stands where it should."""
        for one in errors_with(error):
            self.err.print(error_text(one), soft_wrap=True)

    def warn(self, message: str, hint: str = "") -> None:
        """Print a warning on standard error."""
        line = Text("warning: ", style="yellow").append(one_line(in_options(message)))
        if hint:
            line.append(f" ({one_line(self._own_hint(hint))})", style="dim")
        self.err.print(line, soft_wrap=True)

    def warn_of(self, notices: Iterable[Notice]) -> None:
        """Show the notices about an answer: each on a line, or beside it in the JSON."""
        for one in notices:
            if self.as_json:
                self._warnings.append(self.own_notice(one).to_wire())
            else:
                self.warn(one.message, one.hint)

    def own_notice(self, notice: Notice) -> Notice:
        """Return a notice as a person at a terminal can follow it."""
        return replace(notice, message=in_options(notice.message), hint=self._own_hint(notice.hint))

    def own_error(self, error: RecollectError) -> RecollectError:
        """Return an error as a person at a terminal can follow it."""
        return replace(in_words(error, self._own_hint), message=in_options(error.message))

    def _own_hint(self, hint: str) -> str:
        own = own_hint(hint, takes_parameters=self._takes_parameters, is_shell=self._is_shell)
        return at_memory(own, self._on)


@contextmanager
def output(
    on: Invocation = _NOWHERE,
    *,
    as_json: bool = False,
    takes_parameters: bool = False,
    is_shell: bool = False,
) -> Iterator[Output]:
    """Give a command its output, show what ended it early, and set the exit code."""
    out = Output(on, as_json=as_json, takes_parameters=takes_parameters, is_shell=is_shell)
    try:
        yield out
    except RecollectError as error:
        out.error(error)
    except (KeyboardInterrupt, typer.Abort):  # the latter where it was asked something
        out.stopped()
        raise typer.Exit(STOPPED) from None
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # whoever read has left: nothing to tell
        out.as_json = False
        out.error(_unwritten(error))
        # What is left in the buffer cannot be written either, and Python would say so again.
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    if out.failed:
        raise typer.Exit(1)


@contextmanager
def progress_bars(out: Output, unit: str = "") -> Iterator[Told]:
    """Give the function that long work reports its progress to: a bar for each of its steps.

    `unit` is what is counted, if the name of the step does not say it.
    """
    what = f", in {unit}" if unit else ""
    bars: dict[str, TaskID] = {}
    with out.progress() as progress:

        def tell(step: str, done: int, total: int) -> None:
            if step not in bars:
                bars[step] = progress.add_task(escape(plain(step)) + what, total=total or None)
            progress.update(bars[step], completed=done, total=total or None)

        yield tell


def _unwritten(error: OSError) -> RecollectError:
    reason = error.strerror or "the system refuses"
    return STORE_UNAVAILABLE.error(f"the answer cannot be written: {reason}", "free some space")


def error_text(error: RecollectError | str) -> Text:
    """Return the error in colour: what is wrong, where, and what to do about it."""
    coloured = Text()
    red = "yellow" if str(error).startswith("warning") else "red"
    for number, line in enumerate(str(error).split("\n")):
        if number:
            coloured.append("\n")
        quoted = line.lstrip().partition(" ")[0].isdigit() or line.lstrip().startswith("|")
        if number == 0:
            head, colon, rest = plain(line).partition(": ")
            coloured.append(head + colon, style=f"bold {red}").append(rest, style="bold")
        elif line.startswith("  hint: "):
            coloured.append("  hint: ", style="green").append(plain(line[8:]))
        elif quoted and line.lstrip().startswith("|"):
            coloured.append(plain(line), style=red)
        else:
            coloured.append(plain(line), style="dim" if quoted else "")
    return coloured
