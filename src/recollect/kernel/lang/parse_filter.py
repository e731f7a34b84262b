"""The boolean expression of FILTER: `||` binds weaker than `&&`, and that weaker than `!`.

Tests as other languages write them, between their sides, are offered in KIP's form where one means
the same. KIP 1.0-draft3, filter clause.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import RecollectError
from recollect.kernel.lang.ast import (
    And,
    ArrayValue,
    Compare,
    Comparison,
    Expression,
    FilterClause,
    Literal,
    Not,
    ObjectValue,
    Operand,
    Or,
    Parameter,
    TestIn,
    TestNull,
    TestText,
)
from recollect.kernel.lang.cursor import Cursor, at_parameter, single_value, value
from recollect.kernel.lang.repair.synonyms import Where, synonyms
from recollect.kernel.lang.tokens import A_VALUE, A_VARIABLE, is_named, is_word
from recollect.kernel.lang.words import COMPARISONS, TESTS, VALUES

OPERATORS = {one.value: one for one in Comparison}
OTHER_NAMES = synonyms(Where.TEST)


def filter_clause(cursor: Cursor) -> FilterClause:
    """Parse `FILTER(expression)`."""
    first = cursor.at
    cursor.advance()
    cursor.open("(")
    expression = _or(cursor)
    cursor.take(",")
    cursor.close(")", "&&", "||")
    return FilterClause(expression, span=cursor.since(first))


def _or(cursor: Cursor) -> Expression:
    return _joined(cursor, _and, "||", Or)


def _and(cursor: Cursor) -> Expression:
    return _joined(cursor, _unary, "&&", And)


def _joined(
    cursor: Cursor, operand: Callable[[Cursor], Expression], sign: str, of: type[And | Or]
) -> Expression:
    first, operands = cursor.at, [operand(cursor)]
    while cursor.take(sign):
        operands.append(operand(cursor))
    return of(tuple(operands), span=cursor.since(first)) if len(operands) > 1 else operands[0]


def _unary(cursor: Cursor) -> Expression:
    cursor.pulse()
    token = cursor.token
    if token == "!":
        first = cursor.at
        cursor.descend()
        cursor.advance()
        operand = _unary(cursor)
        cursor.ascend()
        return Not(operand, span=cursor.since(first))
    if token == "(":
        cursor.open("(")
        inner = _or(cursor)
        cursor.close(")", "&&", "||")
        return inner
    if is_word(token) and token not in VALUES:
        return _test(cursor)
    if cursor.at_end:
        error = cursor.unexpected(A_VARIABLE, A_VALUE)
        cursor.expected = (*cursor.expected, *TESTS)  # too many to say, but not to propose
        raise error
    return _compare(cursor)


def _compare(cursor: Cursor) -> Expression:
    first = cursor.at
    left = _operand(cursor)
    operator = OPERATORS.get(cursor.token)
    if operator is None:
        raise cursor.unexpected(*COMPARISONS)
    cursor.advance()
    right = _operand(cursor)
    return Compare(operator, left, right, span=cursor.since(first))


def _test(cursor: Cursor) -> Expression:
    first = cursor.at
    name = cursor.token
    if name not in TESTS:
        raise _unknown_test(cursor)
    cursor.advance()
    cursor.open("(")
    operand = _operand(cursor)
    if name in ("IS_NULL", "IS_NOT_NULL"):
        cursor.take(",")
        cursor.close(")")
        return TestNull(operand, name == "IS_NOT_NULL", span=cursor.since(first))
    cursor.expect(",")
    if name == "IN":
        choices = _choices(cursor)
        cursor.take(",")
        cursor.close(")")
        return TestIn(operand, choices, span=cursor.since(first))
    part = _operand(cursor)
    cursor.take(",")
    cursor.close(")")
    return TestText(name, operand, part, span=cursor.since(first))


def _unknown_test(cursor: Cursor) -> RecollectError:
    name = cursor.token
    if name.upper() in TESTS:
        return cursor.unexpected(*TESTS)
    if cursor.next_token() != "(":
        return cursor.unexpected(A_VARIABLE, A_VALUE, "!", "(")
    return cursor.unknown("FILTER has no function", name, TESTS, OTHER_NAMES.get(name.upper()))


def _operand(cursor: Cursor) -> Operand:
    if is_named(cursor.token, "?"):
        return single_value(cursor)
    if cursor.token[0] not in '"$:[{-+.' and not cursor.token[0].isalnum():
        raise cursor.unexpected(A_VARIABLE, A_VALUE)
    found = value(cursor)
    if isinstance(found, ArrayValue | ObjectValue):
        raise cursor.error(
            "a placeholder stands inside an array or object that is compared",
            span=found.span,
            hint="bind the whole array or object to one placeholder",
        )
    return found


def _choices(cursor: Cursor) -> Literal | Parameter | ArrayValue:
    if cursor.token != "[" and not at_parameter(cursor):
        raise cursor.unexpected("[", "a placeholder")
    found = value(cursor)
    assert not isinstance(found, ObjectValue)  # a bracket opened it
    return found
