"""What the files of other programs say, in one form: records, and the changes that keep them.

The rule: a reader only reads. It yields what each line says and where it stands, and knows
neither the memory nor what is in it. The same record always has the same id, so that what comes
again is found.

What is there already is found by its id, else by its type and name, and keeps where it came from; a
link whose end is not there is left out, and told.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, assert_never

import orjson

from recollect.faces.operations.records import ENTITY, EPISODE, is_episode, is_fact
from recollect.kernel import Nexus
from recollect.model import (
    FACT,
    SEARCH_ATTRIBUTES,
    SOURCES,
    Attributes,
    Change,
    Concept,
    Dated,
    Key,
    Link,
    Local,
    PutConcept,
    PutFact,
    PutLink,
    Reference,
    Value,
    normal_text,
)
from recollect.node import dataclass, field, replace

DEFAULT_TYPE: Final = ENTITY
"""The type of what a file gives no type."""


@dataclass(frozen=True, slots=True)
class ByName:
    """An end of a link by type and name: it is made where it is not there yet."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class ById:
    """An end of a link by the id that its file gives it: it must be there."""

    id: str


End = ByName | ById


@dataclass(frozen=True, slots=True)
class Thing:
    """A concept, and what is said of it; `id` is what its file calls it."""

    line: int
    type: str
    name: str
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    id: str | None = None
    searched: tuple[str, ...] | None = None  # the attributes that are searched; None: all
    otherwise: str | None = None  # the name where something else in the memory has that one
    is_exact: bool = False  # just as a memory held it: nothing is added, and its name is its own
    timeless: frozenset[str] = frozenset()  # keys of the metadata that set no fact time
    earlier: Attributes = field(default_factory=dict)  # metadata that was set before


@dataclass(frozen=True, slots=True)
class StatementRecord:
    """A link that says something in words: a fact, which has an id of its own."""

    line: int
    subject: End
    predicate: str
    object: End
    text: str
    id: str
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str = ""  # what else must be the same for two facts to be about one thing
    sources: tuple[str, ...] = ()  # ids of the episodes that told it


@dataclass(frozen=True, slots=True)
class Bond:
    """A link just as a memory holds it, with its key."""

    line: int
    subject: End
    predicate: str
    object: End
    id: str | None = None
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str = ""
    earlier: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Account:
    """An episode: what was told, as it was told."""

    line: int
    id: str
    name: str | None
    body: str
    source: str
    source_description: str | None
    reference_time: str
    metadata: Attributes = field(default_factory=dict)
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """An episode spoke of a thing; both by id."""

    line: int
    episode: str
    thing: str


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is well formed and has no place in a memory."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Bad:
    """Something that cannot be read."""

    line: int
    reason: str


Record = Thing | StatementRecord | Bond | Account | Mention | Left | Bad


_NAMESPACE: Final = uuid.UUID("9f0b7a52-6f0d-5f0e-8a4e-5b1de3f2c7a4")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def made_id(*parts: Value) -> str:
    """Return the id of what says this: a UUID of version 5."""
    return str(uuid.uuid5(_NAMESPACE, orjson.dumps(parts).decode()))


def end_parts(end: End) -> list[Value]:
    """Return what an end is known by."""
    match end:
        case ByName(type, name):
            return [type, normal_text(name)]
        case ById(id):
            return [id]


def statement_id(subject: End, predicate: str, target: End, *more: Value) -> str:
    """Return the id of a fact whose file gives it none."""
    return made_id("statement", end_parts(subject), predicate, end_parts(target), *more)


def words(subject: str, predicate: str, target: str) -> str:
    """Return a bare link in words, so that a search finds it.

    >>> words("Ann", "worksAt", "Acme"), words("Ann", "LIVES_IN", "Berlin")
    ('Ann works at Acme', 'Ann lives in Berlin')
    """
    spaced = _HUMP.sub(" ", predicate.replace("_", " ")).strip()
    plain = spaced.lower() if spaced.isupper() or " " in spaced else spaced
    return f"{subject} {plain} {target}"


SOURCE: Final = "source"
"""Metadata of what was taken in: the file it came from."""

NO_END: Final = "what it begins or ends in is neither in the file nor in the memory"
CLOSED: Final = "it is in the memory, and was closed there since"
OTHER: Final = "its id belongs to something else in the memory"
OF_CLAIM: Final = "it is a part of a claim, which the claim's own calls write"
OTHER_EPISODE: Final = "the memory has an episode of that id that says something else"

_CALLED: Final = "FIND(?c) WHERE { ?c {type: $type, name: $name} }"


@dataclass(frozen=True, slots=True)
class Mapped:
    """What one record becomes: changes, or the reason why it is left out."""

    record: Record
    changes: tuple[Change, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Mapper:
    """Maps the records of one file; it knows what the memory calls what the file names."""

    nexus: Nexus
    source: str
    called: dict[str, str] = field(default_factory=dict)  # ids of the memory by those of the file
    _held: Mapping[str, Dated] = field(default_factory=dict)
    _concepts: dict[ByName, Concept | None] = field(default_factory=dict)
    _put: set[str] = field(default_factory=set)  # handles of this batch

    def mapped(self, records: Iterable[Record]) -> list[Mapped]:
        """Return what some records become as one batch. Cost: a look-up for each name."""
        chunk = list(records)
        ids = {self.id_of(one) for record in chunk for one in _ids(record)}
        self._held = self.nexus.elements.look_up(ids, closed=True) if ids else {}
        self._concepts, self._put = {}, set()
        return [self._map(record) for record in chunk]

    @property
    def _origin(self) -> Attributes:
        return {SOURCE: self.source}

    def call(self, id: str, held: str) -> None:
        """Remember what the memory calls what the file calls `id`."""
        if id != held:
            self.called[id] = held

    def id_of(self, id: str) -> str:
        """Return the id that the memory gave to what the file calls so."""
        return self.called.get(id, id)

    def _map(self, record: Record) -> Mapped:
        match record:
            case Thing():
                return Mapped(record, tuple(self._thing(record)))
            case StatementRecord():
                return self._statement(record)
            case Bond():
                return self._bond(record)
            case Account():
                return self._account(record)
            case Mention():
                return self._mention(record)
            case Left() | Bad():
                return Mapped(record, reason=record.reason)
            case _:
                assert_never(record)

    def _thing(self, thing: Thing) -> Iterator[Change]:
        type_, name, new_id = thing.type, thing.name, thing.id
        held = None if thing.id is None else self._living(thing.id)
        if isinstance(held, Concept) and held.type == type_ and not thing.is_exact:
            name = held.name
        elif held is None and thing.otherwise is not None:
            there = self._called(ByName(type_, name))
            if there is not None and ":" in there.id:
                name = thing.otherwise  # an IRI: two things of one name
        elif held is not None:
            there = self._called(ByName(type_, name))
            new_id = thing.id if there is not None and there.id == held.id else None
        metadata: dict[str, Value] = dict(thing.metadata)
        if thing.searched is not None:
            metadata[SEARCH_ATTRIBUTES] = [*thing.searched]
        if thing.earlier:
            yield PutConcept(type_, name, metadata=thing.earlier, new_id=new_id)
        own = {key: one for key, one in metadata.items() if key not in thing.timeless}
        yield PutConcept(
            type_,
            name,
            thing.attributes,
            metadata,
            own_metadata=own,
            new_id=new_id,
            new_metadata={} if thing.is_exact else self._origin,
        )

    def _statement(self, fact: StatementRecord) -> Mapped:
        dated = self._held.get(fact.id)
        held = None if dated is None else dated.element
        changes: list[Change] = []
        subject: Reference | None
        target: Reference | None
        if dated is not None and dated.expired_at is not None:
            return Mapped(fact, reason=CLOSED)
        if self._is_of_claim(fact):
            return Mapped(fact, reason=OF_CLAIM)
        if held is not None and is_fact(held) and not self._is_elsewhere(fact, held):
            # It may have moved since: it stays where it is.
            subject, predicate, target = held.subject, held.predicate, held.object
        elif held is not None:
            return Mapped(fact, reason=OTHER)
        else:
            subject, target = self._end(fact.subject, changes), self._end(fact.object, changes)
            predicate = fact.predicate
        if subject is None or target is None:
            return Mapped(fact, reason=NO_END)
        known = () if held is None else held.metadata.get(SOURCES)
        sources = [one for one in fact.sources if not isinstance(known, list) or one not in known]
        metadata: dict[str, Value] = {SEARCH_ATTRIBUTES: [FACT], **fact.metadata}
        if held is None:
            metadata = {SOURCE: self.source, **metadata}
        changes += [
            PutFact(
                subject,
                predicate,
                target,
                fact.text,
                fact.attributes,
                metadata,
                key=fact.key,
                source=source,
                is_settled=True,
                id=fact.id,
                handle=_handle(fact.id) if at == 0 else None,
            )
            for at, source in enumerate(sources or [None])
        ]
        self._put.add(_handle(fact.id))
        return Mapped(fact, tuple(changes))

    def _bond(self, bond: Bond) -> Mapped:
        if self._is_of_claim(bond):
            return Mapped(bond, reason=OF_CLAIM)
        changes: list[Change] = []
        subject, target = self._end(bond.subject, changes), self._end(bond.object, changes)
        if subject is None or target is None:
            return Mapped(bond, reason=NO_END)
        handle = None if bond.id is None else _handle(bond.id)
        new_id = None if bond.id is None or self._living(bond.id) is not None else bond.id
        put = PutLink(subject, bond.predicate, target, key=bond.key, new_id=new_id)
        if bond.earlier:
            changes.append(replace(put, metadata=bond.earlier))
        changes.append(
            replace(put, attributes=bond.attributes, metadata=bond.metadata, handle=handle)
        )
        if handle is not None:
            self._put.add(handle)
        return Mapped(bond, tuple(changes))

    def _account(self, told: Account) -> Mapped:
        says: Attributes = {
            "name": told.name,
            "body": told.body,
            "source": told.source,
            "source_description": told.source_description,
            "reference_time": told.reference_time,
        }
        held = self._living(told.id)
        if held is not None and not is_episode(held):
            return Mapped(told, reason=OTHER)
        if held is not None and dict(held.attributes) != says:
            return Mapped(told, reason=OTHER_EPISODE)
        if held is not None:
            return Mapped(told)  # an episode stays as it was told
        origin = {} if told.is_exact else self._origin
        change = PutConcept(EPISODE, told.id, says, told.metadata, id=told.id, new_metadata=origin)
        return Mapped(told, (change,))

    def _mention(self, mention: Mention) -> Mapped:
        episode = self._living(self.id_of(mention.episode))
        thing = self._living(self.id_of(mention.thing))
        is_node = isinstance(thing, Concept) and thing.type not in self.nexus.kinds.owned
        if episode is None or not is_episode(episode) or not is_node:
            return Mapped(mention, reason=NO_END)
        assert isinstance(thing, Concept)
        return Mapped(mention, (PutConcept(thing.type, thing.name, source=episode.id),))

    def _end(self, end: End, changes: list[Change]) -> Reference | None:
        """Return how a link names an end, after a change that makes it; None for no end."""
        match end:
            case ById() if _handle(end.id) in self._put:
                return Local(_handle(end.id))
            case ById():
                held = self._living(self.id_of(end.id))
                return None if held is None or is_episode(held) else held.id
            case ByName():
                if end.type in self.nexus.kinds.owned:
                    is_there = self._called(end) is not None
                    return Key(end.type, end.name) if is_there else None
                handle = orjson.dumps([end.type, end.name]).decode()
                if handle not in self._put:
                    self._put.add(handle)
                    changes.append(
                        PutConcept(end.type, end.name, handle=handle, new_metadata=self._origin)
                    )
                return Local(handle)
            case _:
                assert_never(end)

    def _is_elsewhere(self, fact: StatementRecord, held: Link) -> bool:
        """Whether a file says something of other things under the id of a fact."""
        if held.attributes.get(FACT) == fact.text:
            return False
        ends = (fact.subject, held.subject), (fact.object, held.object)
        there = [(self._there(end), id) for end, id in ends]
        return any(one is not None and one.id != id for one, id in there)

    def _there(self, end: End) -> Concept | Link | None:
        """Return an end as far as the memory has it."""
        return self._called(end) if isinstance(end, ByName) else self._living(end.id)

    def _is_of_claim(self, link: StatementRecord | Bond) -> bool:
        """Whether a link is one that only the calls of claims write."""
        match link.subject:
            case ByName(type=kind):
                pass
            case ById(id):
                held = self._living(id)
                kind = held.type if isinstance(held, Concept) else ""
        if isinstance(link, StatementRecord):  # facts are compared in any spelling
            return self.nexus.kinds.is_owned_link(kind, normal_text(link.predicate))
        return self.nexus.kinds.is_owned_link(kind, link.predicate)

    def _living(self, id: str) -> Concept | Link | None:
        dated = self._held.get(self.id_of(id))
        return None if dated is None or dated.expired_at is not None else dated.element

    def _called(self, named: ByName) -> Concept | None:
        """Return the living concept of a type and name."""
        if named not in self._concepts:
            parameters: Attributes = {"type": named.type, "name": named.name}
            rows = self.nexus.read(_CALLED, parameters).rows
            cell = rows[0][0] if rows else None
            self._concepts[named] = cell if isinstance(cell, Concept) else None
        return self._concepts[named]


def _handle(id: str) -> str:
    """Return the handle of what the file calls so; those of ends by name begin with `[`."""
    return f"#{id}"


def _ids(record: Record) -> Iterator[str]:
    """Yield the ids that a record names things by."""
    match record:
        case Thing(id=str(id)) | Account(id=id):
            yield id
        case StatementRecord(subject=subject, object=target) | Bond(subject=subject, object=target):
            named = (record.id, *(one.id for one in (subject, target) if isinstance(one, ById)))
            yield from (one for one in named if one is not None)
        case Mention(episode=episode, thing=thing):
            yield from (episode, thing)
        case _:
            return
