"""The file of the official MCP memory server: entities, their observations, relations.

The rule: an entity is a node of the type that the file gives it, an observation a fact about it (a
link from it to itself), a relation a fact between two.
https://github.com/modelcontextprotocol/servers, src/memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.faces.kinds import ALL_KINDS
from recollect.integrations.exchange.members import Members, json_lines, text, texts, unreadable
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
from recollect.model import Attributes, normal_text
from recollect.node import dataclass, field

OBSERVATION: Final = "observation"
"""The predicate of what is observed of one thing."""


def read_mcp_memory(source: Source, type_: str) -> Iterator[Record]:
    """Yield what the file says: things of their types, else of `type_`; relations come last."""
    reader = _EntitiesReader(type_)
    yield from json_lines(source, reader.records)
    for line, members in reader.relations:
        yield reader.relation(line, members)


@dataclass(slots=True)
class _EntitiesReader:
    """What was read of a file: its things by name, in any spelling, and what it relates."""

    type: str
    things: dict[str, ByName] = field(default_factory=dict)
    relations: list[tuple[int, Members]] = field(default_factory=list)

    def records(self, line: int, members: Members) -> Iterator[Record]:
        match members.get("type"):
            case "entity":
                yield from self._entity(line, members)
            case "relation":
                for name in ("from", "to", "relationType"):
                    text(members, name)
                self.relations.append((line, members))  # the types of its ends may come later
            case _:
                raise unreadable('type is neither "entity" nor "relation"')

    def relation(self, line: int, members: Members) -> Record:
        ends = (text(members, one) for one in ("from", "to"))
        start, end = (self.things.get(normal_text(one)) or ByName(self.type, one) for one in ends)
        predicate = text(members, "relationType")
        said = words(start.name, predicate, end.name)
        identifier = statement_id(start, predicate, end, said)
        return StatementRecord(line, start, predicate, end, said, identifier)

    def _entity(self, line: int, members: Members) -> Iterator[Record]:
        name, kind = text(members, "name"), text(members, "entityType")
        type_ = kind if ALL_KINDS.is_free(kind) else self.type
        about = self.things.setdefault(normal_text(name), ByName(type_, name))
        said: Attributes = {} if about.type == kind else {"entity_type": kind}
        yield Thing(line, about.type, about.name, said, searched=("summary", *said))
        for told in texts(members, "observations"):
            if told.strip():
                key = made_id(normal_text(told))
                identifier = statement_id(about, OBSERVATION, about, told)
                yield StatementRecord(line, about, OBSERVATION, about, told, identifier, key=key)
