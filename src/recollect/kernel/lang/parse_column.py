"""What FIND shows and ORDER BY sorts by: variables, fields and aggregates.

KIP 1.0-draft3, FIND and ORDER BY; fields are of KIP 1.0-RC11, section 3.2.
"""

from __future__ import annotations

from recollect.errors import Fix, RecollectError, nearest
from recollect.kernel.lang.ast import Aggregate, Field, Function, SortKey, Variable
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_field import field_or_variable, single_value
from recollect.kernel.lang.parse_value import variable
from recollect.kernel.lang.repair.diagnose import meant
from recollect.kernel.lang.tokens import A_VARIABLE, is_named, is_word
from recollect.kernel.lang.words import AGGREGATES

FUNCTIONS = {one.value: one for one in Function}


def column(cursor: Cursor) -> Variable | Field | Aggregate:
    """Parse one column of FIND."""
    if is_named(cursor.token, "?"):
        return field_or_variable(cursor)
    if not is_word(cursor.token):
        raise cursor.unexpected(A_VARIABLE, *AGGREGATES)
    first = cursor.at
    function, name, is_distinct = _call(cursor)
    alias = variable(cursor) if cursor.take("AS") else None
    if alias is None and cursor.token not in (",", ")"):
        raise _no_as(cursor)
    return Aggregate(function, name, is_distinct, alias, span=cursor.since(first))


def order_by(cursor: Cursor) -> tuple[SortKey, ...]:
    """Parse ORDER BY, which stands here, and its keys."""
    cursor.advance()
    cursor.expect("BY")
    keys = [_sort_key(cursor)]
    while cursor.take(",") or cursor.token[0] == "?" or cursor.token in FUNCTIONS:
        keys.append(_sort_key(cursor))
    return tuple(keys)


def _sort_key(cursor: Cursor) -> SortKey:
    first = cursor.at
    key: Variable | Field | Aggregate
    if is_word(cursor.token):
        function, name, is_distinct = _call(cursor)
        key = Aggregate(function, name, is_distinct, span=cursor.since(first))
    else:
        key = single_value(cursor)
    is_descending = cursor.take("DESC")
    if not is_descending:
        cursor.take("ASC")
    return SortKey(key, is_descending, span=cursor.since(first))


def _no_as(cursor: Cursor) -> RecollectError:
    error = cursor.unexpected("AS", ",", ")")
    if is_named(cursor.token, "?"):
        alias = f"AS {cursor.token}"
        error.hint, error.fix = f"use {alias}", Fix(cursor.here(), alias)
    return error


def _call(cursor: Cursor) -> tuple[Function, Variable | Field, bool]:
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
    counted = field_or_variable(cursor)
    cursor.close(")")
    return function, counted, is_distinct


def _no_argument_parentheses(cursor: Cursor, function: str) -> RecollectError:
    first = cursor.at
    cursor.take("DISTINCT")
    field_or_variable(cursor)
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
