"""The parameters of a request, checked once, before a text meets them.

The rule: what passes is JSON that every store can hold, whatever the text does with it.
Specification 000, data types; kip-semantics 1.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from recollect.errors import INVALID_VALUE, RESOURCE_EXHAUSTED, RecollectError

SMALLEST, LARGEST = -(2**63), 2**63 - 1


def check_parameters(values: Mapping[str, object], max_depth: int) -> None:
    """Raise KIP_2003 for what JSON or 64 bits cannot hold, KIP_4002 for what nests too deep.

    >>> check_parameters({"limit": 10, "names": ["Aspirin", None]}, max_depth=2)
    """
    for name, value in values.items():
        reason = _fault(name, max_depth) or _fault(value, max_depth)
        if reason == _TOO_DEEP:
            raise RecollectError(
                RESOURCE_EXHAUSTED,
                f"parameter {name} nests deeper than {max_depth} levels",
                hint="store parts of it as concepts of their own",
                details={"depth": max_depth},
            )
        if reason:
            shown = name.encode("utf-8", "replace").decode()
            raise RecollectError(
                INVALID_VALUE,
                f"parameter {shown} holds {reason}",
                hint="pass null, true, false, finite 64-bit numbers, text, arrays, objects",
            )


_TOO_DEEP = "too many levels"


def _fault(value: object, depth: int) -> str:
    if depth < 0:
        return _TOO_DEEP
    match value:
        case None | bool():
            return ""
        case int():
            return "" if SMALLEST <= value <= LARGEST else "a whole number beyond 64 bits"
        case float():
            return "" if isfinite(value) else "a number that is not finite"
        case str():
            return _text_fault(value)
        case dict():
            parts = [*value, *value.values()] if all(type(key) is str for key in value) else None
            if parts is None:
                return "an object with a key that is not text"
            return next(filter(None, (_fault(part, depth - 1) for part in parts)), "")
        case list():
            return next(filter(None, (_fault(part, depth - 1) for part in value)), "")
        case _:
            return f"a Python {type(value).__name__}"


def _text_fault(text: str) -> str:
    if "\0" in text:
        return "the character NUL"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"the lone surrogate U+{ord(text[error.start]):04X}"
    return ""
