r"""Strings with a quote or a line break in them, which JSON writes as `\"` and `\n`."""

from __future__ import annotations

import re

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.near import fault_at
from recollect.kernel.lang.tokens import Tokens, quoted

STRING_ENDS = re.compile(r'"(?=\s*(?:[,)}\]:]|\|\||&&|$))')
TRIPLE = '"""'


def triple_quotes(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    '''`"""text"""` is one string in two quotes.'''
    source = tokens.source
    for one in (at, at - 1, at - 2):
        if one < 0 or not source.startswith(TRIPLE, tokens.starts[one]):
            continue
        start = tokens.starts[one]
        end = source.find(TRIPLE, start + 3, start + 20_000)
        if end < 0 or "\\" in source[start:end]:
            return None
        text = source[start + 3 : end].replace("\r\n", "\n")
        better = quoted(text)
        hint = "put two quotes around it, and write \\n for a line break"
        span = Span(start, start + 3)
        return fault_at(
            tokens,
            span,
            "a string has one quote at each end",
            hint,
            Fix(Span(start, end + 3), better),
        )
    return None


def broken_string(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    r"""A string over several lines: a line break in it is written `\n`."""
    token, span, source = tokens.texts[at], tokens.span(at), tokens.source
    if (
        token[0] != '"'
        or (len(token) > 1 and token[-1] == '"')
        or source[span.end : span.end + 1] not in ("\n", "\r")
    ):
        return None
    message = "this string is not closed on its line"
    hint = r'close it with `"`; a line break inside a string is written \n'
    end = STRING_ENDS.search(source, span.end, span.end + 20_000)
    quote = Span(span.start, span.start + 1)
    if end is None or '"' in source[span.end : end.start()]:
        return None
    inside = source[span.start + 1 : end.start()].replace("\r\n", "\n")
    better = quoted(inside)
    fix = Fix(Span(span.start, end.end()), better)
    return fault_at(tokens, quote, message, hint, fix)


def quote_in_string(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    r"""`"he said "hi""`: a quote inside a string is written `\"`."""
    source = tokens.source
    line_start = source.rfind("\n", 0, tokens.starts[at]) + 1
    whole_line = source[line_start : source.find("\n", line_start) % (len(source) + 1)]
    if whole_line.count('"') % 2:
        return None  # one is missing rather
    for first in (at, at - 1, at - 2):
        if first < 0 or tokens.texts[first][0] != '"':
            continue
        span = tokens.span(first)
        after, before = source[span.end : span.end + 1], source[span.start - 1 : span.start]
        if not (_adjoins(after) or (_adjoins(before) and first > 0)):
            continue
        opening = first if _adjoins(after) else first - 1
        while opening > 0 and tokens.texts[opening][0] != '"':
            opening -= 1
        if tokens.texts[opening][0] != '"':
            continue
        start = tokens.starts[opening]
        line_end = source.find("\n", start)
        line = source[start : len(source) if line_end < 0 else line_end]
        ends = [
            one.start() for one in STRING_ENDS.finditer(line, tokens.span(first).end - start - 1)
        ]
        message = "a quote stands inside a string"
        hint = r"write \" for a quote inside a string"
        place = Span(span.start, span.end)
        if not ends:
            return fault_at(tokens, place, message, hint)
        end = ends[0]
        while line[end + 1 : end + 2] == '"':
            end += 1
        better = quoted(line[1:end])
        return fault_at(tokens, place, message, hint, Fix(Span(start, start + end + 1), better))
    return None


def _adjoins(character: str) -> bool:
    """Whether a character beside a quote shows that the quote belongs to the text."""
    return character == '"' or character.isalnum()
