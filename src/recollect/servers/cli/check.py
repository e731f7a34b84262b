"""The command that examines texts without a memory: all that is wrong with them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.errors import place
from recollect.kernel import Diagnostic, Severity, check
from recollect.model import Value
from recollect.servers.cli.given import is_comment, text_of
from recollect.servers.cli.output import Output, error_text, output
from recollect.servers.cli.own_words import own_hint
from recollect.servers.cli.render import counted


def check_files(
    files: Sequence[str], parameters: Mapping[str, Value] | None, *, as_json: bool
) -> None:
    """Show the errors and the warnings about some files; exit code 1 for errors."""
    with output(as_json=as_json, takes_parameters=True) as out:
        reports = [(file, _examined(out, file, parameters)) for file in files]
        if out.as_json:
            out.json({"result": {"files": [_report(*one) for one in reports]}})
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
