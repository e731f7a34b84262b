"""What the tools answer with, member by member; the schemas that a client sees are made of it."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field, JsonValue
from typing_extensions import TypedDict

from recollect.servers.mcp.inputs import Kind

Members = dict[str, JsonValue]


class Recalled(TypedDict):
    """One memory with both its clocks and where it comes from."""

    kind: Kind
    id: str
    text: str
    uri: Annotated[str, Field(description="the resource that has all of it")]
    score: NotRequired[Annotated[float, Field(description="0 to 1")]]
    type: NotRequired[str]
    name: NotRequired[str]
    subject: NotRequired[str]
    predicate: NotRequired[str]
    object: NotRequired[str | bool | int | float]
    status: NotRequired[Annotated[str, Field(description="of a claim")]]
    superseded_by: NotRequired[Annotated[str, Field(description="the id of the newer claim")]]
    attributes: NotRequired[Members]
    valid_at: NotRequired[Annotated[str, Field(description="true since; since ever")]]
    invalid_at: NotRequired[Annotated[str, Field(description="true until; further notice")]]
    created_at: Annotated[str, Field(description="known since")]
    expired_at: NotRequired[Annotated[str, Field(description="believed until")]]
    standing: NotRequired[Annotated[str, Field(description="why it is not so now")]]
    confidence: NotRequired[float]
    source: NotRequired[str]
    episodes: NotRequired[Annotated[list[str], Field(description="the ids of what told of it")]]
    evidence: NotRequired[list[Members]]
    truncated: NotRequired[Annotated[bool, Field(description="whether the resource has more")]]


class Memories(TypedDict):
    """What a question recalls, best first."""

    note: str
    memories: list[Recalled]
    next_cursor: NotRequired[str]
    warnings: NotRequired[list[Members]]


class Accepted(TypedDict):
    """That an episode was taken in; it is learnt from in a moment."""

    receipt_id: str
    accepted: int


class Counts(TypedDict):
    """What came in of one type or predicate."""

    name: str
    records: int
    created: int
    updated: int
    is_new: Annotated[bool, Field(description="whether the memory had none of it")]


class Skipped(TypedDict):
    """Records that were left out for one reason."""

    reason: str
    records: int
    lines: Annotated[list[int], Field(description="the first of them")]


class Imported(TypedDict):
    """What came in of a file, or would come in; the types and predicates of most records."""

    path: str
    format: str
    source: str
    dry_run: bool
    records: int
    created: int
    updated: int
    concepts: list[Counts]
    links: list[Counts]
    skipped: list[Skipped]


class Explained(TypedDict):
    """A memory, what it rests on, and what became of it, oldest first."""

    note: str
    memory: Recalled
    episodes: list[Members]
    history: list[Members]
    events: NotRequired[list[Members]]
    next_cursor: NotRequired[str]


class Answered(TypedDict):
    """The response of KIP."""

    result: JsonValue
    warnings: NotRequired[list[Members]]
