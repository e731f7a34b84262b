"""The file of the official MCP memory server: entities, their observations, relations.

The rule: an entity is a node, an observation a fact about it (a link from it to itself), a
relation a fact between two. https://github.com/modelcontextprotocol/servers, src/memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from recollect.integrations.exchange.members import Members, json_lines, refused, text, texts
from recollect.integrations.exchange.records import (
    ByName,
    Record,
    StatementRecord,
    Thing,
    made_id,
    statement_id,
    words,
)
from recollect.integrations.exchange.source import Source
from recollect.model import normal_text

OBSERVATION: Final = "observation"
"""The predicate of what is observed of one thing."""


def read_mcp_memory(source: Source, type_: str) -> Iterator[Record]:
    """Yield what the file says; its entities become concepts of `type_`."""
    return json_lines(source, partial(_records, type_))


def _records(type_: str, line: int, members: Members) -> Iterator[Record]:
    match members.get("type"):
        case "entity":
            yield from _entity(type_, line, members)
        case "relation":
            start, end = ByName(type_, text(members, "from")), ByName(type_, text(members, "to"))
            predicate = text(members, "relationType")
            said = words(start.name, predicate, end.name)
            yield StatementRecord(
                line, start, predicate, end, said, statement_id(start, predicate, end, said)
            )
        case _:
            raise refused('type is neither "entity" nor "relation"')


def _entity(type_: str, line: int, members: Members) -> Iterator[Record]:
    name, kind = text(members, "name"), text(members, "entityType")
    yield Thing(line, type_, name, {"entity_type": kind}, searched=("summary", "entity_type"))
    about = ByName(type_, name)
    for said in texts(members, "observations"):
        if said.strip():
            key = made_id(normal_text(said))
            identifier = statement_id(about, OBSERVATION, about, said)
            yield StatementRecord(line, about, OBSERVATION, about, said, identifier, key=key)
