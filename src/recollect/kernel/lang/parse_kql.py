"""FIND, with its columns and what orders and limits them. KIP 1.0-draft3, KQL."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.errors import Fix, RecollectError, Span, nearest
from recollect.kernel.lang.ast import Aggregate, Find, Function, Size, SortKey, Variable
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.diagnose import meant
from recollect.kernel.lang.parse_clause import where
from recollect.kernel.lang.parse_value import (
    at_parameter,
    literal,
    parameter,
    variable,
    whole_number,
)
from recollect.kernel.lang.tokens import A_VARIABLE, AGGREGATES, END, is_named, is_word

FUNCTIONS = {one.value: one for one in Function}


@dataclass(slots=True)
class _Tail:
    """What follows the WHERE block, gathered in any order."""

    order_by: tuple[SortKey, ...] | None = None
    limit: Size | None = None
    offset: Size | None = None


def find(cursor: Cursor) -> Find:
    """Parse FIND, which stands here."""
    first = cursor.at
    cursor.advance()
    if cursor.token[0] in "?*" or cursor.token in FUNCTIONS:
        raise _no_parentheses(cursor)
    cursor.open("(")
    if cursor.token in ("*", ")"):
        raise _no_column(cursor)
    columns = [_column(cursor)]
    while cursor.take(",") and cursor.token != ")":
        columns.append(_column(cursor))
    if cursor.token == "AS":
        raise _renamed(cursor)
    cursor.close(")", ",")
    clauses = where(cursor, "FIND")
    tail = _tail(cursor)
    return Find(
        tuple(columns),
        clauses,
        tail.order_by or (),
        tail.limit,
        tail.offset,
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


def size(cursor: Cursor, keyword: str) -> Size:
    """Parse the number of LIMIT or OFFSET, or the placeholder for it."""
    if at_parameter(cursor):
        return parameter(cursor)
    number = whole_number(cursor.token)
    if number is None or number < 0:
        message = f"{keyword} takes a whole number, zero or more"
        found = "" if cursor.at_end else f", not `{cursor.token[:40]}`"
        raise cursor.error(message + found, hint=f"use {keyword} 10")
    at = cursor.here()
    cursor.advance()
    return literal(number, at)


def _column(cursor: Cursor) -> Variable | Aggregate:
    if is_named(cursor.token, "?"):
        return variable(cursor)
    if not is_word(cursor.token):
        raise cursor.unexpected(A_VARIABLE, *AGGREGATES)
    first = cursor.at
    function, name, is_distinct = _call(cursor)
    alias = variable(cursor) if cursor.take("AS") else None
    if alias is None and cursor.token not in (",", ")"):
        raise _no_as(cursor)
    return Aggregate(function, name, is_distinct, alias, span=cursor.since(first))


def _no_as(cursor: Cursor) -> RecollectError:
    error = cursor.unexpected("AS", ",", ")")
    if is_named(cursor.token, "?"):
        alias = f"AS {cursor.token}"
        error.hint, error.fix = f"use {alias}", Fix(cursor.here(), alias)
    return error


def _call(cursor: Cursor) -> tuple[Function, Variable, bool]:
    function = FUNCTIONS.get(cursor.token)
    if function is None:
        raise _unknown_function(cursor)
    name_of_function = cursor.token
    cursor.advance()
    if cursor.token[0] == "?" or cursor.token == "DISTINCT":
        raise _no_argument_parentheses(cursor, name_of_function)
    cursor.open("(")
    is_distinct = cursor.take("DISTINCT")
    if cursor.token == "*":
        hint = "name the variable to count: COUNT(?x)"
        raise cursor.error("`*` is not a variable", hint=hint)
    if not is_named(cursor.token, "?"):
        raise cursor.unexpected(A_VARIABLE, "DISTINCT")
    name = variable(cursor)
    cursor.close(")")
    return function, name, is_distinct


def _no_argument_parentheses(cursor: Cursor, function: str) -> RecollectError:
    first = cursor.at
    cursor.take("DISTINCT")
    variable(cursor)
    message = f"what {function} counts or gathers stands in parentheses"
    return cursor.unwrapped(message, first, function, "()")


def _unknown_function(cursor: Cursor) -> RecollectError:
    name = cursor.token
    if cursor.next_token() != "(" or name.upper() in FUNCTIONS:
        return cursor.unexpected(A_VARIABLE, *AGGREGATES)
    better = meant(name, AGGREGATES)
    return cursor.error(
        f"FIND has no function {name[:40]}",
        hint=f"use {better or 'one of ' + ', '.join(AGGREGATES)}",
        known=nearest(name[:40], AGGREGATES) or AGGREGATES,
        fix=better,
    )


def _tail(cursor: Cursor) -> _Tail:
    tail = _Tail()
    while True:
        keyword = cursor.token
        if keyword == "ORDER" and tail.order_by is None:
            tail.order_by = _order_by(cursor)
        elif keyword == "LIMIT" and tail.limit is None:
            cursor.advance()
            tail.limit = size(cursor, keyword)
        elif keyword == "OFFSET" and tail.offset is None:
            cursor.advance()
            tail.offset = size(cursor, keyword)
        elif keyword in ("ORDER", "LIMIT", "OFFSET"):
            raise cursor.error(f"{keyword} is given twice", hint=f"keep one {keyword}")
        else:
            return tail


def _order_by(cursor: Cursor) -> tuple[SortKey, ...]:
    cursor.advance()
    cursor.expect("BY")
    keys = [_sort_key(cursor)]
    while cursor.take(",") or cursor.token[0] == "?" or cursor.token in FUNCTIONS:
        keys.append(_sort_key(cursor))
    return tuple(keys)


def _sort_key(cursor: Cursor) -> SortKey:
    first = cursor.at
    key: Variable | Aggregate
    if is_word(cursor.token):
        function, name, is_distinct = _call(cursor)
        key = Aggregate(function, name, is_distinct, span=cursor.since(first))
    else:
        key = variable(cursor)
    is_descending = cursor.take("DESC")
    if not is_descending:
        cursor.take("ASC")
    return SortKey(key, is_descending, span=cursor.since(first))
