"""The outputs of the operations; an optional field without a value is null.

The rule: they have the specification's own fields and those that it allows beside them.
Specification 004, sections 3.2 and 4.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired

from pydantic import JsonValue
from typing_extensions import TypedDict

from recollect.faces.operations.inputs import Source

Status = Literal["OK", "ACCEPTED", "ERROR", "PARKED"]

Answered = tuple[Status, Mapping[str, object]]
"""What an operation answers with: the status of its envelope, and its output."""

State = Literal[
    "accepted",
    "extracted",
    "embedded",
    "upserted",
    "completed",
    "extract_failed",
    "embed_failed",
    "upsert_failed",
    "parked",
]
"""Where an item of the pipeline stands. Specification 004, section 5."""


class Error(TypedDict):
    """Why an operation did nothing."""

    error_code: str
    message: str
    details: NotRequired[dict[str, JsonValue]]


class Envelope(TypedDict):
    """The answer to every operation: `output` or `error`, never both."""

    request_id: str
    status: Status
    output: NotRequired[dict[str, JsonValue]]
    error: NotRequired[Error]


class Health(TypedDict):
    """That the service answers."""

    status: Literal["healthy"]


class FactResult(TypedDict):
    """A fact with its two clocks; `score` (0 to 1) and `rrf` only where it was searched for.

    `standing` tells in words what keeps it from being so now: "until 2026-05-01"; null where it is.
    """

    uuid: str
    group_id: str
    name: str
    fact: str
    source_node_uuid: str
    target_node_uuid: str
    source_node_name: str | None
    target_node_name: str | None
    qualifiers: dict[str, JsonValue] | None
    valid_at: str | None
    invalid_at: str | None
    created_at: str
    expired_at: str | None
    standing: str | None
    source_episode_uuid: str | None
    source_episode_uuids: list[str]
    score: float | None
    rrf: float | None


class EntityNode(TypedDict):
    """A node; `score` (0 to 1) and `rrf` only where it was searched for."""

    uuid: str
    group_id: str
    name: str
    summary: str | None
    attributes: dict[str, JsonValue]
    created_at: str
    source_episode_uuid: str | None
    score: float | None
    rrf: float | None


class EpisodeOutput(TypedDict):
    """An episode as it was remembered."""

    uuid: str
    group_id: str
    name: str | None
    body: str
    source: Source
    source_description: str | None
    reference_time: str
    created_at: str


class Facts(TypedDict):
    """Facts: of a search best first, of AddFacts in the order of the input."""

    facts: list[FactResult]


class Nodes(TypedDict):
    """Nodes, best first."""

    nodes: list[EntityNode]


class Episodes(TypedDict):
    """Episodes, oldest first."""

    episodes: list[EpisodeOutput]


class Accepted(TypedDict):
    """That episodes were taken in, and what to ask after them by."""

    receipt_id: str
    accepted: int


class AcceptedMessages(Accepted):
    """That messages were taken in."""

    message: str


class Done(TypedDict):
    """That a deletion holds, whether or not there was anything."""

    message: str
    success: bool


class Item(TypedDict):
    """One item of the pipeline; calls and tokens are those of a language model.

    `warnings` tell of names that several others have, for which a new node was made.
    """

    episode_uuid: str
    state: State
    attempts: int
    error: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    warnings: list[str]


class ReceiptState(TypedDict):
    """Where the items of a receipt stand, in the order they were given."""

    receipt_id: str
    items: list[Item]


class ItemList(TypedDict):
    """Items of the pipeline, in the order they were accepted."""

    items: list[Item]


class Retried(TypedDict):
    """How many parked items are tried again."""

    retried: int
