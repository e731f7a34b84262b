"""The commands about texts of KIP: what is wrong with them, their layout, and an editor's server.

The rule of the layout: a file is replaced whole or not touched, and only when its text is the
language.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

import typer
from rich.text import Text

from recollect.errors import RecollectError, place, refused
from recollect.kernel import Diagnostic, Severity, check, format_text
from recollect.model import Value
from recollect.node import dataclass, replace
from recollect.servers.cli.cells import counted
from recollect.servers.cli.given import STANDARD_INPUT, is_comment, text_of
from recollect.servers.cli.loading import require
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, error_text, output
from recollect.servers.cli.own_words import own_hint
from recollect.servers.cli.safe_text import plain

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def check_files(
    files: Sequence[str], parameters: Mapping[str, Value] | None, *, as_json: bool
) -> None:
    """Show the errors and the warnings about some files; exit code 1 for errors."""
    with output(as_json=as_json, takes_parameters=True) as out:
        reports = [(file, _examined(out, file, parameters)) for file in files]
        if out.give_json({"files": [_report(*one) for one in reports]}):
            return
        found = [one for _, diagnostics in reports for one in diagnostics]
        errors = sum(one.severity is Severity.ERROR for one in found)
        told = f"{counted(errors, 'error')}, {counted(len(found) - errors, 'warning')}"
        out.say(f"{told} in {counted(len(files), 'file')}", "" if found else "green")


def _examined(out: Output, file: str, parameters: Mapping[str, Value] | None) -> list[Diagnostic]:
    """Return what is found in a file, after showing it to people."""
    text = text_of(file)
    found = [
        replace(one, hint=own_hint(one.hint, takes_parameters=True))
        for one in ([] if is_comment(text) else check(text, parameters))
    ]
    out.failed |= any(one.severity is Severity.ERROR for one in found)
    if not out.as_json:
        for one in found:
            line, column = place(one.source, one.span)
            out.say(f"{file}:{line}:{column}", "dim")
            out.show_text(error_text(str(one)))
    return found


def _report(file: str, found: Sequence[Diagnostic]) -> dict[str, object]:
    is_valid = not any(one.severity is Severity.ERROR for one in found)
    return {"file": file, "valid": is_valid, "diagnostics": [one.to_wire() for one in found]}


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
        if out.give_json({"files": [one.to_wire() for one in done]}):
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
        raise refused(f"{file}: {reason}", hint) from error


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


def serve_editor(on: Invocation) -> None:
    """Serve one editor over standard input and output.

    Types, predicates and attributes are proposed from a memory only where one is named.
    """
    with output(as_json=False) as out:
        require("pygls", "lsp", "the language server")
        from recollect.servers.lsp.answers import Vocabulary
        from recollect.servers.lsp.server import serve

        out.if_stopped = "the editor has no language server any more"
        if on.database is None:
            serve(Vocabulary())
            return
        with opened(on) as nexus:
            serve(Vocabulary(nexus))
