"""What a variable can hold, and the rules of values: equality, order, null.

A variable holds the id of an element; or a value together with its owner, the element it was
read from; or nothing. Equality is by type, except that 1 equals 1.0 (and true is not 1).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from recollect.errors import REFERENCE_ERROR, RecollectError
from recollect.kernel.lang import ast
from recollect.model import Value

Parameters = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Read:
    """A value read from an element; predicate names, and values of nothing, have no owner."""

    value: Value
    owner: int | None


Binding = int | Read | None
Row = dict[str, Binding]


def is_null(binding: Binding) -> bool:
    return binding is None or (isinstance(binding, Read) and binding.value is None)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def canonical(value: Value) -> str:
    """Return the JSON text that equal arrays and objects share."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Value) -> Value:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_plain(one) for one in value]
        case dict():
            return {key: _plain(one) for key, one in value.items()}
        case _:
            return value


def value_key(value: Value) -> tuple[object, ...]:
    """Return what two values share exactly when they are equal."""
    match value:
        case None:
            return ("null",)
        case bool():
            return ("bool", value)
        case int() | float():
            return ("number", value)
        case str():
            return ("string", value)
        case list() | dict():
            return ("json", canonical(value))


def identity(binding: Binding) -> tuple[object, ...] | None:
    """Return what makes two bindings one: the element, or the owner with the value."""
    match binding:
        case int():
            return ("element", binding)
        case Read(value=None, owner=None) | None:
            return None
        case Read():
            return (binding.owner, *value_key(binding.value))


def group_key(binding: Binding) -> tuple[object, ...]:
    """Return what makes two bindings one value, whoever owns it."""
    match binding:
        case int():
            return ("element", binding)
        case Read():
            return value_key(binding.value)
        case None:
            return value_key(None)


def joins(one: Binding, other: Binding) -> bool:
    """Whether two bindings of one variable agree; null agrees with nothing."""
    return not is_null(one) and group_key(one) == group_key(other)


def sort_key(binding: Binding) -> tuple[bool, int, object]:
    """Return the place in ascending order: elements by birth, values by type, nulls last."""
    match binding:
        case int():
            return (False, 0, binding)
        case None | Read(value=None):
            return (True, 0, 0)
        case Read(value=bool() as value):
            return (False, 1, value)
        case Read(value=int() | float() as value):
            return (False, 2, value)
        case Read(value=str() as value):
            return (False, 3, value)
        case Read():
            return (False, 4, canonical(binding.value))


def resolve(node: ast.ValueNode, parameters: Parameters) -> Value:
    """Return the JSON value a node stands for."""
    match node:
        case ast.Literal():
            return node.value
        case ast.Parameter():
            if node.name not in parameters:
                raise RecollectError(REFERENCE_ERROR, f"parameter ${node.name} has no value")
            return parameters[node.name]
        case ast.ArrayValue():
            return [resolve(one, parameters) for one in node.items]
        case ast.ObjectValue():
            return {key: resolve(one, parameters) for key, one in node.members}
