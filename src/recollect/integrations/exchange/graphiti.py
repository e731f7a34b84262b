"""Graphiti's nodes and edges, each as a line of JSON: what `model_dump_json` writes of them.

The rule: an EntityNode is a node, an EntityEdge a fact with its clocks, an EpisodicNode an
episode, all under Graphiti's uuids. https://github.com/getzep/graphiti, nodes.py and edges.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from recollect.faces.operations.inputs import Source as EpisodeSource
from recollect.faces.operations.records import ENTITY, SUMMARY
from recollect.integrations.exchange.members import (
    Members,
    json_lines,
    optional_text,
    table,
    text,
    texts,
    time,
    unreadable,
    without_null,
)
from recollect.integrations.exchange.records import (
    Account,
    Bad,
    ById,
    Left,
    Mention,
    Record,
    StatementRecord,
    Thing,
)
from recollect.integrations.exchange.source import Source
from recollect.model import FACT, OBSERVED_AT, Value

_KINDS: Final = ("text", "json", "message")
_NEVER_TRUE: Final = "a fact that is never true: it ends before it begins"
_COMMUNITY: Final = "a community, which is computed from the graph"
_OWN_LABEL: Final = "Entity"


def read_graphiti(source: Source, type_: str) -> Iterator[Record]:
    """Yield what the file says; everything in it has the type that Graphiti gives it."""
    del type_
    groups: set[str] = set()

    def records(line: int, members: Members) -> Iterator[Record]:
        groups.add(optional_text(members, "group_id") or "")
        if len(groups) > 1:
            names = ", ".join(sorted(groups))
            yield Bad(line, f"is of another group_id than the lines before it: {names}")
            return
        yield _record(line, members)

    return json_lines(source, records)


def _record(line: int, members: Members) -> Record:
    match members:
        case {"source_node_uuid": str(), "target_node_uuid": str(), "fact": str()}:
            return _fact(line, members)
        case {"source_node_uuid": str(episode), "target_node_uuid": str(thing)}:
            return Mention(line, episode, thing)
        case {"content": str(), "uuid": str()}:
            return _episode(line, members)
        case {"uuid": str(), "name": str(), "attributes": dict() | None}:
            return _node(line, members)
        case {"uuid": str(), "name": str()}:
            return Left(line, _COMMUNITY)
    raise unreadable("is neither a node nor an edge of Graphiti")


def _node(line: int, members: Members) -> Thing:
    labels = [one for one in texts(members, "labels") if one != _OWN_LABEL]
    said: dict[str, Value] = dict(table(members, "attributes"))
    said.pop(SUMMARY, None)
    summary = optional_text(members, "summary")
    if summary is not None:
        said[SUMMARY] = summary
    if labels:
        said["labels"] = [*labels]
    return Thing(
        line,
        ENTITY,
        text(members, "name"),
        said,
        without_null({"recorded_at": time(members, "created_at")}),
        text(members, "uuid"),
        searched=(SUMMARY, "labels"),
    )


def _fact(line: int, members: Members) -> Record:
    begins, ends = time(members, "valid_at"), time(members, "invalid_at")
    expired = time(members, "expired_at")
    ends = ends or expired
    if begins is not None and ends is not None and begins >= ends:
        return Left(line, _NEVER_TRUE)
    created = time(members, "created_at")
    metadata = {
        "valid_from": begins,
        "valid_until": ends,
        OBSERVED_AT: time(members, "reference_time") or created,
        "recorded_at": created,
        "superseded_at": expired,
    }
    said = {key: one for key, one in table(members, "attributes").items() if key != FACT}
    return StatementRecord(
        line,
        ById(text(members, "source_node_uuid")),
        text(members, "name"),
        ById(text(members, "target_node_uuid")),
        text(members, "fact"),
        text(members, "uuid"),
        said,
        without_null(metadata),
        sources=tuple(texts(members, "episodes")),
    )


def _episode(line: int, members: Members) -> Account:
    kind = optional_text(members, "source")
    time_ = time(members, "valid_at") or time(members, "created_at")
    if time_ is None:
        raise unreadable("valid_at is missing")
    return Account(
        line,
        text(members, "uuid"),
        optional_text(members, "name"),
        str(members["content"]),
        cast(EpisodeSource, kind) if kind in _KINDS else "text",
        optional_text(members, "source_description"),
        time_,
        without_null({"recorded_at": time(members, "created_at")}),
    )
