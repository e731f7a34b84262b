"""The boolean expression of FILTER: `||` binds weaker than `&&`, and that weaker than `!`.

Tests as other languages write them, between their sides, are offered in KIP's form where one means
the same. KIP 1.0-draft3, filter clause.
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
from recollect.kernel.lang.cursor import Cursor, at_parameter, single_value, string, value
from recollect.kernel.lang.repair.diagnose import meant
from recollect.kernel.lang.repair.synonyms import Where, synonyms
from recollect.kernel.lang.tokens import A_VALUE, A_VARIABLE, is_named, is_word, quoted
from recollect.kernel.lang.words import COMPARISONS, TESTS, VALUES

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
