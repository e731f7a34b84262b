"""What a command says: one JSON text for programs, or a table or a tree for people.

Answers go to standard output, and everything else (errors, warnings, progress) to standard
error. With `--json` standard output holds the response and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from recollect.errors import CODES, INTERNAL_ERROR, RecollectError, Span
from recollect.servers.cli.response import Names, Response, error_of, warnings_of
from recollect.servers.cli.safe_text import plain, shown


class Output:
    """Where one command writes its answer and its troubles."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.failed = False
        self.out = Console(highlight=False, markup=False, emoji=False)
        self.err = Console(stderr=True, highlight=False, markup=False, emoji=False)

    def response(self, response: Response, source: str = "", names: Names | None = None) -> None:
        """Show one response; `source` is the text it answers, for the caret of an error."""
        if error_of(response) is not None:
            self.failed = True
        if self.as_json:
            self.json(response)
            return
        self._warnings(response)
        if (error := error_of(response)) is not None:
            self._trouble(restored(error, source))
        else:
            # Drawing is loaded only by a command that draws.
            from recollect.servers.cli.render import drawn

            self.out.print(drawn(response, names or {}))

    def json(self, response: object) -> None:
        """Print one JSON text on a line, as UTF-8 whatever the terminal's encoding."""
        text = json.dumps(response, ensure_ascii=False, separators=(",", ":"))
        typer.echo(text.encode("utf-8", "backslashreplace"))

    def show(self, renderable: RenderableType) -> None:
        """Print something for people; silent with `--json`."""
        if not self.as_json:
            self.out.print(renderable)

    def say(self, text: str, style: str = "") -> None:
        """Print one line for people; silent with `--json`."""
        if not self.as_json:
            self.out.print(shown(text, style), soft_wrap=True)

    def error(self, error: RecollectError) -> None:
        """Show a failure: JSON on standard output, or a caret and a hint on standard error."""
        self.failed = True
        if self.as_json:
            self.json({"error": error.to_wire()})
        else:
            self._trouble(error)

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
        self.err.print(error_text(error), soft_wrap=True)

    def _warnings(self, response: Response) -> None:
        for warning in warnings_of(response):
            line = Text("warning: ", style="yellow").append_text(shown(warning.message))
            if warning.hint:
                line.append(f" ({plain(warning.hint)})", style="dim")
            self.err.print(line, soft_wrap=True)


@contextmanager
def output(*, as_json: bool) -> Iterator[Output]:
    """Give a command its output, show the error it fails with, and set the exit code."""
    out = Output(as_json=as_json)
    try:
        yield out
    except RecollectError as error:
        out.error(error)
    if out.failed:
        raise typer.Exit(1)


def restored(wire: Mapping[str, object], source: str) -> RecollectError:
    """Return the error a response carries, with the text its span points into."""
    span = None
    match wire.get("span"):
        case {"start": int(start), "end": int(end)}:
            span = Span(start, end)
    code = CODES.get(str(wire.get("code")), INTERNAL_ERROR)
    hint, message = str(wire.get("hint") or ""), str(wire.get("message") or "")
    return RecollectError(code, message, hint=hint, source=source, span=span)


def error_text(error: RecollectError) -> Text:
    """Return the error in colour: what is wrong, where, and what to do about it."""
    coloured = Text()
    for number, line in enumerate(str(error).split("\n")):
        if number:
            coloured.append("\n")
        quoted = line.lstrip().partition(" ")[0].isdigit() or line.lstrip().startswith("|")
        if number == 0:
            head, colon, rest = plain(line).partition(": ")
            coloured.append(head + colon, style="bold red").append(rest, style="bold")
        elif line.startswith("  hint: "):
            coloured.append("  hint: ", style="green").append(plain(line[8:]))
        elif quoted and line.lstrip().startswith("|"):
            coloured.append(plain(line), style="red")
        else:
            coloured.append(plain(line), style="dim" if quoted else "")
    return coloured
