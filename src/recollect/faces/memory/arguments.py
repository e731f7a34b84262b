"""What kind of value each argument of the memory is, whatever the caller's types say.

The rule: a method that is `checked` refuses a value that its signature does not allow before it
does anything. What may be of several kinds, or holds such, is left to whoever reads it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import NoneType, UnionType
from typing import Any, Final, ParamSpec, TypeVar, cast, get_args, get_origin, get_type_hints

from recollect.errors import refused

P = ParamSpec("P")
R = TypeVar("R")

_KINDS: Final[Mapping[object, tuple[type | UnionType, str, str]]] = {
    str: (str, "a text", '"..."'),
    bool: (bool, "true or false", "True"),
    int: (int, "a whole number", ""),
    float: (int | float, "a number", "0.5"),
    Sequence: (Sequence, "a list", "[...]"),
    Mapping: (Mapping, "an object", "{...}"),
}
"""Of each kind what it is, in a word, and how it is written."""

_NEVER: Final[Mapping[object, type]] = {int: bool, float: bool, Sequence: str}
"""What Python counts to a kind, and is no such thing: true is no number, and a text no list."""

_LONGEST: Final = 60  # characters of a value that a hint repeats


def checked(method: Callable[P, R]) -> Callable[P, R]:
    """Return a method that raises INVALID_ARGUMENT for an argument of another kind.

    >>> import recollect
    >>> with recollect.memory(":memory:") as memory:
    ...     memory.recall("Where does Ann work?", kinds="fact")
    Traceback (most recent call last):
    recollect.errors.RecollectError: INVALID_ARGUMENT: kinds is not a list
      hint: pass kinds=["fact"]
    """
    hints = get_type_hints(method)
    _, *names = inspect.signature(method).parameters

    @wraps(method)
    def with_checks(*args: P.args, **given: P.kwargs) -> R:
        for name, value in {**dict(zip(names, args[1:], strict=False)), **given}.items():
            _check(name, value, hints.get(name, Any))
        return method(*args, **given)

    return with_checks


def _check(name: str, value: object, allowed: object) -> None:
    forms = get_args(allowed) if isinstance(allowed, UnionType) else (allowed,)
    form, *others = [one for one in forms if one is not NoneType]
    kind, of = get_origin(form) or form, get_args(form)[:1]
    several = others or any(isinstance(one, UnionType) for one in of)
    if several or kind not in _KINDS or (value is None and NoneType in forms):
        return
    types, words, written = _KINDS[kind]
    if isinstance(value, types) and not isinstance(value, _NEVER.get(kind, ())):
        if kind is Sequence and of == (str,):
            for at, one in enumerate(cast("Sequence[object]", value)):
                _check(f"{name}[{at}]", one, str)
        return
    if kind is Sequence and isinstance(value, str | Mapping):
        told = json.dumps(value, ensure_ascii=False, default=str)
        written = f"[{told}]" if len(told) <= _LONGEST else written
    hint = f"pass {name}={written}" if written else f"leave {name} out"
    raise refused(f"{name} is not {words}", hint)
