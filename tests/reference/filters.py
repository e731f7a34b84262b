"""FILTER: two-valued logic over one row."""

from __future__ import annotations

import operator
from collections.abc import Callable

import re2
from tests.reference.values import (
    Binding,
    Parameters,
    Read,
    Row,
    group_key,
    is_null,
    is_number,
    resolve,
)

from recollect.errors import INVALID_SYNTAX, INVALID_VALUE, RecollectError
from recollect.kernel.lang import ast

ORDERINGS: dict[ast.Comparison, Callable[[object, object], bool]] = {
    ast.Comparison.LT: operator.lt,
    ast.Comparison.GT: operator.gt,
    ast.Comparison.LE: operator.le,
    ast.Comparison.GE: operator.ge,
}


Fields = Callable[[Row, ast.Field], Binding]
"""What a field of a row's element holds."""


def holds(expression: ast.Expression, row: Row, parameters: Parameters, fields: Fields) -> bool:
    """Whether a row passes; a variable the row does not have is null."""

    def operand(node: ast.Operand) -> Binding:
        if isinstance(node, ast.Variable):
            return row.get(node.name)
        if isinstance(node, ast.Field):
            return fields(row, node)
        return Read(resolve(node, parameters), None)

    match expression:
        case ast.Compare():
            return compare(expression.operator, operand(expression.left), operand(expression.right))
        case ast.TestText():
            return text_test(
                expression.function, operand(expression.text), operand(expression.part)
            )
        case ast.TestIn():
            choices = resolve(expression.choices, parameters)
            if not isinstance(choices, list):
                raise RecollectError(INVALID_VALUE, "IN wants an array")
            value = group_key(operand(expression.value))
            return any(value == group_key(Read(one, None)) for one in choices)
        case ast.TestNull():
            return is_null(operand(expression.value)) != expression.negated
        case ast.Not():
            return not holds(expression.operand, row, parameters, fields)
        case ast.And():
            return all(holds(one, row, parameters, fields) for one in expression.operands)
        case ast.Or():
            return any(holds(one, row, parameters, fields) for one in expression.operands)


def compare(comparison: ast.Comparison, left: Binding, right: Binding) -> bool:
    """Compare two operands: equality is by identity and value, order wants two of one type."""
    match comparison:
        case ast.Comparison.EQ:
            return group_key(left) == group_key(right)
        case ast.Comparison.NE:
            return group_key(left) != group_key(right)
    if not (isinstance(left, Read) and isinstance(right, Read)):
        return False
    one, other = left.value, right.value
    both_numbers = is_number(one) and is_number(other)
    both_strings = isinstance(one, str) and isinstance(other, str)
    return (both_numbers or both_strings) and ORDERINGS[comparison](one, other)


def text_test(function: str, text: Binding, part: Binding) -> bool:
    """Apply a string function; it is false on anything but two strings."""
    whole = text.value if isinstance(text, Read) else None
    piece = part.value if isinstance(part, Read) else None
    if not (isinstance(whole, str) and isinstance(piece, str)):
        return False
    match function:
        case "CONTAINS":
            return piece in whole
        case "STARTS_WITH":
            return whole.startswith(piece)
        case "ENDS_WITH":
            return whole.endswith(piece)
        case "REGEX":
            try:
                return re2.search(piece, whole) is not None
            except re2.error as problem:
                raise RecollectError(INVALID_SYNTAX, "the pattern is not RE2") from problem
