"""FIND, with its columns and what orders and limits them. KIP 1.0-draft3, KQL."""

from __future__ import annotations

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.ast import Find
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_clause import where
from recollect.kernel.lang.parse_column import FUNCTIONS, column
from recollect.kernel.lang.parse_tail import tail
from recollect.kernel.lang.parse_value import variable
from recollect.kernel.lang.tokens import END


def find(cursor: Cursor) -> Find:
    """Parse FIND, which stands here."""
    first = cursor.at
    cursor.advance()
    if cursor.token[0] in "?*" or cursor.token in FUNCTIONS:
        raise _no_parentheses(cursor)
    cursor.open("(")
    if cursor.token in ("*", ")"):
        raise _no_column(cursor)
    columns = [column(cursor)]
    while cursor.take(",") and cursor.token != ")":
        columns.append(column(cursor))
    if cursor.token == "AS":
        raise _renamed(cursor)
    cursor.close(")", ",")
    clauses = where(cursor, "FIND")
    found = tail(cursor, "ORDER", "LIMIT", "OFFSET", "CURSOR")
    return Find(
        tuple(columns),
        clauses,
        found.order_by,
        found.limit,
        found.offset,
        found.cursor,
        span=cursor.since(first),
    )


def _renamed(cursor: Cursor) -> RecollectError:
    """Return the error for `?x AS ?y`."""
    first = cursor.at
    cursor.advance()
    variable(cursor)
    written, span = cursor.text_since(first), cursor.since(first)
    message = "only an aggregate is given a name of its own"
    return cursor.error(message, span=span, hint=f"remove {written}", fix="")


def _no_parentheses(cursor: Cursor) -> RecollectError:
    first = cursor.at
    if cursor.token == "*":
        return _no_column(cursor, "({})")
    while cursor.token not in ("WHERE", "{", END):
        cursor.advance()
    return cursor.unwrapped("the columns of FIND stand in parentheses", first, "FIND", "()")


def _no_column(cursor: Cursor, form: str = "{}") -> RecollectError:
    """Return the error for FIND(*) or FIND(); the first variable of the text is proposed."""
    name = form.format(cursor.following_variable() or "?x")
    if cursor.token == ")":
        error = cursor.error("FIND names no column", hint=f"use {name}")
        error.fix = Fix(Span(cursor.here().start, cursor.here().start), name)
        return error
    message = "`*` is not a column: FIND names its variables"
    return cursor.error(message, hint=f"use {name}", fix=name)
