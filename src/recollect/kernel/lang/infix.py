"""Tests as other languages write them, between their sides: `?x LIKE "a%"`, `?x IS NOT NULL`.

Its rule: what is offered means the same; where nothing does, the error shows the form.
"""

from __future__ import annotations

from recollect.errors import RecollectError
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_value import at_parameter, string, value
from recollect.kernel.lang.repair.diagnose import quoted
from recollect.kernel.lang.words import TESTS

BETWEEN = (*(one for one in TESTS if not one.startswith("IS_")), "NOT")
PATTERNS = ("LIKE", "ILIKE", "MATCHES", "=~", "~")
WILDCARDS = "%_*"


def infix_test(cursor: Cursor, first: int) -> RecollectError | None:
    """Return the error for a test that stands here, after its left side from token `first`.

    None if no test is written so.
    """
    written, word = cursor.text_since(first), cursor.token.upper()
    if word == "IS":
        return _is_null(cursor, first, written)
    if word in PATTERNS:
        return _like(cursor, first, written)
    if word in BETWEEN:
        return _function(cursor, first, written, word)
    return None


def _is_null(cursor: Cursor, first: int, written: str) -> RecollectError | None:
    cursor.advance()
    is_negated = cursor.token.upper() == "NOT"
    if is_negated:
        cursor.advance()
    if cursor.token.upper() != "NULL":
        return None
    cursor.advance()
    return _written(cursor, first, f"{'IS_NOT_NULL' if is_negated else 'IS_NULL'}({written})")


def _like(cursor: Cursor, first: int, written: str) -> RecollectError:
    """Return what a pattern with `%` at its ends is; one with more in it is shown REGEX."""
    spelled = cursor.token
    cursor.advance()
    if cursor.token[0] == '"':
        pattern = string(cursor)
        plain = pattern.strip("%")
        begins, ends = pattern[:1] != "%", pattern[-1:] != "%"
        if plain and not any(one in plain for one in WILDCARDS) and not (begins and ends):
            name = "STARTS_WITH" if begins else "ENDS_WITH" if ends else "CONTAINS"
            return _written(cursor, first, f"{name}({written}, {quoted(plain)})")
    return cursor.settled(
        cursor.error(
            f"there is no {spelled}: a text is compared by a function",
            span=cursor.since(first),
            hint=f'use CONTAINS({written}, "part") or REGEX({written}, "pattern")',
        )
    )


def _function(cursor: Cursor, first: int, written: str, word: str) -> RecollectError | None:
    """Return the error for `?x IN [...]`, `?x NOT IN [...]`, `?x CONTAINS "a"`."""
    cursor.advance()
    sign = ""
    if word == "NOT":
        sign, word = "!", cursor.token.upper()
        if word not in BETWEEN or word == "NOT":
            return None
        cursor.advance()
    start = cursor.at
    if cursor.token[0] not in '"[' and not at_parameter(cursor):
        right = "[...]" if word == "IN" else '"..."'
        hint = f"use {sign}{word}({written}, {right})"
        return cursor.error(f"{word} is written as a function", hint=hint)
    value(cursor)
    choices = cursor.text_since(start)
    return _written(cursor, first, f"{sign}{word}({written}, {choices})")


def _written(cursor: Cursor, first: int, better: str) -> RecollectError:
    name = better.lstrip("!").partition("(")[0]
    return cursor.error(
        f"{name} is written as a function",
        span=cursor.since(first),
        hint=f"use {better}",
        fix=better,
    )
