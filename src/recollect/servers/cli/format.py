"""The command that lays out KIP texts, each in its file.

Its rule: a file is replaced whole or not touched, and only when its text is the language.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import typer
from rich.text import Text

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel import format_text
from recollect.servers.cli.given import STANDARD_INPUT, is_comment, text_of
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.render import counted
from recollect.servers.cli.safe_text import plain

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True, slots=True)
class _Formatted:
    """What became of one file."""

    file: str
    before: str = ""
    after: str = ""
    error: RecollectError | None = None

    @property
    def is_changed(self) -> bool:
        return self.before != self.after

    def to_wire(self) -> dict[str, object]:
        if self.error is not None:
            return {"file": self.file, "error": self.error.to_wire()}
        text = {"text": self.after} if self.file == STANDARD_INPUT else {}
        return {"file": self.file, "changed": self.is_changed, **text}


def format_files(files: Sequence[str], *, check: bool, diff: bool, as_json: bool) -> None:
    """Lay out files in place, and standard input to standard output.

    With `check` or `diff` nothing is written; with `check` the exit code is 1 if a file would
    change.
    """
    with output(as_json=as_json) as out:
        done = [_format(file, is_written=not (check or diff)) for file in files]
        failures = [one.error for one in done if one.error is not None]
        changed = [one for one in done if one.is_changed]
        out.failed = bool(failures) or (check and bool(changed))
        if out.as_json:
            out.json({"result": {"files": [one.to_wire() for one in done]}})
            return
        for one in done:
            _show(out, one, check=check, diff=diff)
        if STANDARD_INPUT not in files:
            _sum_up(out, done, is_written=not (check or diff))


def _format(file: str, *, is_written: bool) -> _Formatted:
    try:
        before = text_of(file)
        after = before if is_comment(before) else format_text(before)
        if is_written and after != before and file != STANDARD_INPUT:
            _replace(file, after)
    except RecollectError as error:
        return _Formatted(file, error=error)
    return _Formatted(file, before, after)


def _replace(file: str, text: str) -> None:
    """Put a text in the place of a file, all at once; a link to the file stays one."""
    path = Path(file).resolve()
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(text.encode())
                stream.flush()
                os.fsync(stream.fileno())
            shutil.copymode(path, beside)
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or "it cannot be written"
        hint = "make the file and its directory writable"
        raise RecollectError(INVALID_ARGUMENT, f"{file}: {reason}", hint=hint) from error


def _show(out: Output, one: _Formatted, *, check: bool, diff: bool) -> None:
    if one.error is not None:
        if one.file != STANDARD_INPUT and one.error.source:
            out.err.print(plain(f"{one.file}:"), soft_wrap=True)
        out.error(one.error)
    elif diff:
        out.show_text(_difference(one))
    elif one.file == STANDARD_INPUT and not check:
        text = plain(one.after) if out.out.is_terminal else one.after
        typer.echo(text.encode(), nl=False)
    elif one.is_changed:
        out.say(f"{'would format' if check else 'formatted'} {one.file}")


def _difference(one: _Formatted) -> Text:
    before, after = (text.removesuffix("\n").split("\n") for text in (one.before, one.after))
    lines = unified_diff(before, after, one.file, one.file, lineterm="", n=2)
    text = Text(end="")
    for line in lines:
        text.append(f"{plain(line)}\n", style=_STYLES.get(line[:1], ""))
    return text


def _sum_up(out: Output, done: Sequence[_Formatted], *, is_written: bool) -> None:
    changed = sum(one.is_changed for one in done)
    same = sum(not one.is_changed and one.error is None for one in done)
    verb = "formatted" if is_written else "to format"
    told = [f"{counted(changed, 'file')} {verb}", f"{counted(same, 'file')} unchanged"]
    if failed := len(done) - changed - same:
        told.append(f"{counted(failed, 'file')} with errors")
    out.say(", ".join(told), "" if out.failed else "green")
