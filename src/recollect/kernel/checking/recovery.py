"""A text whose statements are read one by one, each as far as it can be.

Its rule: what one edit mends is mended and read on; else the smallest part that holds the fault
is set aside. So one mistake is told once, and hides no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.errors import Notice, RecollectError, Span
from recollect.kernel.checking.draft import Draft
from recollect.kernel.lang import ast, parse
from recollect.kernel.lang.lexer import lex
from recollect.kernel.lang.repair.mend import begins_statement
from recollect.kernel.lang.tokens import CLOSERS, END, Tokens
from recollect.kernel.lang.words import CLAUSES

MOST_FAULTS = 20
"""Faults told of one statement: one that has more is no slip."""

SIGILLED = re.compile(r"[?@]\w+")
BEGINNINGS = frozenset(
    (*CLAUSES, *["CONCEPT", "PROPOSITION", "SET", "WITH", "ORDER", "LIMIT", "OFFSET", "CURSOR"])
)


@dataclass(slots=True)
class Reading:
    """One statement, or all of a text that parses: what it says, and what is wrong with it."""

    draft: Draft
    statements: tuple[ast.Statement, ...] = ()
    errors: list[RecollectError] = field(default_factory=list)
    notices: tuple[Notice, ...] = ()
    aside: set[str] = field(default_factory=set)  # names in what was set aside: `?x`, `@h`


def readings(text: str) -> Iterator[Reading]:
    """Yield a text statement by statement, or whole if one edit makes it parse."""
    try:
        script = parse(text)
    except RecollectError as error:
        fault = error
    else:
        yield Reading(Draft(text, source=text), script.statements, notices=script.notices)
        return
    is_whole = fault.fix is not None and fault.fix.span == Span(0, len(text))
    if fault.code.category != "syntax":
        yield Reading(Draft(text, source=text), errors=[fault])
    elif is_whole:
        yield _read(Draft(text, source=text))
    else:
        for part in _parts(lex(text)):
            yield _read(Draft(text[part.start : part.end], part.start, text))


def _parts(tokens: Tokens) -> Iterator[Span]:
    """Yield the statements of a text; what stands before the first belongs to it."""
    begun = 0
    for at in range(1, len(tokens.texts) - 1):
        if begins_statement(tokens, at):
            yield Span(begun, tokens.starts[at])
            begun = tokens.starts[at]
    yield Span(begun, len(tokens.source))


def _read(draft: Draft) -> Reading:
    """Read one statement, as far as it can be."""
    reading = Reading(draft)
    told: set[tuple[str, Span | None]] = set()
    while len(reading.errors) < MOST_FAULTS:
        try:
            script = parse(draft.text)
        except RecollectError as error:
            fault = error
        else:
            reading.statements, reading.notices = script.statements, script.notices
            break
        placed = draft.placed(fault)
        if (placed.message, placed.span) in told:
            break
        told.add((placed.message, placed.span))
        reading.errors.append(placed)
        if fault.code.category != "syntax":
            break
        if fault.fix is not None:
            draft.mend(fault.fix)
            continue
        reading.aside.update(SIGILLED.findall(draft.blank(_around(draft.text, fault.span))))
        if lex(draft.text).texts[0] is END:
            break
    return reading


def _around(text: str, fault: Span | None) -> Span:
    """Return the smallest part of a text to set aside, so that what is around it can be read.

    It goes from the last clause, block or keyword that begins at the fault or before it to the
    next one, or to the bracket that closes what it stands in.
    """
    tokens = lex(text)
    texts, starts = tokens.texts, tokens.starts
    place = len(text) if fault is None else fault.start
    at = max((one for one in range(len(texts)) if starts[one] <= place), default=0)
    at = min(at, len(texts) - 2)
    first = next((one for one in range(at, 0, -1) if _begins(tokens, one)), 0)
    depth = 0
    for one in range(first, len(texts) - 1):
        if one > at and (depth <= 0 or texts[one] in BEGINNINGS) and _begins(tokens, one):
            return Span(starts[first], starts[one])
        depth += (texts[one] in CLOSERS) - (texts[one] in CLOSERS.values())
        if depth < 0 and one >= at:
            return Span(starts[first], max(starts[one], starts[first] + 1))
    return Span(starts[first], len(text))


def _begins(tokens: Tokens, at: int) -> bool:
    """Whether a clause, a block or another part may begin at a token."""
    token = tokens.texts[at]
    if token in BEGINNINGS:
        return True
    line = tokens.source.rfind("\n", 0, tokens.starts[at]) + 1
    is_first = not tokens.source[line : tokens.starts[at]].strip()
    return is_first and token[0] in "?({"
