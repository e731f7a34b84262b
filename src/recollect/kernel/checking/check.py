"""A text examined without a store: everything that is wrong with it, at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from recollect.errors import (
    REFERENCE_ERROR,
    Fix,
    Notice,
    RecollectError,
    Span,
    give_parameter,
    nearest,
    place,
    quoted,
)
from recollect.kernel.checking.recovery import Reading, readings
from recollect.kernel.checking.resolve import placeholders, statement_faults, unused_reads
from recollect.model import Value
from recollect.node import dataclass


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


def check(text: str, parameters: Mapping[str, Value] | None = None) -> list[Diagnostic]:
    """Return what is wrong with a text and what is doubtful in it, in the order of the text.

    A text without errors parses, and its names are resolved; what it finds only a store can
    tell. Without `parameters` every placeholder is taken to have a value.

    >>> for one in check('FIND(?drug, ?x) WHERE { ?dru {type: Drug} }'):
    ...     print(one.code, one.message, one.fix and one.fix.text)
    KIP_3001 variable ?drug is not bound ?dru
    KIP_3001 variable ?x is not bound None
    KIP_1001 `Drug` is not quoted, expected a string "Drug"
    """
    found: list[Diagnostic] = []
    used: set[str] = set()
    for reading in readings(text):
        faults = (*reading.errors, *_faults(reading, parameters, used))
        found += (Diagnostic.of_error(one, text) for one in faults)
        found += (Diagnostic.of_notice(one, text) for one in _notices(reading))
    if not any(one.severity == "error" for one in found):
        found += (Diagnostic.of_notice(one, text) for one in _unused(parameters or {}, used))
    return sorted(found, key=lambda one: (one.span.start, one.span.end))


def _faults(
    reading: Reading, parameters: Mapping[str, Value] | None, used: set[str]
) -> Iterator[RecollectError]:
    """Yield what is wrong with the names of a statement, placed in the whole text."""
    values = dict(parameters or {})
    for statement in reading.statements:
        for one in placeholders(statement):
            used.add(one.name)
            if parameters is not None and one.name not in values:
                span = reading.draft.place(one.span)
                yield _no_value(one.name, span, parameters)
        for fault in statement_faults(statement, values, reading.aside):
            yield reading.draft.placed(fault)


def _notices(reading: Reading) -> Iterator[Notice]:
    notices = [*reading.notices]
    for statement in reading.statements:
        notices += unused_reads(statement)
    yield from (reading.draft.noticed(one) for one in notices)


def _no_value(name: str, span: Span, parameters: Mapping[str, Value]) -> RecollectError:
    near = nearest(name, parameters)
    return REFERENCE_ERROR.error(
        f"parameter ${name} has no value",
        f"use ${near[0]}" if near else give_parameter(name),
        span=span,
        known=tuple(f"${one}" for one in near),
        fix=Fix(span, f"${near[0]}") if near else None,
    )


def _unused(parameters: Mapping[str, Value], used: set[str]) -> Iterator[Notice]:
    for name in parameters:
        if name not in used:
            yield Notice("unused_parameter", f"parameter {name} is not used", f"write ${name}")
