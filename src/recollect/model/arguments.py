"""Checks on what a caller or a model passed in.

The rule: a wrong argument is a `RecollectError` that names the argument and the way out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from recollect.errors import INVALID_SYNTAX, INVALID_VALUE, RecollectError, nearest


def require_text(name: str, value: object) -> str:
    """Return `value` if it is text."""
    if isinstance(value, str):
        return value
    raise _wrong_kind(name, value, "a string")


def require_boolean(name: str, value: object) -> bool:
    """Return `value` if it is true or false."""
    if isinstance(value, bool):
        return value
    raise _wrong_kind(name, value, "true or false")


def require_list(name: str, value: object) -> Sequence[object]:
    """Return `value` if it is a list."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return value
    raise _wrong_kind(name, value, "an array")


def require_object(name: str, value: object) -> Mapping[str, object]:
    """Return `value` if it is an object, all of whose keys are text."""
    if not isinstance(value, Mapping):
        raise _wrong_kind(name, value, "an object")
    for key in value:
        require_text(f"a key of {name}", key)
    return value


def require_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of the words `choices`."""
    text = require_text(name, value)
    if text in choices:
        return text
    known = nearest(text, choices) or tuple(choices)
    raise INVALID_SYNTAX.error(
        f"{name} is {text!r}, which is not one of {', '.join(choices)}",
        f'use {name} "{known[0]}"',
        known=known,
    )


def refuse_unknown(what: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise for the first of `names` that is not known: what is not understood is not ignored."""
    for name in names:
        if name not in known:
            close = nearest(name, known)
            raise INVALID_SYNTAX.error(
                f"{what} has no member {name!r}",
                f"use {close[0]}" if close else f"use only {', '.join(known)}",
                known=close or tuple(known),
            )


def _wrong_kind(name: str, value: object, wanted: str) -> RecollectError:
    return INVALID_VALUE.error(f"{name} is {json_kind(value)}", f"pass {wanted} as {name}")


def json_kind(value: object) -> str:
    """Return what a value is in the words of JSON.

    >>> json_kind(3.5), json_kind(None), json_kind({})
    ('a number', 'null', 'an object')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case Mapping():
            return "an object"
        case Sequence() if not isinstance(value, bytes | bytearray | memoryview):
            return "an array"
        case _:
            return f"a Python {type(value).__name__}"
