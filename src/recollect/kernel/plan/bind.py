"""The values of a request: bound to the placeholders of a text, lifted out of its tree.

The rule: a placeholder meets its value at the level of tokens, never of text. `bind_values` puts
values into the trees that are not compiled. `lift` makes a query's shape and values of them: the
shape is the key of the plan cache, and keeps types, predicates, keys, path bounds and the type
class of each value; names, ids and compared values become parameters named by class and position:
`string0`, `number1`. KIP 1.0-draft3, data types, "Request & Response"; docs/kip/requests.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
from recollect.kernel.lang.words import REGEX
from recollect.kernel.store.cells import canonical_name
from recollect.model import Value
from recollect.node import dataclass, field, replace

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
        return REFERENCE_ERROR.error(
            f"parameter ${node.name} has no value"
            + (f': its name is "{node.name}", not "{signed}"' if signed else ""),
            give_parameter(node.name) if signed else hint,
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
            raise INVALID_SYNTAX.error(
                f"{what} is not a whole number, zero or more: {_shown(value)}",
                f"write {what} 10",
                span=node.span,
            )
        return min(value, 2**62)


def wrong_value(message: str, value: Value, span: Span) -> RecollectError:
    """Return the error for a value of the wrong JSON type, or for an empty text."""
    hint = "give at least one word" if value == "" else "pass a JSON string"
    return INVALID_VALUE.error(f"{message}: {_shown(value)}", hint, span=span)


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
        raise INVALID_VALUE.error(
            f"a value is outside the JSON data model: {fault}",
            "pass null, booleans, 64-bit integers, finite numbers, strings, lists, objects",
            span=span,
        ) from fault


NULL = ast.Literal(None, "null")


def class_of(parameter: ast.Parameter) -> str:
    """Return the type class that lifting put in a parameter's name."""
    return parameter.name.rstrip("0123456789")


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter of the shape whose value is one of the request's, of the same class."""

    slot: str
    placeholder: str
    class_: str  # string | number | boolean, or name | id: a string that is not empty

    def value(self, values: Mapping[str, Value]) -> Value:
        """Return this request's value; a LookupError where the shape does not fit it."""
        value = values[self.placeholder]
        if _CLASSES.get(type(value)) == self.class_:
            return value
        if self.class_ in ("name", "id") and isinstance(value, str) and value:
            return canonical_name(value)
        raise LookupError(self.placeholder)


_CLASSES: dict[type, str] = {str: "string", int: "number", float: "number", bool: "boolean"}


class Lifting:
    """Lifts the clauses of one query."""

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self.values: dict[str, Value] = {}
        self.given: list[Given] = []
        self.literals: dict[str, int] = {}  # slot -> where its string begins in the text
        self.patterns: list[ast.Parameter] = []  # what REGEX compiles
        self.is_shaped = False  # whether a placeholder stands where its value is in the shape

    def clauses(self, clauses: Iterable[ast.Clause]) -> tuple[ast.Clause, ...]:
        """Return the clauses with their constants as parameters."""
        return tuple([self._clause(clause) for clause in clauses])

    def _clause(self, clause: ast.Clause) -> ast.Clause:
        match clause:
            case ast.ConceptClause():
                pattern = self._concept(clause.pattern)
                return ast.ConceptClause(clause.variable, pattern, span=clause.span)
            case ast.LinkClause():
                link = self._any_link(clause.pattern)
                if link is clause.pattern:
                    return clause
                return ast.LinkClause(clause.variable, link, span=clause.span)
            case ast.ReadClause():
                target: ast.Target = clause.target
                if isinstance(target, ast.ConceptPattern):
                    target = self._concept(target)
                elif not isinstance(target, ast.Variable):
                    target = self._any_link(target)
                key = self._shaped(clause.key, self._bindings.key(clause.key))
                if target is clause.target and key is clause.key:
                    return clause
                return ast.ReadClause(clause.section, target, key, clause.value, span=clause.span)
            case ast.FilterClause():
                return ast.FilterClause(self._expression(clause.expression), span=clause.span)
            case ast.NotClause() | ast.OptionalClause() | ast.UnionClause():
                return type(clause)(self.clauses(clause.clauses), span=clause.span)
            case _:
                assert_never(clause)

    def _concept(self, pattern: ast.ConceptPattern) -> ast.ConceptPattern:
        return ast.ConceptPattern(
            type=None if pattern.type is None else self._kept(pattern.type, "type"),
            name=None if pattern.name is None else self._named(pattern.name, "name"),
            id=None if pattern.id is None else self._named(pattern.id, "id"),
            span=pattern.span,
        )

    def _any_link(self, pattern: ast.LinkPattern | ast.LinkId) -> ast.LinkPattern | ast.LinkId:
        if isinstance(pattern, ast.LinkId):
            return ast.LinkId(self._named(pattern.id, "id"), span=pattern.span)
        return self._link(pattern)

    def _link(self, pattern: ast.LinkPattern) -> ast.LinkPattern:
        subject, predicate = self._end(pattern.subject), pattern.predicate
        if isinstance(predicate, ast.Path):
            predicate = self._path(predicate)
        object_ = self._end(pattern.object)
        if (
            subject is pattern.subject
            and predicate is pattern.predicate
            and object_ is pattern.object
        ):
            return pattern
        return ast.LinkPattern(subject, predicate, object_, span=pattern.span)

    def _path(self, path: ast.Path) -> ast.Path:
        steps = tuple([self._step(one) for one in path.steps])
        return path if all(map(is_, steps, path.steps)) else ast.Path(steps, span=path.span)

    def _step(self, step: ast.Step) -> ast.Step:
        predicate = self._kept(step.predicate, "a predicate")
        if predicate is step.predicate:
            return step
        return ast.Step(predicate, step.minimum, step.maximum, span=step.span)

    def _end(self, end: ast.End) -> ast.End:
        match end:
            case ast.Variable():
                return end
            case ast.ConceptPattern():
                return self._concept(end)
            case ast.LinkPattern() | ast.LinkId():
                return self._any_link(end)
            case _:
                assert_never(end)

    def _expression(self, expression: ast.Expression) -> ast.Expression:
        match expression:
            case ast.Compare():
                left, right = self._operand(expression.left), self._operand(expression.right)
                return ast.Compare(expression.operator, left, right, span=expression.span)
            case ast.TestText():
                part = self._operand(expression.part)
                if expression.function == REGEX and isinstance(part, ast.Parameter):
                    self.patterns.append(part)
                text = self._operand(expression.text)
                return ast.TestText(expression.function, text, part, span=expression.span)
            case ast.TestIn():
                value = self._operand(expression.value)
                return ast.TestIn(value, self._choices(expression.choices), span=expression.span)
            case ast.TestNull():
                value = self._operand(expression.value)
                return ast.TestNull(value, expression.negated, span=expression.span)
            case ast.Not():
                return ast.Not(self._expression(expression.operand), span=expression.span)
            case ast.And() | ast.Or():
                operands = tuple([self._expression(one) for one in expression.operands])
                return type(expression)(operands, span=expression.span)
            case _:
                assert_never(expression)

    def _operand(self, operand: ast.Operand) -> ast.Operand:
        if isinstance(operand, ast.READS):
            return operand
        return self._value(self._bindings.value(operand), operand)

    def _choices(self, node: ast.Literal | ast.Parameter | ast.ArrayValue) -> ast.ArrayValue:
        if isinstance(node, ast.ArrayValue):
            choices = [self._bindings.composed(item) for item in node.items]
            self.is_shaped = True
        else:
            value = self._bindings.value(node)
            if not isinstance(value, list):
                raise INVALID_VALUE.error(
                    "the second argument of IN is not an array",
                    'write IN(?value, ["a", "b"])',
                    span=node.span,
                )
            choices = value
            self.is_shaped |= isinstance(node, ast.Parameter)
        return ast.ArrayValue(tuple(self._classes(choices, node)), span=node.span)

    def _classes(
        self, choices: list[Value], node: ast.Node
    ) -> Iterator[ast.Literal | ast.Parameter]:
        """Yield one parameter for all strings, one for all numbers, and the others as they are.

        So the shape of IN does not depend on how long its list is.
        """
        strings: list[Value] = [choice for choice in choices if isinstance(choice, str)]
        numbers: list[Value] = [
            choice
            for choice in choices
            if isinstance(choice, int | float) and not isinstance(choice, bool)
        ]
        if strings:
            yield self._new("strings", literal(strings, node.span).json, node)
        if numbers:
            yield self._new("numbers", literal(numbers, node.span).json, node)
        others = [one for one in choices if one is None or isinstance(one, bool | list | dict)]
        yield from dict.fromkeys(self._value(choice, node) for choice in others)

    def _value(self, value: Value, node: ast.Node) -> ast.Literal | ast.Parameter:
        match value:
            case None:
                self.is_shaped |= isinstance(node, ast.Parameter)
                return NULL
            case bool():
                return self._new("boolean", value, node)
            case int() | float():
                literal(value, node.span)  # refuses what JSON cannot say
                return self._new("number", value, node)
            case str():
                literal(value, node.span)
                return self._new("string", value, node)
            case _:
                self.is_shaped |= isinstance(node, ast.Parameter)
                return self._new("container", literal(value, node.span).json, node)

    def _new(self, class_: str, value: Value, node: ast.Node) -> ast.Parameter:
        name = f"{class_}{len(self.values)}"
        self.values[name] = value
        if isinstance(node, ast.Parameter):
            self.given.append(Given(name, node.name, class_))
        elif class_ in ("string", "name", "id"):
            self.literals[name] = node.span.start
        return ast.Parameter(name, span=node.span)

    def _named(self, text: ast.Text, what: str) -> ast.Parameter:
        return self._new(what, self._bindings.string(text, what), text)

    def _kept(self, text: ast.Text, what: str) -> ast.Literal:
        return self._shaped(text, self._bindings.string(text, what))

    def _shaped(self, text: ast.Text, value: str) -> ast.Literal:
        """Return what stays in the shape, as a literal."""
        if isinstance(text, ast.Literal) and text.value == value:
            return text
        self.is_shaped |= isinstance(text, ast.Parameter)
        return literal(value, text.span)
