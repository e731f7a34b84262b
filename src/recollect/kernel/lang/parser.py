"""A whole text: its statements, one after another.

Its rule: whatever the text, what leaves `parse` is a tree or a `RecollectError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.errors import RecollectError, Span
from recollect.kernel.lang.ast import (
    DescribeConceptTypes,
    DescribeDomains,
    DescribePropositionTypes,
    Explain,
    Export,
    Find,
    Script,
    Search,
    Statement,
    Update,
    Upsert,
)
from recollect.kernel.lang.cursor import MAX_DEPTH, Cursor, unhurried
from recollect.kernel.lang.parse_kml import delete, merge, upsert
from recollect.kernel.lang.parse_meta import PAGE, describe, explain, export, search
from recollect.kernel.lang.parse_query import find
from recollect.kernel.lang.parse_update import update
from recollect.kernel.lang.repair.mend import TextFault, explained
from recollect.kernel.lang.tokens import MAX_LENGTH, THE_END, lex
from recollect.kernel.lang.words import BEGINNINGS, CLAUSES, STATEMENTS

PARSERS: dict[str, Callable[[Cursor], Statement]] = {
    "FIND": find,
    "UPSERT": upsert,
    "UPDATE": update,
    "MERGE": merge,
    "DELETE": delete,
    "DESCRIBE": describe,
    "SEARCH": search,
    "EXPORT": export,
    "EXPLAIN": explain,
}
PARTS = ("ORDER", "LIMIT", "OFFSET", "CURSOR")
TAILS: dict[type, tuple[str, ...]] = {
    Find: PARTS,
    Upsert: ("WITH",),
    Update: ("LIMIT",),
    Search: ("WITH", "MODE", "THRESHOLD", *PAGE),
    Export: PAGE,
    DescribeDomains: PAGE,
    DescribeConceptTypes: PAGE,
    DescribePropositionTypes: PAGE,
}


def parse(
    text: str,
    *,
    max_length: int = MAX_LENGTH,
    max_depth: int = MAX_DEPTH,
    pulse: Callable[[], None] = unhurried,
) -> Script:
    """Parse a text of one statement or more.

    Raises KIP_1001 and KIP_1002 for what is not the language, KIP_2003 for values no store
    holds, KIP_4002 beyond `max_length` bytes or `max_depth` levels of nesting; always with
    the text and a span. `pulse` is called again and again, and what it raises ends the parsing.
    Cost is linear in the text. KIP 1.0-draft3 and every later text up to KIP 1.0-RC11, whole.

    >>> parse("SEARCH CONCEPT :term LIMIT 5").statements[0].limit.value
    5
    """
    cursor = Cursor(lex(text, max_length=max_length), max_depth=max_depth, pulse=pulse)
    try:
        statements = statements_of(cursor)
    except RecollectError as error:
        fault = TextFault(cursor.at, cursor.statement, cursor.expected, cursor.is_settled)
        better = explained(error, cursor.tokens, fault, lambda part: _failing_at(part, max_depth))
        if better is not error:
            raise better from None
        raise
    return Script(tuple(statements), tuple(cursor.notices.values()), text, span=Span(0, len(text)))


def _failing_at(text: str, max_depth: int) -> int | None:
    """Return the character where a text stops being the language, None if it is one."""
    cursor = Cursor(lex(text), max_depth=max_depth)
    try:
        statements_of(cursor)
    except RecollectError:
        return cursor.tokens.starts[cursor.at]
    return None


def statements_of(cursor: Cursor) -> list[Statement]:
    """Parse the statements of a text to its end."""
    statements: list[Statement] = []
    while not cursor.at_end:
        cursor.pulse()
        parse_one = PARSERS.get(cursor.token)
        if parse_one is None:
            raise _no_statement(cursor, statements)
        cursor.statement = cursor.at
        statements.append(parse_one(cursor))
        while cursor.take(";"):
            pass
    if not statements:
        message = "the text holds no statement"
        raise cursor.error(message, span=Span(0, 0), hint=BEGINNINGS)
    return statements


def _no_statement(cursor: Cursor, statements: Sequence[Statement]) -> RecollectError:
    error = cursor.unexpected(*STATEMENTS, *tail_of(statements))
    if error.hint:
        return error
    if cursor.token in CLAUSES:
        error.hint = f"move {cursor.token} into the braces of WHERE"
    elif cursor.token in PARTS and statements:
        statement = cursor.tokens.texts[cursor.statement]
        error.message = f"{statement} has no {cursor.token} here"
        error.hint = f"remove {cursor.token}"
    else:
        error.hint = BEGINNINGS
    return error


def tail_of(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return what may follow the last statement besides another one."""
    if not statements:
        return ()
    last = statements[-1]
    if isinstance(last, Explain):
        last = last.query
    return (*TAILS.get(type(last), ()), THE_END)
