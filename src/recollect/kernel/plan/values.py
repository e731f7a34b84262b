"""What a value may be: JSON that every store can hold, and nothing else.

KIP 1.0-draft3, data types; docs/kip/decisions.md.
"""

from __future__ import annotations

from math import isfinite

from recollect.errors import INVALID_VALUE, RESOURCE_EXHAUSTED, RecollectError, Span
from recollect.kernel.lang.parse_value import LARGEST, SMALLEST

_TOO_DEEP = "too many levels"
_TOO_LARGE = "a whole number beyond 64 bits"
_NOT_FINITE = "a number that is not finite"
_TEXT = frozenset({str})


def fault(value: object, depth: int) -> str:
    """Return what is wrong with a value that may nest `depth` levels deep, or nothing.

    >>> fault({"names": ["Aspirin", None]}, 2)
    ''
    >>> fault({1: 2}, 2)
    'an object with a key that is not text'
    """
    if type(value) is str:  # nearly all are of these types, and a comparison is quicker
        return "" if value.isascii() and "\0" not in value else _text_fault(value)
    if type(value) is float:
        return "" if isfinite(value) else _NOT_FINITE
    if type(value) is int:
        return "" if SMALLEST <= value <= LARGEST else _TOO_LARGE
    if value is None or value is True or value is False:
        return ""
    if type(value) is list and depth > 0:
        return _first_fault(value, depth)
    match value:
        case str():
            return _text_fault(value)
        case int():
            return "" if SMALLEST <= value <= LARGEST else _TOO_LARGE
        case float():
            return "" if isfinite(value) else _NOT_FINITE
        case dict() | list() if depth < 1:
            return _TOO_DEEP
        case dict():
            if not set(map(type, value)) <= _TEXT:
                return "an object with a key that is not text"
            return _first_fault(["".join(value), *value.values()], depth)
        case list():
            return _first_fault(value, depth)
        case _:
            return f"a Python {type(value).__name__}"


def unfit(what: str, reason: str, depth: int, span: Span | None = None) -> RecollectError:
    """Return the error for a value with a fault: KIP_4002 for its depth, else KIP_2003."""
    if reason == _TOO_DEEP:
        return RecollectError(
            RESOURCE_EXHAUSTED,
            f"{what} nests deeper than {depth} levels",
            hint="store parts of it as concepts of their own",
            span=span,
            details={"depth": depth},
        )
    return RecollectError(
        INVALID_VALUE,
        f"{what} holds {reason}",
        hint="use null, true, false, finite 64-bit numbers, text, arrays, objects",
        span=span,
    )


def _first_fault(parts: list[object], depth: int) -> str:
    for part in parts:
        if type(part) is str and part.isascii() and "\0" not in part:
            continue
        if reason := fault(part, depth - 1):
            return reason
    return ""


def _text_fault(text: str) -> str:
    if "\0" in text:
        return "the character NUL"
    if text.isascii():
        return ""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"the lone surrogate U+{ord(text[error.start]):04X}"
    return ""
