"""What may enter the graph: names and values are checked here, once, before anything changes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

import orjson

from recollect.errors import (
    CONSTRAINT_VIOLATION,
    INVALID_IDENTIFIER,
    INVALID_SYNTAX,
    INVALID_VALUE,
    RecollectError,
    Span,
)
from recollect.model import Attributes, Value

_STRICT = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
_SUSPICIOUS = re.compile(rb"null|\\u0000|\d{19}")
"""Where the encoder is too kind: it writes NaN as null, and keeps NUL and 64-bit overflows."""

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_PATH_SIGNS = re.compile(r"[{}|]")


def identifier(text: object, what: str, span: Span | None = None) -> str:
    r"""Return a type, name, predicate, id or key as it is stored: non-empty, NFC.

    `what` names it in the error: KIP_2003 when it is not a text the store can hold, KIP_1002
    when it is empty.

    >>> identifier("Cafe\u0301", "name") == "Caf\u00e9"
    True
    """
    if not isinstance(text, str):
        raise RecollectError(
            INVALID_VALUE, f"the {what} is not a string", hint="write it in quotes", span=span
        )
    if not text:
        raise RecollectError(INVALID_IDENTIFIER, f"the {what} is empty", span=span)
    if text.isascii():
        normal = text
    else:
        _refuse_surrogates(text, what, span)
        normal = unicodedata.normalize("NFC", text)
    if "\0" in normal:
        raise RecollectError(INVALID_VALUE, f"the {what} holds a NUL character", span=span)
    return normal


def plain_predicate(text: object, span: Span | None = None) -> str:
    """Return a predicate that may be written: one without path operators, else KIP_1001."""
    predicate = identifier(text, "predicate", span)
    if _PATH_SIGNS.search(predicate):
        raise RecollectError(
            INVALID_SYNTAX,
            f'the predicate "{predicate}" holds a path operator',
            hint="write one plain predicate, without { } and |",
            span=span,
        )
    return predicate


def members(values: object, section: str, span: Span | None = None) -> Attributes:
    """Return attributes or metadata that may be stored.

    KIP_2003 for what JSON or 64 bits cannot carry, KIP_2002 for a key that begins with `_`.
    """
    if not isinstance(values, (dict, Mapping)):  # nearly all are, and to be told so is quicker
        raise RecollectError(
            INVALID_VALUE, f"{section} is not an object", hint="write { key: value }", span=span
        )
    if not values:
        return {}
    for key in values:
        if not isinstance(key, str) or not key or key[0] == "_":
            raise _unfit_key(key, section, span)
    values = values if type(values) is dict else dict(values)
    try:
        encoded = orjson.dumps(values, option=_STRICT)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unfit(_culprit(values), str(error), section, span) from error
    if _SUSPICIOUS.search(encoded):
        for key, value in values.items():
            reason = _fault(value) or _fault(key)
            if reason:
                raise _unfit(key, reason, section, span)
    return values


def _unfit_key(key: object, section: str, span: Span | None) -> RecollectError:
    if not isinstance(key, str):
        return RecollectError(INVALID_VALUE, f"a key of {section} is not a string", span=span)
    if not key:
        return RecollectError(INVALID_VALUE, f"a key of {section} is empty", span=span)
    return RecollectError(
        CONSTRAINT_VIOLATION,
        f'the key "{key}" of {section} begins with _, which is reserved',
        hint=f'use "{key.lstrip("_") or "key"}"',
        span=span,
    )


def _culprit(values: Mapping[str, Value]) -> str:
    """Return the first member that cannot be encoded."""
    for key, value in values.items():
        try:
            orjson.dumps({key: value}, option=_STRICT)
        except (TypeError, ValueError, RecursionError):
            return key.encode("utf-8", "replace").decode()
    return ""


def _fault(value: Value) -> str:
    """Return what is wrong with a value that the encoder accepted, or nothing."""
    match value:
        case bool() | None:
            return ""
        case int():
            return "" if _LOWEST <= value <= _HIGHEST else "an integer does not fit in 64 bits"
        case float():
            return "" if value - value == 0 else "a number is not finite"
        case str():
            return "a text holds a NUL character" if "\0" in value else ""
        case Mapping():
            inner = (_fault(part) for member in value.items() for part in member)
            return next(filter(None, inner), "")
        case list() | tuple():
            return next(filter(None, map(_fault, value)), "")
        case _:
            return ""


def _refuse_surrogates(text: str, what: str, span: Span | None) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RecollectError(
            INVALID_VALUE, f"the {what} holds a lone surrogate", span=span
        ) from error


def _unfit(key: str, reason: str, section: str, span: Span | None) -> RecollectError:
    return RecollectError(
        INVALID_VALUE,
        f'the value of "{key}" in {section} cannot be stored: {reason}',
        hint="use JSON values: text, finite numbers of 64 bits, true, false, null, lists, objects",
        span=span,
    )
