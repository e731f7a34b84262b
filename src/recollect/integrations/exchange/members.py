"""Members of JSON objects, as readers take them: of the kind they must be, or refused by name.

The rule: a member that is null is one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import orjson

from recollect.errors import INVALID_VALUE, RecollectError
from recollect.integrations.exchange.records import Bad, Record
from recollect.integrations.exchange.source import Source
from recollect.kernel import parse_instant
from recollect.model import Attributes, Value, instant_text

Members = Mapping[str, Value]
Parse = Callable[[int, Members], Iterator[Record]]

_SHOWN: Final = 80  # characters of a value that an error repeats


def json_lines(source: Source, parse: Parse) -> Iterator[Record]:
    """Yield the records of the objects of a file, one a line; blank lines say nothing."""
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            yield from parse(number, decoded(line))
        except RecollectError as error:
            yield Bad(number, error.message)


def decoded(text: bytes) -> Members:
    """Return the object that a text is; INVALID_VALUE for anything else."""
    value = decoded_value(text)
    if isinstance(value, dict):
        return value
    raise unreadable("is not a JSON object")


def decoded_value(text: bytes) -> Value:
    """Return the value that a JSON text is."""
    try:
        value: Value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise unreadable(f"is not JSON: {error.msg}") from error
    return value


def unreadable(reason: str) -> RecollectError:
    """Return the error for what a reader cannot take."""
    return INVALID_VALUE.error(reason)


def text(members: Members, key: str) -> str:
    """Return a text that must be there and say something."""
    found = optional_text(members, key)
    if found is None:
        raise unreadable(f"{key} is missing or blank")
    return found


def optional_text(members: Members, key: str) -> str | None:
    """Return a text, or None where it is not there or blank."""
    match members.get(key):
        case str() as found:
            return found if found.strip() else None
        case None:
            return None
        case other:
            raise unreadable(f"{key} is {_shown(other)}, not a text")


def texts(members: Members, key: str) -> list[str]:
    """Return a list of texts, empty where it is not there."""
    match members.get(key):
        case None:
            return []
        case list() as found if all(isinstance(one, str) for one in found):
            return [str(one) for one in found]
        case other:
            raise unreadable(f"{key} is {_shown(other)}, not a list of texts")


def table(members: Members, key: str) -> Attributes:
    """Return an object, empty where it is not there."""
    match members.get(key):
        case None:
            return {}
        case dict() as found:
            return found
        case other:
            raise unreadable(f"{key} is {_shown(other)}, not an object")


def time(members: Members, key: str) -> str | None:
    """Return an instant as a memory writes it, or None where it is not there."""
    found = optional_text(members, key)
    if found is None:
        return None
    instant = parse_instant(found.strip().replace(" ", "T", 1))
    if instant is None:
        raise unreadable(f"{key} is {_shown(found)}, which is not an ISO 8601 date or time")
    return instant_text(instant)


def time_as_told(members: Members, key: str) -> str | None:
    """Return an instant as a memory writes it, a year or a month as it was told."""
    at, told = time(members, key), str(members.get(key)).strip()
    return told if at is not None and len(told) < len("2019-08-01") else at


def without_null(values: Members) -> dict[str, Value]:
    """Return the members that say something."""
    return {key: one for key, one in values.items() if one is not None}


def _shown(value: Value) -> str:
    spelled = orjson.dumps(value).decode()
    return spelled if len(spelled) <= _SHOWN else f"{spelled[:_SHOWN]}..."
