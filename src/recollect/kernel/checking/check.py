"""`check`: all that is wrong with a text, or doubtful in it, without a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recollect.errors import (
    REFERENCE_ERROR,
    Fix,
    Notice,
    RecollectError,
    Span,
    give_parameter,
    nearest,
)
from recollect.kernel.checking.diagnostic import Diagnostic
from recollect.kernel.checking.recovery import Reading, readings
from recollect.kernel.checking.resolve import placeholders, statement_faults, unused_reads
from recollect.model import Value


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
    return RecollectError(
        REFERENCE_ERROR,
        f"parameter ${name} has no value",
        hint=f"use ${near[0]}" if near else give_parameter(name),
        span=span,
        known=tuple(f"${one}" for one in near),
        fix=Fix(span, f"${near[0]}") if near else None,
    )


def _unused(parameters: Mapping[str, Value], used: set[str]) -> Iterator[Notice]:
    for name in parameters:
        if name not in used:
            yield Notice("unused_parameter", f"parameter {name} is not used", f"write ${name}")
