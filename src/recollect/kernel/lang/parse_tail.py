"""What follows the body of a statement: its order, its size, and where it goes on.

Its rule: parts come in any order, each at most once.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.errors import RecollectError, Span, nearest
from recollect.kernel.lang.ast import Literal, Size, SortKey, Text
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_column import order_by
from recollect.kernel.lang.parse_value import (
    at_parameter,
    literal,
    parameter,
    text,
    value,
    whole_number,
)
from recollect.kernel.lang.repair.diagnose import meant
from recollect.kernel.lang.tokens import is_word

MODES = ("keyword", "semantic", "hybrid")
SIZES = ("LIMIT", "OFFSET")


@dataclass(slots=True)
class Tail:
    """What was given; each statement takes the parts it has."""

    order_by: tuple[SortKey, ...] = ()
    limit: Size | None = None
    offset: Size | None = None
    cursor: Text | None = None
    type: Text | None = None
    mode: Text | None = None
    threshold: Size | None = None


def tail(cursor: Cursor, *keywords: str) -> Tail:
    """Parse what begins with one of `keywords`, as long as one stands here."""
    found = Tail()
    given: set[str] = set()
    while (keyword := cursor.token) in keywords:
        if keyword in given:
            raise cursor.error(f"{keyword} is given twice", hint=f"keep one {keyword}")
        given.add(keyword)
        if keyword == "ORDER":
            found.order_by = order_by(cursor)
            continue
        cursor.advance()
        match keyword:
            case "LIMIT":
                found.limit = size(cursor, keyword)
            case "OFFSET":
                found.offset = size(cursor, keyword)
            case "CURSOR":
                found.cursor = _page(cursor)
            case "WITH":
                cursor.expect("TYPE")
                found.type = text(cursor)
            case "MODE":
                found.mode = _mode(cursor)
            case "THRESHOLD":
                found.threshold = _threshold(cursor)
    return found


def size(cursor: Cursor, keyword: str) -> Size:
    """Parse the number of LIMIT or OFFSET, or the placeholder for it."""
    if at_parameter(cursor):
        return parameter(cursor)
    number = whole_number(cursor.token)
    if number is None or number < 0:
        message = f"{keyword} takes a whole number, zero or more"
        found = "" if cursor.at_end else f", not `{cursor.token[:40]}`"
        raise cursor.error(message + found, hint=f"use {keyword} {10 if keyword in SIZES else 1}")
    at = cursor.here()
    cursor.advance()
    return literal(number, at)


def _page(cursor: Cursor) -> Text:
    """Parse where a page begins."""
    first = cursor.at - 1
    if cursor.token.lower() in ("null", "none"):
        cursor.advance()
        raise cursor.error(
            "CURSOR has no value: the first page has no cursor",
            span=cursor.since(first),
            hint="leave CURSOR out for the first page",
            fix="",
        )
    return text(cursor)


def _mode(cursor: Cursor) -> Text:
    """Parse a mode of SEARCH; its quotes may be left out."""
    word, at = cursor.token, cursor.here()
    if word in MODES:
        cursor.advance()
        return literal(word, at)
    if is_word(word):
        raise _no_mode(cursor, word)
    found = text(cursor)
    if isinstance(found, Literal) and found.value not in MODES:
        raise _no_mode(cursor, str(found.value), found.span)
    return found


def _no_mode(cursor: Cursor, word: str, span: Span | None = None) -> RecollectError:
    better = meant(word, MODES)
    error = cursor.error(
        f"SEARCH has no mode {word[:40]}",
        span=span,
        hint=f"use {better or 'one of ' + ', '.join(MODES)}",
        known=nearest(word[:40], MODES) or MODES,
        fix=better and f'"{better}"',
    )
    return error if better else cursor.settled(error)


def _threshold(cursor: Cursor) -> Size:
    """Parse a number from 0 to 1, or a placeholder for it."""
    if at_parameter(cursor):
        return parameter(cursor)
    token, at = cursor.token, cursor.here()
    if token[0].isdigit() or token[:2].strip("-+.").isdigit():
        found = value(cursor)
        assert isinstance(found, Literal)
        number = found.value
        if isinstance(number, int | float) and 0 <= number <= 1:
            return found
    found_text = "" if token == "\0" else f", not `{token[:40]}`"
    message = f"THRESHOLD takes a number from 0 to 1{found_text}"
    raise cursor.error(message, span=at, hint="use THRESHOLD 0.5")
