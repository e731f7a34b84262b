"""A whole text: its statements, one after another.

Its rule: whatever the text, what leaves `parse` is a tree or a `RecollectError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.errors import RecollectError, Span
from recollect.kernel.lang.ast import Explain, Find, Script, Search, Statement, Upsert
from recollect.kernel.lang.cursor import MAX_DEPTH, Cursor
from recollect.kernel.lang.forms import BEGINNINGS, form_at
from recollect.kernel.lang.lexer import MAX_LENGTH, lex
from recollect.kernel.lang.parse_kml import delete, upsert
from recollect.kernel.lang.parse_kql import find
from recollect.kernel.lang.parse_meta import describe, explain, search
from recollect.kernel.lang.tokens import CLAUSES, STATEMENTS, THE_END

PARSERS: dict[str, Callable[[Cursor], Statement]] = {
    "FIND": find,
    "UPSERT": upsert,
    "DELETE": delete,
    "DESCRIBE": describe,
    "SEARCH": search,
    "EXPLAIN": explain,
}
TAILS: dict[type, tuple[str, ...]] = {
    Find: ("ORDER", "LIMIT", "OFFSET"),
    Upsert: ("WITH",),
    Search: ("WITH", "LIMIT"),
}


def parse(text: str, *, max_length: int = MAX_LENGTH, max_depth: int = MAX_DEPTH) -> Script:
    """Parse a text of one statement or more.

    Raises KIP_1001 and KIP_1002 for what is not the language, KIP_2003 for values no store
    holds, KIP_4002 beyond `max_length` bytes or `max_depth` levels of nesting; always with
    the text and a span. Cost is linear in the text. KIP 1.0-draft3, whole.

    >>> parse("SEARCH CONCEPT :term LIMIT 5").statements[0].limit.value
    5
    """
    cursor = Cursor(lex(text, max_length=max_length), max_depth=max_depth)
    try:
        statements = _statements(cursor)
    except RecollectError as error:
        if not error.hint:
            error.hint = f"write {form_at(cursor.tokens, cursor.at - 1)}"
        raise
    return Script(tuple(statements), tuple(cursor.notices.values()), span=Span(0, len(text)))


def _statements(cursor: Cursor) -> list[Statement]:
    statements: list[Statement] = []
    while not cursor.at_end:
        parse_one = PARSERS.get(cursor.token)
        if parse_one is None:
            raise _no_statement(cursor, statements)
        statements.append(parse_one(cursor))
        while cursor.take(";"):
            pass
    if not statements:
        message = "the text holds no statement"
        raise cursor.error(message, span=Span(0, 0), hint=BEGINNINGS)
    return statements


def _no_statement(cursor: Cursor, statements: Sequence[Statement]) -> RecollectError:
    error = cursor.unexpected(*STATEMENTS, *_tail(statements))
    if error.hint:
        return error
    if cursor.token == "GROUP":
        error.hint = "remove GROUP BY: an aggregate is grouped by the plain columns of FIND"
    elif cursor.token in CLAUSES:
        error.hint = f"move {cursor.token} into the braces of WHERE"
    elif cursor.token == "WHERE":
        error.hint = "keep one WHERE"
    else:
        error.hint = BEGINNINGS
    return error


def _tail(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return what may follow the last statement besides another one."""
    if not statements:
        return ()
    last = statements[-1]
    if isinstance(last, Explain):
        last = last.query
    return (*TAILS.get(type(last), ()), THE_END)
