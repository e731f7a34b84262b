"""The inputs of the calls of claims, field by field, for those who send and those who read them.

The rule: what a claim or a piece of evidence may hold is said by the face alone; here stands
which fields a call has. Unknown fields are refused, and null is the same as leaving one out.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, NotRequired

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema, with_config
from pydantic_core import PydanticKnownError
from typing_extensions import TypedDict

from recollect.kernel import asked_instant

STRICT = ConfigDict(extra="forbid", strict=True)
IN_QUERY = ConfigDict(extra="forbid")  # there a number is written, in DIGITS

_WHOLE: Final = re.compile(r"-?[0-9]+")


def _written(number: object) -> object:
    if isinstance(number, str) and not _WHOLE.fullmatch(number):
        raise PydanticKnownError("int_parsing")
    return number


DIGITS: Final = BeforeValidator(_written)
"""Last in the type of a number in a query, else `1_0` would be read as 10 and `1.0` as 1."""


def _seconds(value: object) -> object:
    """Return the seconds of a date; what is none is left to the number that it must be."""
    at = asked_instant(value) if isinstance(value, str) else None
    return value if at is None else at / 1_000


Members = dict[str, JsonValue]


NAMED = "x-schema"
"""Stands in a schema for one that is described under a name of its own."""


def _reference(name: str) -> WithJsonSchema:
    return WithJsonSchema({NAMED: name})


ClaimMembers = Annotated[Members, _reference("Claim")]
EvidenceMembers = Annotated[Members, _reference("EvidenceRef")]
ScopeMembers = Annotated[Members, _reference("Scope")]
ActorMembers = Annotated[Members, _reference("Actor")]

_TEXT = {"type": "string"}
AsOfMembers = Annotated[
    JsonValue,
    WithJsonSchema(
        {
            "type": "object",
            "description": "A point of both clocks; what is left out is now",
            "properties": {
                "valid": {**_TEXT, "description": "What was true then, ISO 8601"},
                "known": {
                    "anyOf": [_TEXT, {"type": "integer", "minimum": 0}],
                    "description": "As it was known then: ISO 8601, or a transaction's number",
                },
            },
            "additionalProperties": False,
        }
    ),
]
"""As KIP has it, whose reader says what it may hold."""

Most = Annotated[int, Field(ge=1, le=10_000), DIGITS]
Type = Literal["knowledge", "facts", "concepts", "pieces"]


@with_config(STRICT)
class WriteClaims(TypedDict):
    """Claims to keep, all or none."""

    claims: Annotated[list[ClaimMembers], Field(min_length=1, max_length=1_000)]
    actor: NotRequired[ActorMembers | None]


@with_config(STRICT)
class RecallClaims(TypedDict):
    """A question, and which claims may answer it; without a status all of them."""

    question: str
    scope: NotRequired[ScopeMembers | None]
    status: NotRequired[list[str] | None]
    project: NotRequired[str | None]
    limit: NotRequired[Most]
    as_of: NotRequired[AsOfMembers | None]


@with_config(STRICT)
class TransitionClaim(TypedDict):
    """A claim and the status it is to have; refused where it is not in `expected_status`."""

    id: str
    status: str
    expected_status: NotRequired[str | None]
    evidence: NotRequired[list[EvidenceMembers] | None]
    reason: NotRequired[str | None]
    actor: NotRequired[ActorMembers | None]


@with_config(STRICT)
class SupersedeClaim(TypedDict):
    """A claim and the one that takes its place."""

    old_id: str
    new_id: str
    expected_status: NotRequired[str | None]
    actor: NotRequired[ActorMembers | None]


@with_config(IN_QUERY)
class ClaimId(TypedDict):
    """Which claim."""

    id: str


@with_config(IN_QUERY)
class CountClaims(TypedDict):
    """Which claims: those that are all that is said here."""

    scope_type: NotRequired[str]
    scope_id: NotRequired[str]
    status: NotRequired[list[str]]
    project: NotRequired[str]
    domain: NotRequired[str]
    run: NotRequired[str]
    show: NotRequired[str]
    session: NotRequired[str]
    agent: NotRequired[str]
    tag: NotRequired[str]
    artifact: NotRequired[str]


@with_config(IN_QUERY)
class ListClaims(CountClaims):
    """The same, and a page of them."""

    limit: NotRequired[Most]
    after: NotRequired[str]


@with_config(IN_QUERY)
class ListEvents(TypedDict):
    """A page of what happened to all claims of a group, after the id of an event."""

    after: NotRequired[str]
    limit: NotRequired[Most]


@with_config(IN_QUERY)
class StreamEvents(TypedDict):
    """Where a stream of events begins: after the id of one."""

    after: NotRequired[str]
    memory: NotRequired[bool]


@with_config(IN_QUERY)
class ListAttention(TypedDict):
    """Whether what was put aside is wanted too."""

    aside: NotRequired[bool]


@with_config(IN_QUERY)
class AttentionFingerprint(TypedDict):
    """Which item of attention."""

    fingerprint: str


@with_config(STRICT)
class DismissAttention(TypedDict):
    """An item to put aside until its status or reason changes."""

    fingerprint: str
    actor: NotRequired[ActorMembers | None]


@with_config(STRICT)
class SnoozeAttention(TypedDict):
    """An item to put aside until a time: seconds since 1970, or an ISO 8601 text."""

    fingerprint: str
    until: Annotated[float, BeforeValidator(_seconds, json_schema_input_type=float | str)]
    actor: NotRequired[ActorMembers | None]


@with_config(STRICT)
class RecordRejection(TypedDict):
    """The text of a claim that was refused for want of evidence."""

    text: str
    actor: NotRequired[ActorMembers | None]


@with_config(IN_QUERY)
class Search(TypedDict):
    """A text to search for among things of one type."""

    q: str
    type: NotRequired[Type]
    limit: NotRequired[Annotated[int, Field(ge=1, le=100), DIGITS]]
    status: NotRequired[list[str]]
    scope_type: NotRequired[str]
    scope_id: NotRequired[str]
    project: NotRequired[str]
