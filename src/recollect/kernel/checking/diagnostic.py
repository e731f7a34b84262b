"""One thing that is wrong with a text, or doubtful in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from recollect.errors import Fix, Notice, RecollectError, Span, place, quoted


class Severity(StrEnum):
    """Whether a text cannot run, or runs and perhaps does not mean what it says."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What `check` finds; `fix`, where there is one, is the one edit that mends it.

    `str(diagnostic)` is for people, as an error's text is; `to_wire()` for programs.
    """

    severity: Severity
    code: str  # of the registry of errors, or the word of a warning
    name: str  # what the code is called; empty for a warning
    message: str
    hint: str
    source: str
    span: Span
    known: tuple[str, ...] = ()  # nearest first
    fix: Fix | None = None
    first: Span | None = None  # the earlier place that the one at `span` contradicts

    @classmethod
    def of_error(cls, error: RecollectError, source: str) -> Diagnostic:
        """Return what an error says of a text."""
        return cls(
            Severity.ERROR,
            error.code.code,
            error.code.name,
            error.message,
            error.hint,
            source,
            error.span or Span(0, 0),
            error.known,
            error.fix,
            error.first,
        )

    @classmethod
    def of_notice(cls, notice: Notice, source: str) -> Diagnostic:
        """Return what a warning says of a text."""
        return cls(
            Severity.WARNING,
            notice.code,
            "",
            notice.message,
            notice.hint,
            source,
            notice.span or Span(0, 0),
            notice.known,
            notice.fix,
        )

    def __str__(self) -> str:
        title = f"{self.code} {self.name}".rstrip() if self.name else f"warning {self.code}"
        lines = [f"{title}: {self.message}", *quoted(self.source, self.span)]
        if self.first is not None:
            line, column = place(self.source, self.first)
            lines.append(f"  before: line {line}, column {column}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def to_wire(self) -> dict[str, object]:
        """Return the JSON form: empty members are left out."""
        line, column = place(self.source, self.span)
        wire: dict[str, object] = {
            "severity": self.severity.value,
            "code": self.code,
            "name": self.name,
            "message": self.message,
            "line": line,
            "column": column,
            "span": _span(self.span),
            "first": None if self.first is None else _span(self.first),
            "known": list(self.known),
            "fix": None if self.fix is None else self.fix.to_wire(),
            "hint": self.hint,
        }
        return {name: member for name, member in wire.items() if member not in ("", None, [])}


def _span(span: Span) -> dict[str, int]:
    return {"start": span.start, "end": span.end}
