"""What a definition demands of the concepts of its type, and where they fall short of it.

The rule: `instance_schema` is written by people and models, so any part of it that is not
understood demands nothing. `{"dose": {"type": "number", "is_required": true}}`; KIP 1.0-RC11,
section 2.9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from recollect.errors import CONSTRAINT_VIOLATION, INVALID_VALUE, Code
from recollect.kernel.write.temporal import parse_instant
from recollect.model import Attributes, Value
from recollect.node import dataclass


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Value) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _is_datetime(value: Value) -> bool:
    return isinstance(value, str) and parse_instant(value) is not None


_TESTS: Mapping[str, Callable[[Value], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "datetime": _is_datetime,
}
"""What a value of each type of `instance_schema` is; other types take any value."""

_WORDS = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
    "datetime": "an ISO 8601 time",
}


@dataclass(frozen=True, slots=True)
class Demand:
    """What a definition says of one attribute."""

    attribute: str
    types: tuple[str, ...]  # one of these; none: any value
    is_required: bool

    def takes(self, value: Value) -> bool:
        """Whether the attribute may have a value; null counts as no value and is allowed."""
        return value is None or not self.types or any(_TESTS[one](value) for one in self.types)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One attribute that is not as its definition demands."""

    code: Code
    attribute: str
    message: str  # a fact, to follow the words for the concept
    hint: str


def demands(definition: Attributes) -> tuple[Demand, ...]:
    """Return what the attributes of a definition demand, as far as it is understood.

    >>> demands({"instance_schema": {"dose": {"type": "number"}, "form": {"type": "Form"}}})
    (Demand(attribute='dose', types=('number',), is_required=False),)
    """
    schema = definition.get("instance_schema")
    if not isinstance(schema, dict):
        return ()
    found = (_demand(attribute, said) for attribute, said in schema.items())
    return tuple(one for one in found if one.types or one.is_required)


def shortfalls(demanded: Iterable[Demand], attributes: Attributes) -> Iterator[Shortfall]:
    """Yield what attributes fall short of; a required one that is null is missing."""
    for one in demanded:
        value = attributes.get(one.attribute)
        wanted = " or ".join(_WORDS[type_] for type_ in one.types) or "a value"
        if value is None and one.is_required:
            message = f'lacks the required attribute "{one.attribute}"'
            hint = f'set "{one.attribute}" to {wanted}'
            yield Shortfall(CONSTRAINT_VIOLATION, one.attribute, message, hint)
        elif not one.takes(value):
            message = f'has {_kind(value)} as "{one.attribute}", where {wanted} is declared'
            hint = f'set "{one.attribute}" to {wanted}'
            yield Shortfall(INVALID_VALUE, one.attribute, message, hint)


def _demand(attribute: str, said: Value) -> Demand:
    if not isinstance(said, dict):
        return Demand(attribute, (), is_required=False)
    written = said.get("type")
    listed = written if isinstance(written, list) else [written]
    types = tuple(one.casefold() for one in listed if isinstance(one, str))
    is_known = len(types) == len(listed) and all(one in _TESTS for one in types)
    return Demand(attribute, types if is_known else (), said.get("is_required") is True)


def _kind(value: Value) -> str:
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"
