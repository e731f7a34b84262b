"""The kinds of fields that inputs are made of, and what each refuses.

The rule: a field is exactly of its type, nothing is converted but the spelling of an instant;
what is too large is a limit, everything else that is wrong is an argument.
"""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Annotated, Literal, TypeVar

import orjson
from pydantic import AfterValidator, Field, JsonValue
from pydantic.json_schema import WithJsonSchema
from pydantic_core import PydanticCustomError

from recollect.faces.operations import limits
from recollect.kernel import asked_instant, parse_instant
from recollect.model import Instant, instant_text

TOO_LARGE = "too_large"
"""The type of the error of a field that is beyond a limit."""


Item = TypeVar("Item")


def _printable(text: str) -> str:
    normal = unicodedata.normalize("NFC", text) if len(text) <= limits.UUID else text
    if not 1 <= len(normal) <= limits.UUID or not normal.isprintable():
        raise PydanticCustomError(
            "printable", "is not 1 to {most} printable characters", {"most": limits.UUID}
        )
    return normal


def _instant(text: str) -> str:
    """Return an instant as all of them are written: UTC, milliseconds, `Z`."""
    return _written(asked_instant(text))


def _zoned_instant(text: str) -> str:
    """Return an instant that a model tells of, which says its zone: it may mean a local time."""
    try:
        is_zoned = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        is_zoned = False
    what = "is not an ISO 8601 date and time with its zone"
    return _written(parse_instant(text) if is_zoned else None, what)


def _written(at: Instant | None, what: str = "is not an ISO 8601 date or time") -> str:
    if at is None:
        raise PydanticCustomError("instant", f"{what}, such as 2026-01-31T09:30:00Z")
    return instant_text(at)


def _filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "is blank")
    return text


def _at_most(characters: int) -> AfterValidator:
    def check(text: str) -> str:
        if len(text) > characters:
            raise PydanticCustomError(
                TOO_LARGE,
                "has {given} characters, and {most} are allowed",
                {"given": len(text), "most": characters},
            )
        return text

    return AfterValidator(check)


def _small(members: dict[str, JsonValue]) -> dict[str, JsonValue]:
    written = orjson.dumps(members)
    size = len(written)
    if size > limits.ATTRIBUTES_BYTES:
        raise PydanticCustomError(
            TOO_LARGE,
            "takes {given} bytes, and {most} are allowed",
            {"given": size, "most": limits.ATTRIBUTES_BYTES},
        )
    if orjson.loads(written) != members:  # JSON has null for a number that is not finite
        raise PydanticCustomError("not_finite", "holds a number that is not finite")
    return members


def _some(items: list[Item]) -> list[Item]:
    if not items:
        raise PydanticCustomError("empty", "is empty")
    if len(items) > limits.ITEMS:
        raise PydanticCustomError(
            TOO_LARGE,
            "has {given} items, and {most} are allowed",
            {"given": len(items), "most": limits.ITEMS},
        )
    return items


Uuid = Annotated[str, AfterValidator(_printable)]
"""What names a node, a fact, an episode or a receipt: 1 to 128 printable characters."""

Group = Annotated[str, AfterValidator(_printable)]
"""The name of a tenant."""

Timestamp = Annotated[
    str, AfterValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"})
]
"""An instant in ISO 8601, in UTC if it names no zone, or `now`; it is kept to the millisecond."""

ToldTime = Annotated[
    str, AfterValidator(_zoned_instant), WithJsonSchema({"type": "string", "format": "date-time"})
]
"""An instant that a model tells of, in ISO 8601 with its zone."""

Name = Annotated[str, AfterValidator(_filled), _at_most(limits.NAME)]
Note = Annotated[str, _at_most(limits.NAME)]
"""A name, a role or a description that may be blank."""

Summary = Annotated[str, _at_most(limits.SUMMARY)]
Fact = Annotated[str, AfterValidator(_filled), _at_most(limits.FACT)]
Body = Annotated[str, _at_most(limits.BODY)]
Query = Annotated[str, _at_most(limits.QUERY)]
Attributes = Annotated[dict[str, JsonValue], AfterValidator(_small)]

Source = Literal["text", "json", "message"]
RoleType = Literal["user", "assistant", "system"]

MostFound = Annotated[int, Field(ge=1, le=limits.MOST_FOUND)]
LastEpisodes = Annotated[int, Field(ge=1, le=limits.MOST_EPISODES)]


Items = Annotated[list[Item], AfterValidator(_some)]
"""At least one of something, and not too many."""

Groups = Items[Group]
