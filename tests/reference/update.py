"""UPDATE: every element that WHERE finds, each from what it says itself, on a copy of the graph."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tests.reference.contents import content, version
from tests.reference.evaluate import Evaluator, unbound
from tests.reference.facts import moved
from tests.reference.find import solutions
from tests.reference.graph import Element, Graph
from tests.reference.mentions import Kind, kinds, name_targets
from tests.reference.values import Parameters, is_number, resolve

from recollect.errors import CONSTRAINT_VIOLATION, INVALID_SYNTAX, INVALID_VALUE, RecollectError
from recollect.kernel.lang import ast
from recollect.model import Value

Number = int | float


def update(
    graph: Graph, statement: ast.Update, parameters: Parameters
) -> tuple[Graph, dict[str, int]]:
    """Return the graph afterwards and the counts of the report."""
    after = graph.copy()
    found = found_by(after, statement.where, statement.target, parameters)
    if statement.limit is not None:
        limit = resolve(statement.limit, parameters)
        assert isinstance(limit, int)
        found = found[:limit]
    updated = 0
    for id in found:
        element = after.element(id)
        before = content(element)
        attributes = _told(after, element, statement.attributes, parameters)
        metadata = _told(after, element, statement.metadata, parameters)
        element.attributes |= attributes
        element.metadata |= metadata
        element.valid = moved(element.valid, metadata)
        updated += content(element) != before
    return after, {"updated": updated, "matched": len(found)}


def found_by(
    graph: Graph, where: Iterable[ast.Clause], target: ast.Variable, parameters: Parameters
) -> list[int]:
    """Return the elements a variable stands for, each once, in the order of the solutions."""
    named = name_targets(where)
    scope, rows = solutions(named, Evaluator(graph, parameters))
    if target.name not in scope:
        raise unbound([target.name])
    if kinds(named)[target.name] is Kind.VALUE:
        raise RecollectError(INVALID_SYNTAX, f"?{target.name} is a value")
    return [one for one in dict.fromkeys(row[target.name] for row in rows) if isinstance(one, int)]


def _told(
    graph: Graph, element: Element, assignments: Iterable[ast.Assignment], parameters: Parameters
) -> dict[str, Value]:
    told: dict[str, Value] = {}
    for one in assignments:
        if one.key.startswith("_"):
            raise RecollectError(CONSTRAINT_VIOLATION, f"{one.key} is reserved")
        if not isinstance(one.value, ast.Computed):
            told[one.key] = resolve(one.value, parameters)
        elif (number := _number(graph, element, one.value, parameters)) is not None:
            told[one.key] = number
    return told


def _value(graph: Graph, element: Element, term: ast.Term, parameters: Parameters) -> Value:
    """Return what an operand is: anything that the element holds, or a number."""
    match term:
        case ast.Computed():
            return _number(graph, element, term, parameters)
        case ast.Field(path=("attributes", key)):
            return element.attributes.get(key)
        case ast.Field(path=("metadata", "_version")):
            return version(graph, element)
        case ast.Field(path=("metadata", key)):
            return element.metadata.get(key)
        case ast.Field():
            return "a text"
        case _:
            return resolve(term, parameters)


def _number(
    graph: Graph, element: Element, node: ast.Computed, parameters: Parameters
) -> Number | None:
    if node.function is ast.Arithmetic.COALESCE:
        first, default = node.operands
        found = _value(graph, element, first, parameters)
        if found is None:
            found = _value(graph, element, default, parameters)
        return found if is_number(found) else None  # type: ignore[return-value]
    values = [_value(graph, element, one, parameters) for one in node.operands]
    if not all(is_number(one) for one in values):
        return None
    numbers: list[Number] = values  # type: ignore[assignment]
    match node.function:
        case ast.Arithmetic.ADD:
            result = numbers[0] + numbers[1]
        case ast.Arithmetic.MUL:
            result = numbers[0] * numbers[1]
        case _:
            number, low, high = numbers
            if low > high:
                raise RecollectError(INVALID_VALUE, "the bounds are the wrong way round")
            result = number if low <= number <= high else low if number < low else high
    is_large = isinstance(result, int) and not -(2**63) <= result < 2**63
    if is_large or math.isinf(result):
        raise RecollectError(INVALID_VALUE, "the number is too large")
    return result
