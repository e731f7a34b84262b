"""Numbers and dates as people write them: `1,000`, `10%`, `2024-01-01`."""

from __future__ import annotations

import re

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.near import brackets_around, fault_at
from recollect.kernel.lang.tokens import Tokens

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
UNIT = re.compile(r"%|[A-Za-z\u00b5\u20ac$]{1,3}\b")
DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?"
    r"(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def grouped_digits(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """Whether `1,000` is 1000 or 1, nobody can know."""
    texts = tokens.texts
    for one in (at, at - 1, at - 2):
        if one < 2 or not re.fullmatch("[0-9]{3}", texts[one]) or texts[one - 1] != ",":
            continue
        if tokens.span(one - 1).start == tokens.span(one).start - 1 and texts[one - 2].isdecimal():
            span = tokens.spans(one - 2, one)
            written = tokens.source[span.start : span.end]
            hint = f"write {written.replace(',', '')} or {written.replace(',', '.')}"
            return fault_at(tokens, span, f"`{written}` is no number", hint)
    return None


def number_with_unit(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`10%` is no number: whether 10, 0.1 or a text is meant, nobody can know."""
    before = tokens.span(at - 1) if at else None
    if before is None or not NUMBER.fullmatch(tokens.texts[at - 1]):
        return None
    unit = UNIT.match(tokens.source, before.end)
    if unit is None or before.end != tokens.starts[at]:
        return None
    written = tokens.texts[at - 1] + unit[0]
    hint = f'write the number that is stored, or the text "{written}"'
    return fault_at(tokens, Span(before.start, unit.end()), f"`{written}` is no number", hint)


def bare_date(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`at: 2024-01-01` lacks its quotes."""
    for first in (at, at - 1, at - 2):
        if first < 0 or not tokens.texts[first][0].isdecimal():
            continue
        date = DATE.match(tokens.source, tokens.starts[first])
        if date is not None and date.end() >= tokens.span(at).start:
            hint = f'use "{date[0]}"'
            span = Span(date.start(), date.end())
            fix = _quoted_dates(tokens, first, date)
            return fault_at(tokens, span, "a date stands in quotes", hint, fix)
    return None


def _quoted_dates(tokens: Tokens, at: int, date: re.Match[str]) -> Fix:
    """Return the edit that quotes a date, and those after it in the same brackets."""
    source, end = tokens.source, date.end()
    better = f'"{date[0]}"'
    _, closer = brackets_around(tokens, at)
    for one in range(at + 1, closer or at):
        start = tokens.starts[one]
        other = DATE.match(source, start) if start >= end else None
        if other is not None and tokens.texts[one - 1][0] != '"':
            better += f'{source[end:start]}"{other[0]}"'
            end = other.end()
    return Fix(Span(date.start(), end), better)
