"""What mem0's `get_all` answers: memories of users, agents and runs, and relations.

The rule: a memory is a fact about whom it is of (a link from them to themselves) under mem0's
own id; a relation is a fact between two. https://github.com/mem0ai/mem0, mem0/memory/main.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from recollect.errors import RecollectError
from recollect.integrations.exchange.members import (
    Members,
    decoded_value,
    optional_text,
    text,
    time,
    unreadable,
    without_null,
)
from recollect.integrations.exchange.records import (
    Bad,
    ByName,
    Record,
    StatementRecord,
    statement_id,
    words,
)
from recollect.integrations.exchange.source import Source
from recollect.model import OBSERVED_AT, Value

MEMORY: Final = "memory"
"""The predicate of what mem0 remembers of somebody."""

NOBODY: Final = "mem0"
"""Whom a memory is of that names nobody."""

_OWNERS: Final = ("user_id", "agent_id", "run_id")
_TAKEN: Final = frozenset({"id", "memory", "created_at", "updated_at", "expiration_date", "score"})


def read_mem0(source: Source, type_: str) -> Iterator[Record]:
    """Yield what the file says; those whom memories are of become concepts of `type_`.

    Memories are numbered from 1, and relations on from there.
    """
    try:
        memories, relations = _lists(decoded_value(source.whole()))
    except RecollectError as error:
        yield Bad(1, error.message)
        return
    for number, one in enumerate([*memories, *relations], 1):
        try:
            if not isinstance(one, dict):
                raise unreadable("is not a JSON object")
            yield (_memory if number <= len(memories) else _relation)(number, one, type_)
        except RecollectError as error:
            yield Bad(number, error.message)


def _lists(answer: Value) -> tuple[Sequence[Value], Sequence[Value]]:
    """Return the memories and the relations of an answer, also of mem0's first versions."""
    match answer:
        case list():
            return answer, []
        case {"results": list() as memories, "relations": list() as relations}:
            return memories, relations
        case {"results": list() as memories}:
            return memories, []
    raise unreadable('is not an answer of get_all: neither a list nor {"results": [...]}')


def _memory(number: int, members: Members, type_: str) -> Record:
    owners = (optional_text(members, one) for one in _OWNERS)
    about = ByName(type_, next((one for one in owners if one), NOBODY))
    identifier = text(members, "id")
    told_at = time(members, "updated_at") or time(members, "created_at")
    metadata = {
        OBSERVED_AT: told_at,
        "recorded_at": time(members, "created_at"),
        "valid_until": time(members, "expiration_date"),
        "mem0": without_null({k: one for k, one in members.items() if k not in _TAKEN}) or None,
    }
    said = text(members, "memory")
    return StatementRecord(
        number,
        about,
        MEMORY,
        about,
        said,
        identifier,
        metadata=without_null(metadata),
        key=identifier,
    )


def _relation(number: int, members: Members, type_: str) -> Record:
    target = optional_text(members, "target") or text(members, "destination")
    start, end = ByName(type_, text(members, "source")), ByName(type_, target)
    predicate = text(members, "relationship")
    said = words(start.name, predicate, end.name)
    identifier = statement_id(start, predicate, end, said)
    return StatementRecord(number, start, predicate, end, said, identifier)
