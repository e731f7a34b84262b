"""The inputs of the operations, field by field: what a call passes and what a server receives.

The rule: they are the specification's own, unknown fields are refused, and null is the same as
leaving an optional field out. Specification 004, section 4.
"""

from __future__ import annotations

from typing import NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from recollect.faces.operations.fields import (
    Attributes,
    Body,
    Fact,
    Group,
    Groups,
    Items,
    LastEpisodes,
    MostFound,
    Name,
    Note,
    Query,
    RoleType,
    Source,
    Summary,
    Timestamp,
    Uuid,
)

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
