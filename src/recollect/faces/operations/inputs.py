"""The inputs of the operations and the kinds of their fields: what a call passes and a server gets.

The rule: they are the specification's own, unknown fields are refused, and null is the same as
leaving an optional field out. Specification 004, section 4.
"""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Annotated, Literal, NotRequired, TypeVar

import orjson
from pydantic import AfterValidator, ConfigDict, Field, JsonValue, with_config
from pydantic.json_schema import WithJsonSchema
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

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


STRICT = ConfigDict(extra="forbid", strict=True)


@with_config(STRICT)
class Empty(TypedDict):
    """Nothing."""


@with_config(STRICT)
class AsOfInput(TypedDict):
    """The point in both times that a read asks about; what is left out means now."""

    valid_as_of: NotRequired[Timestamp | None]
    known_as_of: NotRequired[Timestamp | None]


@with_config(STRICT)
class Message(TypedDict):
    """One message of a conversation, as it is remembered."""

    uuid: NotRequired[Uuid | None]
    name: NotRequired[Note | None]
    role_type: RoleType
    role: NotRequired[Note | None]
    content: Body
    timestamp: Timestamp
    source_description: NotRequired[Note | None]
    session: NotRequired[Note | None]


@with_config(STRICT)
class AddMessages(TypedDict):
    """Messages to remember, each as an episode."""

    group_id: Group
    messages: Items[Message]


@with_config(STRICT)
class EpisodeItem(TypedDict):
    """One episode to remember."""

    uuid: NotRequired[Uuid | None]
    name: NotRequired[Note | None]
    source: Source
    body: Body
    reference_time: Timestamp
    source_description: NotRequired[Note | None]
    session: NotRequired[Note | None]


@with_config(STRICT)
class AddEpisodes(TypedDict):
    """Episodes to remember and to learn from."""

    group_id: Group
    items: Items[EpisodeItem]


@with_config(STRICT)
class ReceiptInput(TypedDict):
    """A receipt that AddEpisodes or AddMessages gave."""

    group_id: Group
    receipt_id: Uuid


@with_config(STRICT)
class ListParked(TypedDict):
    """The group whose parked items are wanted."""

    group_id: Group


@with_config(STRICT)
class RetryParked(TypedDict):
    """The parked items to try again, by the uuids of their episodes; all when left out."""

    group_id: Group
    episode_uuids: NotRequired[Items[Uuid] | None]


@with_config(STRICT)
class AddEntityNode(TypedDict):
    """A node to create, or to say more about."""

    group_id: Group
    uuid: Uuid
    name: Name
    summary: NotRequired[Summary | None]
    attributes: NotRequired[Attributes | None]


@with_config(STRICT)
class FactItem(TypedDict):
    """One fact between two nodes of the group."""

    uuid: NotRequired[Uuid | None]
    name: Name
    fact: Fact
    source_node_uuid: Uuid
    target_node_uuid: Uuid
    valid_at: NotRequired[Timestamp | None]
    invalid_at: NotRequired[Timestamp | None]
    qualifiers: NotRequired[Attributes | None]
    source_episode_uuid: NotRequired[Uuid | None]


@with_config(STRICT)
class AddFact(FactItem):
    """A fact to add to a group."""

    group_id: Group


@with_config(STRICT)
class AddFacts(TypedDict):
    """Facts to add to a group, all of them or none."""

    group_id: Group
    facts: Items[FactItem]


@with_config(STRICT)
class SearchFacts(AsOfInput):
    """A question, and where to look."""

    group_ids: Groups
    query: Query
    max_facts: NotRequired[MostFound | None]
    center_node_uuid: NotRequired[Uuid | None]


@with_config(STRICT)
class SearchNodes(AsOfInput):
    """What nodes are wanted, by name and summary."""

    group_ids: Groups
    query: Query
    max_nodes: NotRequired[MostFound | None]


@with_config(STRICT)
class GetEntityEdge(AsOfInput):
    """The fact that is wanted; without a group it is looked for in all that may be seen."""

    uuid: Uuid
    group_id: NotRequired[Group | None]


@with_config(STRICT)
class GetEpisodes(AsOfInput):
    """How many of the newest episodes are wanted."""

    group_id: Group
    last_n: LastEpisodes


@with_config(STRICT)
class AskedMessage(TypedDict):
    """One message of the conversation that asks."""

    role_type: RoleType
    role: NotRequired[Note | None]
    content: Body
    timestamp: Timestamp


@with_config(STRICT)
class GetMemory(AsOfInput):
    """A conversation, about which the facts are wanted."""

    group_id: Group
    messages: Items[AskedMessage]
    max_facts: NotRequired[MostFound | None]
    center_node_uuid: NotRequired[Uuid | None]


@with_config(STRICT)
class DeleteInput(TypedDict):
    """What to delete; without a group it is looked for in all that may be seen."""

    uuid: Uuid
    group_id: NotRequired[Group | None]


@with_config(STRICT)
class DeleteGroup(TypedDict):
    """The group to delete with all it holds."""

    group_id: Group
