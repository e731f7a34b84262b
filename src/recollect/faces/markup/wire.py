"""The values of Knowing Markup as JSON, and back: the same members, documents as texts.

The rule: a field of a value is a member of the same name. What a client makes of an answer equals
what the face returns in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from recollect.errors import refused
from recollect.faces.markup.messages import print_text
from recollect.faces.markup.model import Document
from recollect.faces.markup.parser import parse

ValueT = TypeVar("ValueT")
Decoder = Callable[[Any], Any]


def to_wire(value: object) -> Any:  # noqa: ANN401 - JSON
    """Return a value as JSON: values are objects, documents texts, sets sorted lists.

    >>> from recollect.faces.markup import SpaceEntry
    >>> to_wire(SpaceEntry("1", "CONCEPTUAL SPACE", "Zoo"))
    {'id': '1', 'kind': 'CONCEPTUAL SPACE', 'label': 'Zoo'}
    """
    if isinstance(value, Document):
        return print_text(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_wire(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [to_wire(one) for one in value]
    if isinstance(value, Mapping):
        return {key: to_wire(one) for key, one in value.items()}
    return value


def from_wire(kind: type[ValueT], wire: object) -> ValueT:
    """Return the value of a class that JSON says; INVALID_ARGUMENT for what says none."""
    try:
        decode: Decoder = _decoder(cast(Any, kind))
        made: ValueT = decode(wire)
    except (KeyError, TypeError, ValueError) as error:
        raise refused(
            f"the answer is no {kind.__name__}", "use a client and a server of one version"
        ) from error
    return made


@cache
def _decoder(kind: Any) -> Decoder:  # noqa: ANN401 - any annotation
    """Return what makes a value of a type from JSON."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Document:
        return parse
    if isinstance(kind, type) and is_dataclass(kind):
        members = get_type_hints(kind)
        named = [(one.name, members[one.name]) for one in fields(kind)]
        return lambda wire: kind(
            **{name: _decoder(member)(wire[name]) for name, member in named if name in wire}
        )
    if origin in (Union, UnionType):
        others = [one for one in arguments if one is not NoneType]
        if len(others) == 1 and len(others) < len(arguments):
            inner = _decoder(others[0])
            return lambda wire: None if wire is None else inner(wire)
        return lambda wire: wire
    if origin is tuple:
        inner = _decoder(arguments[0])
        return lambda wire: tuple(inner(one) for one in wire)
    if origin is frozenset:
        return frozenset
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        return dict
    return lambda wire: wire
