"""The parts of a tree that stand on one line: values, patterns, paths, expressions, columns."""

from __future__ import annotations

import re
from typing import assert_never

import orjson

from recollect.kernel.lang.ast import (
    Aggregate,
    And,
    ArrayValue,
    Assignment,
    Compare,
    Computed,
    ConceptPattern,
    Expression,
    Field,
    Handle,
    LinkId,
    LinkPattern,
    LinkTarget,
    Literal,
    Not,
    ObjectValue,
    Or,
    Parameter,
    Path,
    SortKey,
    Step,
    TestIn,
    TestNull,
    TestText,
    ValueNode,
    Variable,
)
from recollect.kernel.lang.tokens import IDENTIFIER

_TURNING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Inline = (
    Variable
    | Field
    | Handle
    | ValueNode
    | ConceptPattern
    | LinkPattern
    | LinkTarget
    | LinkId
    | Path
    | Step
    | Expression
    | Aggregate
    | SortKey
    | Computed
    | Assignment
)


def inline(node: Inline) -> str:
    """Return the text of a node on one line.

    >>> inline(Step(Literal("is_a", '"is_a"'), 0, None))
    '"is_a"{0,}'
    """
    match node:
        case Variable(name):
            return f"?{name}"
        case Field(variable, path):
            return ".".join((inline(variable), *map(_field, path)))
        case Handle(name):
            return f"@{name}"
        case Literal() | Parameter() | ArrayValue() | ObjectValue():
            return _value(node)
        case ConceptPattern(type_, name, id_):
            keys = (("type", type_), ("name", name), ("id", id_))
            given = [f"{key}: {_value(one)}" for key, one in keys if one is not None]
            return f"{{{', '.join(given)}}}"
        case LinkPattern(subject, path, object_):
            return f"({inline(subject)}, {inline(path)}, {inline(object_)})"
        case LinkTarget(subject, predicate, object_):
            return f"({inline(subject)}, {inline(predicate)}, {inline(object_)})"
        case LinkId(id_):
            return f"(id: {_value(id_)})"
        case Path(steps):
            return " | ".join(map(inline, steps))
        case Step(predicate, minimum, maximum):
            return _value(predicate) + _quantifier(minimum, maximum)
        case Aggregate(function, variable, distinct, alias):
            inside = f"DISTINCT {inline(variable)}" if distinct else inline(variable)
            return f"{function}({inside})" + (f" AS {inline(alias)}" if alias else "")
        case SortKey(key, is_descending):
            return inline(key) + (" DESC" if is_descending else "")
        case Computed(function, operands):
            return f"{function}({', '.join(map(inline, operands))})"
        case Assignment(key, value):
            return f"{key_text(key)}: {inline(value)}"
        case _:
            return _expression(node)


def _value(node: ValueNode) -> str:
    match node:
        case Parameter(name):
            return f"${name}"
        case Literal(value):
            return json_text(value)
        case ArrayValue(items):
            return f"[{', '.join(map(_value, items))}]"
        case ObjectValue(members):
            return f"{{{', '.join(f'{key_text(key)}: {_value(one)}' for key, one in members)}}}"
        case _:
            assert_never(node)


def json_text(value: object) -> str:
    """Return a value of JSON as the language writes it."""
    match value:
        case list():
            return f"[{', '.join(map(json_text, value))}]"
        case dict():
            members = [f"{key_text(key)}: {json_text(one)}" for key, one in value.items()]
            return f"{{{', '.join(members)}}}"
        case _:
            return visible(orjson.dumps(value).decode())


def visible(json_text: str) -> str:
    r"""Return an equal JSON text in which nothing is obeyed or turned by what shows it.

    Control characters and those that change the direction of their neighbours become escapes, so
    that a text can be read by people wherever it goes.

    >>> visible('"a\u202eb"') == '"a\\u202eb"'
    True
    """
    return json_text if json_text.isprintable() else _TURNING.sub(_escape, json_text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def key_text(key: str) -> str:
    """Return a key of an object, in quotes where it needs them."""
    return key if BARE_KEY.fullmatch(key) else json_text(key)


def _field(word: str) -> str:
    return word if IDENTIFIER.fullmatch(word) else json_text(word)


def _quantifier(minimum: int, maximum: int | None) -> str:
    if minimum == maximum:
        return "" if minimum == 1 else f"{{{minimum}}}"
    return f"{{{minimum},{'' if maximum is None else maximum}}}"


def _expression(node: Expression) -> str:
    match node:
        case Compare(operator, left, right):
            return f"{inline(left)} {operator} {inline(right)}"
        case TestText(function, text, part):
            return f"{function}({inline(text)}, {inline(part)})"
        case TestIn(value, choices):
            return f"IN({inline(value)}, {inline(choices)})"
        case TestNull(value, negated):
            return f"{'IS_NOT_NULL' if negated else 'IS_NULL'}({inline(value)})"
        case Not(operand):
            return f"!{_grouped(operand, (And, Or, Compare))}"
        case And(operands):
            return " && ".join(_grouped(one, (And, Or)) for one in operands)
        case Or(operands):
            return " || ".join(_grouped(one, (Or,)) for one in operands)
        case _:
            assert_never(node)


def _grouped(operand: Expression, weak: tuple[type[Expression], ...]) -> str:
    text = _expression(operand)
    return f"({text})" if isinstance(operand, weak) else text
