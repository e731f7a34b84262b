"""The values of a request: checked once before a text meets them, then bound to its placeholders.

The rule: what passes is JSON that every store can hold, whatever the text does with it, and a
placeholder meets its value at the level of tokens, never of text. `bind_values` puts values into
the trees that are not compiled; `lift` makes a query's shape and values of them. KIP 1.0-draft3,
"Request & Response"; docs/kip/requests.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from operator import is_
from typing import Any, TypeVar, assert_never, cast

import orjson

from recollect.errors import (
    INVALID_SYNTAX,
    INVALID_VALUE,
    REFERENCE_ERROR,
    RecollectError,
    Span,
    give_parameter,
    nearest,
)
from recollect.kernel.lang import ast
from recollect.kernel.plan.scope import canonical_name
from recollect.kernel.plan.values import fault, unfit
from recollect.model import Value
from recollect.node import dataclass, field, replace


def check_parameters(values: Mapping[str, object], max_depth: int) -> None:
    """Raise KIP_2003 for what JSON or 64 bits cannot hold, KIP_4002 for what nests too deep.

    >>> check_parameters({"limit": 10, "names": ["Aspirin", None]}, max_depth=2)
    """
    if not isinstance(values, Mapping):
        raise unfit(
            "the parameters", f"no object but what is of type {type(values).__name__}", max_depth
        )
    for name, value in values.items():
        if not isinstance(name, str):
            raise unfit("the parameters", f"a name of type {type(name).__name__}", max_depth)
        if reason := fault(name, max_depth) or fault(value, max_depth):
            shown = name.encode("utf-8", "replace").decode()
            raise unfit(f"parameter {shown}", reason, max_depth)


NodeT = TypeVar("NodeT", bound=ast.Node)


@dataclass(slots=True)
class Bindings:
    """The parameters of one request, and which of them a text has used."""

    values: Mapping[str, Value]
    used: set[str] = field(default_factory=set)

    def value(self, node: ast.Literal | ast.Parameter) -> Value:
        """Return the value of a literal or placeholder.

        Raises KIP_3001 for a placeholder without a value.
        """
        if isinstance(node, ast.Literal):
            return cast(Value, node.value)
        if node.name not in self.values:
            raise self._no_value(node)
        self.used.add(node.name)
        return self.values[node.name]

    def _no_value(self, node: ast.Parameter) -> RecollectError:
        signed = next((one for one in self.values if one in (f"${node.name}", f":{node.name}")), "")
        near = () if signed else nearest(node.name, self.values)
        hint = f"use ${near[0]}" if near else give_parameter(node.name)
        return RecollectError(
            REFERENCE_ERROR,
            f"parameter ${node.name} has no value"
            + (f': its name is "{node.name}", not "{signed}"' if signed else ""),
            hint=give_parameter(node.name) if signed else hint,
            span=node.span,
            known=tuple(f"${name}" for name in near),
        )

    def composed(self, node: ast.ValueNode) -> Value:
        """Return the value of an array or object with placeholders in it, or of any value."""
        match node:
            case ast.Literal() | ast.Parameter():
                return self.value(node)
            case ast.ArrayValue():
                return [self.composed(item) for item in node.items]
            case ast.ObjectValue():
                return {key: self.composed(value) for key, value in node.members}
            case _:
                assert_never(node)

    def string(self, node: ast.Text, what: str) -> str:
        """Return a name in NFC. Raises KIP_2003 for what is not text, KIP_1002 for no name."""
        return canonical_name(self.text(node, what), node.span)

    def text(self, node: ast.Text, what: str) -> str:
        """Return a non-empty text as it is. Raises KIP_2003 for anything else."""
        value = self.value(node)
        if not isinstance(value, str) or not value:
            raise wrong_value(f"{what} is not a non-empty string", value, node.span)
        return value

    def page(self, node: ast.Text) -> str:
        """Return a cursor. Raises KIP_2003 for what is not text, or empty."""
        value = self.value(node)
        if value is None or value == "":
            error = wrong_value("the cursor is empty", value, node.span)
            error.hint = "leave CURSOR out for the first page"
            raise error
        return self.text(node, "the cursor")

    def key(self, node: ast.Text) -> str:
        """Return a key of attributes or metadata, as it is. Raises KIP_2003 for a non-string."""
        value = self.value(node)
        if not isinstance(value, str):
            raise wrong_value("a key is not a string", value, node.span)
        return value

    def whole(self, node: ast.Size, what: str) -> int:
        """Return a count, zero or more. Raises KIP_1001 for anything else."""
        value = self.value(node)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise RecollectError(
                INVALID_SYNTAX,
                f"{what} is not a whole number, zero or more: {_shown(value)}",
                hint=f"write {what} 10",
                span=node.span,
            )
        return min(value, 2**62)


def wrong_value(message: str, value: Value, span: Span) -> RecollectError:
    """Return the error for a value of the wrong JSON type, or for an empty text."""
    hint = "give at least one word" if value == "" else "pass a JSON string"
    return RecollectError(INVALID_VALUE, f"{message}: {_shown(value)}", hint=hint, span=span)


def _shown(value: Value) -> str:
    text = orjson.dumps(value, default=repr).decode()
    return text if len(text) <= 40 else text[:37] + "..."


def bind_values(node: NodeT, bindings: Bindings) -> NodeT:
    """Return the tree with every placeholder replaced by a literal."""
    return cast(NodeT, _bound(node, bindings))


def _bound(part: object, bindings: Bindings) -> object:
    """Return a part of the tree with its placeholders replaced; the part itself if it has none."""
    match part:
        case ast.Parameter():
            return literal(bindings.value(part), part.span)
        case ast.ArrayValue() | ast.ObjectValue():
            return literal(bindings.composed(part), part.span)
        case tuple():
            bound = tuple([_bound(one, bindings) for one in part])
            return part if all(map(is_, bound, part)) else bound
    if isinstance(part, ast.Node):
        changed: dict[str, Any] = {}
        for name in _PARTS[type(part)]:
            before = getattr(part, name)
            if not isinstance(before, ast.Literal) and isinstance(before, _COMPOUND):
                after = _bound(before, bindings)
                if after is not before:
                    changed[name] = after
        return replace(part, **changed) if changed else part
    return part


class _BoundParts(dict[type, tuple[str, ...]]):
    """The names of the fields of each kind of node, less its place, listed when first met."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        """Return the fields of a kind of node, and keep them."""
        self[kind] = names = tuple(each.name for each in fields(kind) if each.name != "span")
        return names


_PARTS = _BoundParts()
_COMPOUND = (ast.Node, tuple)


def literal(value: Value, span: Span = ast.NOWHERE) -> ast.Literal:
    """Return a literal node. Raises KIP_2003 for what JSON cannot say."""
    try:
        return ast.Literal(value, orjson.dumps(value).decode(), span=span)
    except (TypeError, orjson.JSONEncodeError) as fault:
        raise RecollectError(
            INVALID_VALUE,
            f"a value is outside the JSON data model: {fault}",
            hint="pass null, booleans, 64-bit integers, finite numbers, strings, lists, objects",
            span=span,
        ) from fault
