"""A memory as KIP capsules: texts that make the living graph again, in another memory.

Every block carries its own metadata and none is inherited, so what has none gets none. A
capsule names concepts by type and name and links by the propositions they are, so that it
stands on the capsules before it and on nothing else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TextIO, assert_never

from recollect.errors import INVALID_SYNTAX, RecollectError
from recollect.faces.kip.as_of import read_as_of
from recollect.kernel import Nexus, parse
from recollect.model import (
    AsOf,
    Attributes,
    ConceptRecord,
    Found,
    LinkRecord,
    Operation,
    Record,
    Value,
)

MOST_ELEMENTS = 1_000
"""So many elements a capsule holds, if not told otherwise."""

_MOST_CHARACTERS = 2**20
_SEPARATOR = "// capsule "
_UPSERT = "UPSERT"


def export_capsules(
    nexus: Nexus,
    query: str | None = None,
    parameters: Mapping[str, Value] | None = None,
    *,
    as_of: AsOf | Mapping[str, object] | None = None,
    most_elements: int = MOST_ELEMENTS,
) -> Iterator[str]:
    """Yield the capsules that make a group's living graph, or what a FIND finds, again.

    Run in order on an empty memory they give equal concepts with the ids that were given,
    attributes, metadata, fact times, and links. A link that is found brings its ends. Links
    with a key, and what is said about them, have no form in KIP and are left out. The same
    graph gives the same texts. The query may find as much as `read` may answer.
    KIP 1.0-draft3, KML.
    """
    found = None if query is None else Found(query, parameters or {})
    records = nexus.elements(found, as_of=read_as_of(as_of))
    return _capsules(records, most_elements)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: elements that each capsule made, or left with another content."""

    capsules: int
    created: int
    updated: int


def import_capsules(
    nexus: Nexus,
    capsules: Iterable[str],
    *,
    actor: str | None = None,
    request_id: str | None = None,
) -> Iterator[Imported]:
    """Run capsules in order, each one transaction, and yield what was done so far after each.

    A text that holds anything but UPSERT is no capsule: KIP_1001. The target of a link that is
    not there is an error, not left out. What stands already is
    not changed by what it says again, so an import that was cut short can be run again.
    """
    done = Imported(0, 0, 0)
    for text in capsules:
        _refuse_other_than_upsert(text)
        answer = nexus.write(text, on_missing="error", actor=actor, request_id=request_id)
        did = _operations(nexus, answer.transaction)
        done = Imported(
            done.capsules + 1,
            done.created + did[Operation.CREATE],
            done.updated + did[Operation.UPDATE],
        )
        yield done


def _refuse_other_than_upsert(text: str) -> None:
    for statement in parse(text).statements:
        if not text.startswith(_UPSERT, statement.span.start):
            raise RecollectError(
                INVALID_SYNTAX,
                "a capsule holds nothing but UPSERT, and this statement is something else",
                hint="recollect run",
                source=text,
                span=statement.span,
            )


def write_capsules(capsules: Iterable[str], stream: TextIO) -> Iterator[int]:
    """Write capsules one after another, as one text that is KIP too; yield how many so far."""
    for number, text in enumerate(capsules, 1):
        stream.write(f"{_SEPARATOR}{number}\n{text}")
        yield number


def read_capsules(stream: TextIO) -> Iterator[str]:
    """Yield the capsules of a text; one that `write_capsules` did not write is one capsule."""
    lines: list[str] = []
    for line in stream:
        if line.startswith(_SEPARATOR) and lines:
            yield "".join(lines)
            lines = []
        lines.append(line)
    if lines:
        yield "".join(lines)


def _operations(nexus: Nexus, transaction: int | None) -> Counter[Operation]:
    """Count what a transaction did in the end: its statements may take back one another's."""
    if transaction is None:
        return Counter()
    logged = nexus.changes(transaction - 1, 1)
    return Counter(change.operation for one in logged for change in one.changes)


def _capsules(records: Iterator[Record], most_elements: int) -> Iterator[str]:
    capsule = _Capsule()
    for record in records:
        if capsule.elements >= most_elements or capsule.characters >= _MOST_CHARACTERS:
            yield capsule.text()
            capsule = _Capsule()
        capsule.add(record)
    if capsule.elements:
        yield capsule.text()


@dataclass(slots=True)
class _Capsule:
    """One capsule as it grows."""

    elements: int = 0
    characters: int = 0
    _blocks: list[str] = field(default_factory=list)
    _inherited: dict[str, list[str]] = field(default_factory=dict)  # blocks by outer metadata
    _handles: dict[str, str] = field(default_factory=dict)  # of links, by id

    def add(self, record: Record) -> None:
        """Add an element, after everything it stands on."""
        match record:
            case ConceptRecord():
                self._add_concept(record)
            case LinkRecord():
                if not record.is_keyed:
                    self._add_link(record)
            case _:
                assert_never(record)

    def text(self) -> str:
        """Return the capsule: an UPSERT, and one for each metadata that sets no fact time."""
        texts = [_upsert(self._blocks)]
        texts += [_upsert(blocks, outer) for outer, blocks in self._inherited.items()]
        return "".join(texts)

    def _add_concept(self, record: ConceptRecord) -> None:
        concept = record.concept
        self.elements += 1
        head = f"CONCEPT @c{self.elements} "
        pattern = _pattern(record, with_id=True)
        said = _section(concept.attributes)
        own = {
            key: concept.metadata[key] for key in concept.metadata if key not in record.inherited
        }
        if record.earlier:
            self._put(f"CONCEPT {{ {pattern} }}{_metadata(record.earlier)}")
        if not record.inherited:
            self._put(f"{head}{{ {pattern}{said} }}{_metadata(own)}")
            return
        # Metadata of the UPSERT sets no fact time of a concept; the concept is born in its place.
        self._put(f"{head}{{ {pattern}{said} }}")
        outer = {key: concept.metadata[key] for key in sorted(record.inherited)}
        block = f"CONCEPT {{ {_pattern(record)} }}{_metadata(own)}"
        self._inherited.setdefault(_json(outer), []).append(block)
        self.characters += len(block)

    def _add_link(self, record: LinkRecord) -> None:
        for end in (record.subject, record.object):
            if isinstance(end, LinkRecord):
                for link in self._unnamed(end):
                    self._put_link(link, "", {})
        if record.earlier:
            self._put(f"PROPOSITION {{ {self._triple(record)} }}{_metadata(record.earlier)}")
        self.elements += 1
        self._put_link(record, _section(record.link.attributes), record.link.metadata)

    def _put_link(self, record: LinkRecord, said: str, metadata: Attributes) -> None:
        triple, handle = self._triple(record), f"@l{len(self._handles) + 1}"
        self._handles[record.link.id] = handle
        self._put(f"PROPOSITION {handle} {{ {triple}{said} }}{_metadata(metadata)}")

    def _triple(self, record: LinkRecord) -> str:
        subject, target = self._end(record.subject), self._end(record.object)
        return f"({subject}, {_json(record.link.predicate)}, {target})"

    def _end(self, record: Record) -> str:
        """Return how a link of this capsule names an end."""
        if isinstance(record, ConceptRecord):
            return _pattern(record)
        return self._handles[record.link.id]

    def _unnamed(self, record: LinkRecord) -> list[LinkRecord]:
        """Return the links that only earlier capsules made and this one must name, oldest first."""
        found: dict[str, LinkRecord] = {}
        wave: list[Record] = [record]
        while wave:
            one = wave.pop()
            if isinstance(one, LinkRecord) and not {one.link.id} & (self._handles.keys() | found):
                found[one.link.id] = one
                wave += [one.subject, one.object]
        return sorted(found.values(), key=lambda one: one.place)

    def _put(self, block: str) -> None:
        self._blocks.append(block)
        self.characters += len(block)


def _upsert(blocks: list[str], outer: str = "") -> str:
    lines = "".join(f"    {block}\n" for block in blocks)
    return f"UPSERT {{\n{lines}}}{f' WITH METADATA {outer}' if outer else ''}\n"


def _pattern(record: ConceptRecord, *, with_id: bool = False) -> str:
    concept = record.concept
    given = f", id: {_json(concept.id)}" if with_id and record.given_id else ""
    return f"{{type: {_json(concept.type)}, name: {_json(concept.name)}{given}}}"


def _section(attributes: Attributes) -> str:
    return f" SET ATTRIBUTES {_json(attributes)}" if attributes else ""


def _metadata(metadata: Attributes) -> str:
    """Return it in the order of its keys, which may come to a memory in several steps."""
    return f" WITH METADATA {_json(dict(sorted(metadata.items())))}" if metadata else ""


def _json(value: Value | Attributes) -> str:
    return json.dumps(value, ensure_ascii=False)
