"""Checks on what a caller or a model passed in.

Its one rule: a wrong argument is a `RecollectError` that names the argument and the way out.

The point in both times that a request asks about, from its JSON form.

Its one rule: text is ISO 8601, a reduced form means the start of the period, no zone means UTC;
`now` is the present on either clock.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from recollect.errors import INVALID_SYNTAX, INVALID_VALUE, RecollectError, ask_at, nearest, refused
from recollect.kernel import Nexus, asked_instant
from recollect.model import AsOf, Instant


def require_text(name: str, value: object) -> str:
    """Return `value` if it is text."""
    if isinstance(value, str):
        return value
    raise _wrong_kind(name, value, "a string")


def require_nexus(value: object) -> None:
    """Refuse anything but an open memory."""
    if not isinstance(value, Nexus):
        raise refused(f"the nexus is {json_kind(value)}", 'pass recollect.open("memory.db")')


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


_LIKE = 'write it like "2024-01-31" or "2024-01-31T09:30:00Z"'
NOW = "now"
_WHOLE = re.compile("[0-9]{1,18}")


def read_as_of(value: object) -> AsOf | None:
    """Return the point in time `value` names: an `AsOf`, `{"valid"?, "known"?}`, or None.

    `valid` is an instant as text; `known` is an instant as text, or a transaction number.

    >>> read_as_of({"valid": "1970-01-02"})
    AsOf(valid=86400000, known=None, transaction=None)
    """
    if value is None or isinstance(value, AsOf):
        return value
    if isinstance(value, str):
        raise INVALID_VALUE.error(
            "as_of is a string, which does not say which of the two times it means",
            f'pass {{"known": {json.dumps(value, ensure_ascii=False)}}} as as_of',
        )
    members = require_object("as_of", value)
    refuse_unknown("as_of", members, ("valid", "known"))
    valid, known = members.get("valid"), members.get("known")
    valid_at = None if valid is None else _instant("as_of.valid", valid)
    if known is None or known == NOW:  # whatever has been written by then
        return AsOf(valid=valid_at)
    if isinstance(known, int) and not isinstance(known, bool):
        return AsOf(valid=valid_at, transaction=_transaction(known))
    return AsOf(valid=valid_at, known=_instant("as_of.known", known, _hint_for_known(known)))


def _transaction(number: int) -> int:
    if 0 <= number < 2**63:
        return number
    raise INVALID_VALUE.error(
        f"as_of.known is {number}, which is not a transaction number", "pass a whole number from 0"
    )


def _hint_for_known(value: object) -> str:
    """Return what to write in place of a text, which may be the number of a transaction."""
    if isinstance(value, str) and _WHOLE.fullmatch(value) is not None:
        return ask_at(int(value))
    return _LIKE


def _instant(name: str, value: object, hint: str = _LIKE) -> Instant:
    text = require_text(name, value)
    instant = asked_instant(text)
    if instant is None:
        raise INVALID_VALUE.error(
            f"{name} is {text!r}, which is not an ISO 8601 date or time", hint
        )
    return instant
