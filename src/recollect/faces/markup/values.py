"""Values of the fields of a template and of the arguments of a function, by their type.

The rule: the Content of a field is its type where it is one of the known ones; any other Content
is a description, and takes every text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Final
from urllib.parse import urlsplit

from recollect.node import dataclass

_NUMBER: Final = re.compile(
    r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?:[ \t]*(\S.*))?", re.DOTALL
)
_INTEGER: Final = re.compile(r"[+-]?\d+")
_EMAIL: Final = re.compile(
    r"[^\s@<>(),;:\"\[\]]+@[^\s@.<>(),;:\"\[\]]+(?:\.[^\s@.<>(),;:\"\[\]]+)+"
)
_DATE: Final = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_DATETIME: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}(?::\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?)"
    r"(Z|[+-]\d{2}(?::?\d{2})?)?)?"
)
_BOOLEANS: Final = frozenset({"true", "yes", "false", "no"})
_LIST_OF: Final = "list of"
_ONE_OF: Final = "one of:"


@dataclass(frozen=True, slots=True)
class FieldType:
    """What a field takes: a type by name, the choices of `one of:`, or a list of either."""

    name: str  # "any" for a description
    choices: tuple[str, ...] = ()
    is_list: bool = False

    def __str__(self) -> str:
        name = f"{_ONE_OF} {', '.join(self.choices)}" if self.choices else self.name
        return f"{_LIST_OF} {name}" if self.is_list else name


@dataclass(frozen=True, slots=True)
class FieldValue:
    """What a value says: its text, the number and the unit in it, the nodes it names."""

    text: str
    number: float | int | None = None
    unit: str | None = None
    nodes: tuple[str, ...] = ()


def field_type(content: str) -> FieldType:
    """Return the type that the Content of a field names.

    >>> str(field_type("list of one of: red, blue")), str(field_type("How old it is"))
    ('list of one of: red, blue', 'any')
    """
    said = content.strip()
    is_list = said.lower().startswith(f"{_LIST_OF} ")
    if is_list:
        said = said[len(_LIST_OF) :].strip()
    if said.lower().startswith(_ONE_OF):
        choices = tuple(one.strip() for one in said[len(_ONE_OF) :].split(",") if one.strip())
        if choices:
            return FieldType("one of", choices, is_list)
    name = said.lower()
    if name in _CHECKS or name == "node":
        return FieldType(name, (), is_list)
    return FieldType("any")


def field_value(given: str, kind: FieldType) -> FieldValue | None:
    """Return what a value says to its field; None where it is not of the field's type.

    >>> field_value("100 years", field_type("number"))
    FieldValue(text='100 years', number=100, unit='years', nodes=())
    >>> field_value("blue", field_type("one of: red, green")) is None
    True
    """
    parts = [one.strip() for one in given.split(",")] if kind.is_list else [given.strip()]
    if not all(_fits(one, kind) for one in parts):
        return None
    nodes = tuple(parts) if kind.name == "node" else ()
    if kind.name in ("number", "integer") and not kind.is_list:
        number, unit = _number(parts[0])
        return FieldValue(given, number, unit)
    return FieldValue(given, nodes=nodes)


def hint_for(kind: FieldType) -> str:
    """Return what to write for a type.

    >>> hint_for(field_type("date")), hint_for(field_type("one of: red, blue"))
    ('write a value of the type date: 2026-01-31', 'write one of: red, blue')
    """
    if kind.choices and not kind.is_list:
        return f"write {kind}"
    like = _LIKE.get(kind.name, "") if not kind.is_list else ""
    return f"write a value of the type {kind}{f': {like}' if like else ''}"


_LIKE: Final = {
    "number": "100 years",
    "integer": "7",
    "boolean": "true",
    "date": "2026-01-31",
    "datetime": "2026-01-31T09:30:00Z",
    "email": "a@example.com",
    "url": "https://example.com",
}


def _fits(given: str, kind: FieldType) -> bool:
    if kind.choices:
        return given in kind.choices
    if kind.name == "node":
        return given != "" and not any(one.isspace() for one in given)
    return kind.name == "any" or bool(_CHECKS[kind.name](given))


def _number(given: str) -> tuple[float | int | None, str | None]:
    found = _NUMBER.fullmatch(given)
    assert found is not None
    digits, unit = found.groups()
    number = float(digits)
    is_exact = _INTEGER.fullmatch(digits) is not None and abs(number) < 2**53
    return int(digits) if is_exact else number, unit


def _is_number(given: str) -> bool:
    found = _NUMBER.fullmatch(given)
    if found is None or not math.isfinite(float(found[1])):
        return False
    unit = found[2]
    return unit is None or unit[0] not in _NO_UNIT


_NO_UNIT: Final = "0123456789.,:;+-/"  # what begins more of a number, a range or a date


def _is_date(given: str) -> bool:
    if not _DATE.fullmatch(given):
        return False
    try:
        date.fromisoformat(given + "-01-01"[len(given) - 4 :])
    except ValueError:
        return False
    return True


def _is_datetime(given: str) -> bool:
    if _is_date(given):
        return True
    found = _DATETIME.fullmatch(given)
    if found is None:
        return False
    day, hour, _ = found.groups()
    try:
        datetime.combine(
            date.fromisoformat(day), time.fromisoformat((hour or "00").replace(",", "."))
        )
    except ValueError:
        return False
    return True


def _is_url(given: str) -> bool:
    if any(one.isspace() for one in given):
        return False
    try:
        parts = urlsplit(given)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


_CHECKS: Final[Mapping[str, Callable[[str], object]]] = {
    "text": lambda _: True,
    "string": lambda _: True,
    "number": _is_number,
    "integer": lambda given: _INTEGER.fullmatch(given) and math.isfinite(float(given)),
    "boolean": lambda given: given.lower() in _BOOLEANS,
    "date": _is_date,
    "datetime": _is_datetime,
    "email": _EMAIL.fullmatch,
    "url": _is_url,
}
