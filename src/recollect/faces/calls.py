"""What a face is made of for everybody outside this process: calls.

The rule: a call is a method of one class, and what a signature cannot say of it stands above it:
where it is over HTTP, and whether it reads, writes or destroys. Its name is the method's, its
input the keyword arguments, its description the first line of the docstring. Servers and clients
read all of it from there.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeVar, get_args, get_type_hints

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticKnownError

from recollect.node import dataclass, field

Method = Literal["GET", "POST", "PUT", "DELETE"]
Effect = Literal["reads", "writes", "destroys"]
FunctionT = TypeVar("FunctionT", bound=Callable[..., object])

_MARK: Final = "__recollect_call__"
_WHOLE: Final = re.compile(r"-?[0-9]+")

NAMED: Final = "x-schema"
"""Stands in a schema for one that is described under a name of its own."""


def described_as(name: str) -> WithJsonSchema:
    """Say of an input that it is described under a name, by the class that reads it."""
    return WithJsonSchema({NAMED: name})


def _written(number: object) -> object:
    if isinstance(number, str) and not _WHOLE.fullmatch(number):
        raise PydanticKnownError("int_parsing")
    return number


DIGITS: Final = BeforeValidator(_written)
"""Last in the type of a number in a query, else `1_0` would be read as 10 and `1.0` as 1."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a face: where it is, what it does to a memory, and an example of its input."""

    name: str  # of the operation, as logs and metrics have it: "MarkupApply"
    function: str  # of the method
    method: Method
    path: str  # below the prefix of the face: "exchanges/{id}/answer"
    effect: Effect
    description: str
    inputs: Mapping[str, Any] = field(default_factory=dict)  # types by name
    required: frozenset[str] = frozenset()
    example: Mapping[str, object] = field(default_factory=dict)
    output: Any = None  # the type of what it answers

    @property
    def placed(self) -> tuple[str, ...]:
        """The inputs that stand in the path."""
        parts = self.path.split("/")
        return tuple(one[1:-1] for one in parts if one[:1] == "{")


def call(
    method: Method,
    path: str,
    effect: Effect = "reads",
    *,
    name: str | None = None,
    example: Mapping[str, object] | None = None,
) -> Callable[[FunctionT], FunctionT]:
    """Mark a method as a call: a GET reads its inputs in the query, else they are the body's.

    >>> class Echo:
    ...     @call("GET", "said", example={"text": "hello"})
    ...     def say(self, *, text: str) -> dict[str, object]:
    ...         '''Say a text.'''
    ...         return {"text": text}
    >>> [(one.name, one.path, one.description) for one in calls_of(Echo)]
    [('EchoSay', 'said', 'Say a text.')]
    """

    def marked(function: FunctionT) -> FunctionT:
        setattr(function, _MARK, (method, path, effect, name, example or {}))
        return function

    return marked


def by_name(
    method: Callable[..., Any],
    of: Callable[[Any], Any],
    told: Callable[[Any], dict[str, Any]],
    **types: Any,  # noqa: ANN401 - a type of any form
) -> Callable[..., dict[str, Any]]:
    """Return a method of a face as one of its calls, which takes its arguments by name.

    `of` finds in the calls what has the method, `told` makes what it returns JSON, and `types` are
    those that JSON has for arguments of other types.
    """

    def called(self: object, **given: Any) -> dict[str, Any]:  # noqa: ANN401
        return told(method(of(self), **given))

    signature, hints = inspect.signature(method), get_type_hints(method)
    itself, *others = signature.parameters.values()
    named = [
        one if one.kind is one.VAR_KEYWORD else one.replace(kind=one.KEYWORD_ONLY) for one in others
    ]
    called.__signature__ = signature.replace(parameters=[itself, *named])  # type: ignore[attr-defined]
    called.__annotations__ = {**hints, **types, "return": dict[str, Any]}
    called.__doc__ = method.__doc__
    return called


def calls_of(face: type) -> tuple[Call, ...]:
    """Return the calls of a face's class, in the order they are written."""
    found: list[Call] = []
    for function, one in vars(face).items():
        mark = getattr(one, _MARK, None)
        if mark is None:
            continue
        method, path, effect, name, example = mark
        hints = get_type_hints(one, include_extras=True)
        inputs, required = _inputs(one, hints)
        words = function.strip("_").split("_")
        own = face.__name__.removesuffix("Calls")
        found.append(
            Call(
                name or own + "".join(word.capitalize() for word in words),
                function,
                method,
                path,
                effect,
                (inspect.getdoc(one) or "").partition("\n")[0],
                inputs,
                required,
                example,
                hints["return"],
            )
        )
    return tuple(found)


def _inputs(
    function: Callable[..., object], hints: Mapping[str, Any]
) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the types of the keyword arguments by name, and those that must be given.

    Arguments that are told as one `**which: Unpack[Which]` are each an input.
    """
    inputs: dict[str, Any] = {}
    required: set[str] = set()
    for name, one in inspect.signature(function).parameters.items():
        if one.kind is inspect.Parameter.KEYWORD_ONLY:
            inputs[name] = hints[name]
            required |= {name} if one.default is inspect.Parameter.empty else set()
        elif one.kind is inspect.Parameter.VAR_KEYWORD:
            (which,) = get_args(hints[name])
            inputs |= get_type_hints(which, include_extras=True)
            required |= which.__required_keys__
    return inputs, frozenset(required)
