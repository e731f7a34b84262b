"""The boolean expression of FILTER: `||` binds weaker than `&&`, and that weaker than `!`.

KIP 1.0-draft3, filter clause.
"""

from __future__ import annotations

from recollect.errors import Fix, RecollectError, nearest
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
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.infix import infix_test
from recollect.kernel.lang.parse_field import single_value
from recollect.kernel.lang.parse_value import at_parameter, value
from recollect.kernel.lang.repair.diagnose import meant
from recollect.kernel.lang.repair.synonyms import Where, synonyms
from recollect.kernel.lang.tokens import A_VALUE, A_VARIABLE, is_named, is_word
from recollect.kernel.lang.words import COMPARISONS, TESTS, VALUES

OPERATORS = {one.value: one for one in Comparison}
OTHER_NAMES = synonyms(Where.TEST)


def filter_clause(cursor: Cursor) -> FilterClause:
    """Parse `FILTER(expression)`."""
    first = cursor.at
    cursor.advance()
    if cursor.token[0] in "?!" or cursor.token in TESTS:
        raise _no_parentheses(cursor)
    if "EXISTS" in (cursor.token.upper(), cursor.at_end or cursor.next_token().upper()):
        raise _exists(cursor, first)
    cursor.open("(")
    expression = _or(cursor)
    cursor.take(",")
    cursor.close(")", "&&", "||")
    return FilterClause(expression, span=cursor.since(first))


def _exists(cursor: Cursor, first: int) -> RecollectError:
    """Return the error for `FILTER NOT EXISTS { ... }` and `FILTER EXISTS { ... }`."""
    is_negated = cursor.token.upper() == "NOT"
    message = "FILTER compares values; it does not test whether a clause holds"
    if not is_negated:
        hint = "write the clauses by themselves: they have to be satisfied"
        return cursor.settled(cursor.error(message, hint=hint))
    cursor.jump(2)
    return cursor.error(message, span=cursor.since(first), hint="use NOT { ... }", fix="NOT")


def _no_parentheses(cursor: Cursor) -> RecollectError:
    first = cursor.at
    _or(cursor)
    return cursor.unwrapped("the condition of FILTER stands in parentheses", first, "FILTER", "()")


def _or(cursor: Cursor) -> Expression:
    first = cursor.at
    operand = _and(cursor)
    if cursor.token != "||":
        return operand
    operands = [operand]
    while cursor.take("||"):
        operands.append(_and(cursor))
    return Or(tuple(operands), span=cursor.since(first))


def _and(cursor: Cursor) -> Expression:
    first = cursor.at
    operand = _unary(cursor)
    if cursor.token != "&&":
        return operand
    operands = [operand]
    while cursor.take("&&"):
        operands.append(_unary(cursor))
    return And(tuple(operands), span=cursor.since(first))


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
        raise _no_operator(cursor, first)
    cursor.advance()
    right = _operand(cursor)
    if cursor.token in OPERATORS:
        raise cursor.error(
            f"a comparison has two sides, found a second `{cursor.token}`",
            hint="join two comparisons with `&&`",
        )
    return Compare(operator, left, right, span=cursor.since(first))


def _no_operator(cursor: Cursor, first: int) -> RecollectError:
    written = cursor.text_since(first)
    if cursor.token not in (")", "&&", "||"):
        return infix_test(cursor, first) or cursor.unexpected(*COMPARISONS)
    if written[0] != "?":
        message = f"the value {written} is not a condition"
        return cursor.error(message, span=cursor.since(first), hint="compare it with a variable")
    is_negated = cursor.tokens.texts[first - 1] == "!"
    place = cursor.since(first - 1 if is_negated else first)
    better = f"{written} == {'false' if is_negated else 'true'}"
    message = f"the variable {written} alone is not a condition"
    return cursor.error(message, span=place, hint=f"use {better}", fix=better)


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
    better = OTHER_NAMES.get(name.upper()) or meant(name, TESTS)
    return cursor.error(
        f"FILTER has no function {name[:40]}",
        hint=f"use {better or 'one of ' + ', '.join(TESTS)}",
        known=nearest(name[:40], TESTS) or ((better,) if better else TESTS),
        fix=better,
    )


def _operand(cursor: Cursor) -> Operand:
    if is_named(cursor.token, "?"):
        return single_value(cursor)
    if cursor.token[0] not in '"$:[{-+.' and not cursor.token[0].isalnum():
        raise cursor.unexpected(A_VARIABLE, A_VALUE)
    if cursor.next_token() == "(" and is_word(cursor.token):
        raise cursor.error(
            f"the function {cursor.token} stands where a value is expected",
            hint="a function is a condition of its own, joined with `&&` or `||`",
        )
    found = value(cursor)
    if isinstance(found, ArrayValue | ObjectValue):
        raise cursor.error(
            "a placeholder stands inside an array or object that is compared",
            span=found.span,
            hint="bind the whole array or object to one placeholder",
        )
    return found


def _no_choices(cursor: Cursor) -> RecollectError:
    token = cursor.token
    error = cursor.unexpected("[", "a placeholder")
    if token[0] == '"' or token[0].isdecimal():
        better = f"[{token}]"
        error.hint, error.fix = f"use {better}", Fix(cursor.here(), better)
    error.hint = error.hint or "write the choices as [1, 2]"
    return error


def _choices(cursor: Cursor) -> Literal | Parameter | ArrayValue:
    if cursor.token != "[" and not at_parameter(cursor):
        raise _no_choices(cursor)
    found = value(cursor)
    assert not isinstance(found, ObjectValue)  # a bracket opened it
    return found
