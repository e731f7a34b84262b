"""What the tools answer with, member by member; the schemas that a client sees are made of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue
from typing_extensions import TypedDict

Members = dict[str, JsonValue]


class AcceptedEpisode(TypedDict):
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


class SkippedRecord(TypedDict):
    """Records that were left out for one reason."""

    reason: str
    records: int
    lines: Annotated[list[int], Field(description="the first of them")]


class ImportedFile(TypedDict):
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
    skipped: list[SkippedRecord]
